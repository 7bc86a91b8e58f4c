"""Training of the perishability head, reproducible from the facts of the evaluation: `python -m scrubjay.training`.

The steps are modules: `observations` (facts and everyday sentences to survival observations), `vectors` (embed once,
cached), `network` (one member, fitted by the censored likelihood), `ensemble` (members, prior, prototypes, fallback),
`rows` (the scores of the model card). NumPy alone.
"""

"""The facade's verbs by topic: each class holds the documented methods of one and wires them to `scrubjay.verbs`."""

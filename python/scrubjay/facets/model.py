"""The verbs about what a language model decides."""

from __future__ import annotations

from collections.abc import Sequence

from scrubjay.encode.intake import check_ids, check_namespace, check_progress
from scrubjay.protocols import Progress
from scrubjay.verbs import advice
from scrubjay.verbs.advice import Reclassified
from scrubjay.verbs.engine import Engine


class ModelVerbs:
    """reclassify."""

    _engine: Engine

    def reclassify(
        self,
        ids: str | Sequence[str] | None = None,
        *,
        namespace: str | Sequence[str] | None = None,
        progress: Progress | None = None,
    ) -> Reclassified:
        """Decide the perishability of memories again: by default of those that a fallback decided.

        A memory is degraded where a model should have been heard and had no usable answer. The model is asked again, in
        batches; where it answers, its opinion enters and the memory is degraded no longer. The rest keep their values.

        Args:
            ids: memories to ask about; None: every degraded one.
            namespace: only there; with `ids`, they must be of it.
            progress: called with (done, total); what is done is durable.

        Raises:
            MemoryNotFoundError: one of the ids does not exist; nothing was asked.

        Example:
            >>> import scrubjay
            >>> from scrubjay.llm import ScriptedModel
            >>> model = ScriptedModel(["no idea", '{"label": "ephemeral", "pi": 0.9, "tau_sec": 3600}'])
            >>> store = scrubjay.open(":memory:", model=model)
            >>> unit = store.add("The build is red.")
            >>> unit.perishability.degraded, unit.perishability.said
            (True, None)
            >>> store.reclassify()
            Reclassified(asked=1, mended=1, left=0)
            >>> store.get(unit.id).perishability.said
            Opinion(label='ephemeral', pi=0.9, tau=3600.0)
        """
        labels = None if namespace is None else check_namespace(namespace)
        keys = None
        if ids is not None:
            self._engine.refresh()
            keys = [self._engine.key_of(id, labels) for id in dict.fromkeys(check_ids(ids))]
        return advice.reclassify(self._engine, keys, labels, check_progress(progress))

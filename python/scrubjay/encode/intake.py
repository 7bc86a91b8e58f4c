"""What comes in from a caller, checked before anything is written: namespaces, metadata, new memories.

Every message names the argument (with its position in a batch), and none quotes a memory's text.
"""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, Final, SupportsIndex, cast

import msgspec
import numpy as np

from scrubjay.encode.normal import check_text, dedupe_digest
from scrubjay.encode.perishability import check_perishability
from scrubjay.encode.sensitive import raised
from scrubjay.encode.when import to_seconds
from scrubjay.errors import ArgumentError, ArgumentTypeError, shown
from scrubjay.memory import Layer, MemoryUnit, NewMemory, Perishability, Subtree
from scrubjay.protocols import Clock, Progress

MAX_LABELS: Final = 16
"""Most labels of a namespace (chosen)."""
MAX_LABEL_BYTES: Final = 256
"""Longest label in bytes of UTF-8 (chosen)."""
MAX_CONTEXT_BYTES: Final = 65536
"""Longest context in bytes of UTF-8 (chosen)."""
MAX_METADATA_BYTES: Final = 1 << 20
"""Largest metadata object as JSON (chosen)."""
MAX_METADATA_DEPTH: Final = 32
"""Deepest nesting of a metadata object (chosen)."""
SENSITIVE_CLASSES: Final = ("medical", "financial", "safety", "legal")
"""Classes that the user alone may lower."""

_FIELDS: Final = frozenset(NewMemory.__struct_fields__)


class Draft(msgspec.Struct, frozen=True, kw_only=True):
    """A new memory, checked: all that is missing are vectors and numbers."""

    text: str
    dedupe: bytes
    context: str | None
    namespace: tuple[str, ...]
    when: float
    metadata: dict[str, Any]
    perishability: Perishability | None
    value: float
    pinned: bool
    sensitive: str | None
    layer: Layer
    importance: float = 0.5
    source: str = ""
    """Where it is imported from, if it is."""
    caller: str = ""
    """The caller's own key, if there is one."""


def check_namespace(namespace: object, *, argument: str = "namespace") -> tuple[str, ...]:
    """Labels as a tuple. One label may be given as a plain str; () is the root namespace.

    Namespaces are compared label by label and never joined, so ("a", "b:c") and ("a", "b", "c") are two, and "%" or "*"
    are labels like any other.

    >>> check_namespace("alice"), check_namespace(["alice", "work"]), check_namespace(())
    (('alice',), ('alice', 'work'), ())
    """
    if isinstance(namespace, str):
        namespace = (namespace,)
    if isinstance(namespace, Subtree):
        raise ArgumentTypeError(
            f"{argument}: one namespace is needed here, not a Subtree, which only search, search_many, list, stats and "
            "delete_all of a handle that is not bound take"
        )
    if not isinstance(namespace, (tuple, list)):
        raise ArgumentTypeError(f"{argument}: expected a tuple of str, got {type(namespace).__name__}")
    if len(namespace) > MAX_LABELS:
        raise ArgumentError(f"{argument}: {len(namespace)} labels; at most {MAX_LABELS}")
    return tuple(
        check_text(label, argument=f"{argument}[{i}]", max_bytes=MAX_LABEL_BYTES) for i, label in enumerate(namespace)
    )


def check_scope(scope: object, *, argument: str = "namespace") -> tuple[str, ...] | Subtree:
    """A namespace, or one with all below it.

    >>> check_scope("alice"), check_scope(Subtree("alice"))
    (('alice',), Subtree(labels=('alice',)))
    """
    if isinstance(scope, Subtree):
        return Subtree(check_namespace(scope.labels, argument=f"{argument}.labels"))
    return check_namespace(scope, argument=argument)


def check_metadata(
    metadata: object, *, argument: str = "metadata", nulls: bool = True, stored: bool = False
) -> dict[str, Any]:
    """A copy of a JSON object: str keys; values str, bool, int, finite float, None, lists and objects of these.

    Names that begin with "$" are a filter's own; `stored`: what an older log has of them stays.
    """
    if not isinstance(metadata, Mapping):
        raise ArgumentTypeError(f"{argument}: expected a JSON object (dict), got {type(metadata).__name__}")
    copy = _json(metadata, argument, 0)
    own = next((name for name, item in copy.items() if name.startswith("$") and item is not None), None)
    if own is not None and not stored:
        raise ArgumentError(f"{argument}: {shown(own)} begins with '$', which only a filter's own names do; rename it")
    if not nulls:
        copy = {key: value for key, value in copy.items() if value is not None}
    size = len(msgspec.json.encode(copy))
    if size > MAX_METADATA_BYTES:
        raise ArgumentError(f"{argument}: {size:,} bytes as JSON; at most {MAX_METADATA_BYTES:,}")
    return dict(copy)


def _json(value: object, argument: str, depth: int) -> Any:
    if depth > MAX_METADATA_DEPTH:
        raise ArgumentError(f"{argument}: nested deeper than {MAX_METADATA_DEPTH}")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return check_text(value, argument=argument, max_bytes=MAX_METADATA_BYTES, allow_blank=True)
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise ArgumentError(f"{argument}: an integer does not fit 64 bits; give it as text")
        return int(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ArgumentError(f"{argument}: NaN and infinity are no JSON; give None")
        return float(value)
    if isinstance(value, Mapping):
        out = {}
        for key, item in value.items():
            if not isinstance(key, str):
                raise ArgumentTypeError(f"{argument}: keys must be str, got {type(key).__name__}")
            name = check_text(key, argument=f"{argument} key", max_bytes=MAX_LABEL_BYTES * 4)
            out[name] = _json(item, f"{argument}[{name!r}]", depth + 1)
        return out
    if isinstance(value, (list, tuple)):
        return [_json(item, f"{argument}[{i}]", depth + 1) for i, item in enumerate(value)]
    raise ArgumentTypeError(f"{argument}: {type(value).__name__} is no JSON value; convert it first")


def check_context(context: object, *, argument: str = "context") -> str | None:
    """A context's text, None for none."""
    return None if context is None else check_text(context, argument=argument, max_bytes=MAX_CONTEXT_BYTES)


def check_contexts(context: object, count: int, *, argument: str = "context") -> list[Any]:
    """One context for each of `count` queries, from one for all or a sequence; their texts are checked later."""
    if context is None or isinstance(context, str):
        return [context] * count
    if not isinstance(context, Sequence):
        raise ArgumentTypeError(f"{argument}: expected str or a sequence of them, got {type(context).__name__}")
    return list(context)


def check_value(value: object, *, argument: str = "value") -> float:
    """A base value V: finite, in [0, 1e6]."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ArgumentTypeError(f"{argument}: expected a number, got {type(value).__name__}")
    if not 0.0 <= value <= 1e6:
        raise ArgumentError(f"{argument} = {shown(value)}: expected a finite number in [0, 1e6]")
    return float(value)


def check_share(share: object, *, argument: str) -> float:
    """A number in [0, 1]."""
    if isinstance(share, bool) or not isinstance(share, (int, float)):
        raise ArgumentTypeError(f"{argument}: expected a number, got {type(share).__name__}")
    if not 0.0 <= share <= 1.0:
        raise ArgumentError(f"{argument} = {shown(share)}: expected a number in [0, 1]")
    return float(share)


def check_flag(flag: object, *, argument: str) -> bool:
    """A bool, and nothing that merely looks like one."""
    if not isinstance(flag, bool):
        raise ArgumentTypeError(f"{argument}: expected bool, got {type(flag).__name__}")
    return flag


def check_flags(**flags: object) -> None:
    """Bools by the names of their arguments."""
    for argument, flag in flags.items():
        check_flag(flag, argument=argument)


def check_sensitive(sensitive: object, *, argument: str = "sensitive") -> str | None:
    """One of SENSITIVE_CLASSES, or None."""
    if sensitive is None:
        return None
    if not isinstance(sensitive, str) or sensitive not in SENSITIVE_CLASSES:
        raise ArgumentError(
            f"{argument}: expected one of {', '.join(SENSITIVE_CLASSES)} or None, got {shown(sensitive)}"
        )
    return sensitive


def check_layer(layer: object, *, argument: str = "layer") -> Layer:
    """A Layer, or its number."""
    if isinstance(layer, bool) or not isinstance(layer, int):
        raise ArgumentTypeError(f"{argument}: expected a Layer, got {type(layer).__name__}")
    try:
        return Layer(layer)
    except ValueError:
        raise ArgumentError(
            f"{argument} = {shown(layer)}: expected one of {', '.join(x.name for x in Layer)}"
        ) from None


Taxonomy = Mapping[str, tuple[float, float]]
"""Labels to (pi, tau), where a store's user changed what they mean."""


def check_drafts(
    items: Iterable[object], now: float, *, namespace: object = (), taxonomy: Taxonomy | None = None
) -> list[Draft]:
    """Each item (text, mapping or NewMemory) checked whole; the first bad one is named by its position. `namespace` is
    that of the items that name none."""
    among = check_namespace(namespace)
    if isinstance(items, (str, bytes, Mapping, NewMemory)):
        raise ArgumentTypeError(f"items: expected a sequence of memories, got one {type(items).__name__}; use add")
    try:
        every = iter(items)
    except TypeError:
        raise ArgumentTypeError(f"items: expected a sequence of memories, got {type(items).__name__}") from None
    drafts = [check_draft(item, now, argument=f"items[{i}]", taxonomy=taxonomy) for i, item in enumerate(every)]
    if not among:
        return drafts
    return [draft if draft.namespace else msgspec.structs.replace(draft, namespace=among) for draft in drafts]


def check_draft(item: object, now: float, *, argument: str = "", taxonomy: Taxonomy | None = None) -> Draft:
    """One item checked; `argument` prefixes the names in messages."""
    dot = f"{argument}." if argument else ""
    given: Mapping[str, Any]
    if isinstance(item, NewMemory):
        given = {name: getattr(item, name) for name in NewMemory.__struct_fields__}
    elif isinstance(item, str):
        given = {"text": item}
    elif isinstance(item, Mapping):
        unknown = [key for key in item if key not in _FIELDS]
        if unknown:
            raise ArgumentError(f"{dot}{shown(unknown[0], 80)}: no such field; known are {', '.join(sorted(_FIELDS))}")
        if "text" not in item:
            raise ArgumentError(f"{dot}text: missing")
        given = item
    else:
        raise ArgumentTypeError(f"{argument or 'item'}: expected str, mapping or NewMemory, got {type(item).__name__}")
    text = check_text(given["text"], argument=f"{dot}text")
    key = given.get("key")
    if key is not None and not isinstance(key, str):
        raise ArgumentTypeError(f"{dot}key: expected str, got {type(key).__name__}")
    when = given.get("when")
    chosen = given.get("perishability")
    metadata = given.get("metadata")
    return Draft(
        text=text,
        dedupe=dedupe_digest(text, key),
        context=check_context(given.get("context"), argument=f"{dot}context"),
        namespace=check_namespace(given.get("namespace", ()), argument=f"{dot}namespace"),
        when=now if when is None else to_seconds(when, argument=f"{dot}when"),
        metadata={} if metadata is None else check_metadata(metadata, argument=f"{dot}metadata"),
        perishability=None if chosen is None else _perishability(chosen, taxonomy or {}, f"{dot}perishability"),
        value=check_value(given.get("value", 1.0), argument=f"{dot}value"),
        pinned=check_flag(given.get("pinned", False), argument=f"{dot}pinned"),
        sensitive=check_sensitive(given.get("sensitive"), argument=f"{dot}sensitive") or raised(text),
        layer=check_layer(given.get("layer", Layer.EPISODIC), argument=f"{dot}layer"),
        importance=check_share(given.get("importance", 0.5), argument=f"{dot}importance"),
        caller=str.__str__(key or ""),
    )


def _perishability(chosen: object, taxonomy: Taxonomy, argument: str) -> Perishability:
    """What a caller gave; a label alone means what it means in the store."""
    checked = check_perishability(chosen, argument=argument)
    if isinstance(chosen, str) and chosen in taxonomy:
        pi, tau = taxonomy[chosen]
        return msgspec.structs.replace(checked, pi=pi, tau=tau)
    return checked


def _whole(value: object, argument: str) -> int:
    """A whole number, also NumPy's; a truth value is none."""
    if isinstance(value, SupportsIndex) and not isinstance(value, (bool, np.bool_)):
        with suppress(TypeError):
            return operator.index(value)
    raise ArgumentTypeError(f"{argument}: expected an int, got {type(value).__name__}")


def check_count(k: object, *, argument: str = "k", largest: int = 2**40) -> int:
    """A positive number of results."""
    number = _whole(k, argument)
    if not 1 <= number <= largest:
        raise ArgumentError(f"{argument} = {shown(number)}: expected 1 to {largest}")
    return number


def check_time(time: object, *, argument: str = "time") -> str | None:
    """What a store's outcomes are timed by: "wall", "active", or None for whatever it has."""
    if time is not None and not (isinstance(time, str) and time in ("wall", "active")):
        raise ArgumentError(f"{argument}: expected 'wall' or 'active', got {shown(time)}")
    return None if time is None else str(time)


def check_reach(around: object, *, argument: str = "around", largest: int = 100) -> int:
    """A number of neighbours, 0 for none."""
    number = _whole(around, argument)
    if not 0 <= number <= largest:
        raise ArgumentError(f"{argument} = {shown(number)}: expected 0 to {largest}")
    return number


def check_path(path: object, *, argument: str = "path") -> str:
    """A path that a file can have, as text.

    >>> check_path("a/b")
    'a/b'
    """
    if not isinstance(path, (str, bytes, os.PathLike)):
        raise ArgumentTypeError(f"{argument}: expected a path, got {type(path).__name__}")
    text = os.fsdecode(path)
    if not text or "\0" in text:
        raise ArgumentError(f"{argument}: {'empty' if not text else 'a NUL, which no file name can have'}; name a file")
    try:
        os.fsencode(text)
    except UnicodeEncodeError:
        raise ArgumentError(f"{argument}: a lone surrogate, which no file name can have; name a file") from None
    return text


def check_progress(progress: object, *, argument: str = "progress") -> Progress | None:
    """A function of (done, total), or None."""
    if progress is not None and not callable(progress):
        raise ArgumentTypeError(f"{argument}: expected a function of (done, total), got {type(progress).__name__}")
    return cast("Progress | None", progress)


def check_id(id: object, *, argument: str = "id") -> str:
    """One id; that it is some memory's is found out later."""
    if isinstance(id, MemoryUnit):
        raise ArgumentTypeError(f"{argument}: expected str, got a MemoryUnit; pass its .id")
    if not isinstance(id, str):
        raise ArgumentTypeError(f"{argument}: expected str, got {type(id).__name__}")
    return id


def check_switch(given: object, *, argument: str) -> bool | None:
    """True, False, or None for what is best."""
    if given is not None and not isinstance(given, bool):
        raise ArgumentTypeError(f"{argument}: expected True, False or None, got {type(given).__name__}")
    return given


def check_ids(ids: object, *, argument: str = "ids") -> list[str]:
    """Ids from one id or a sequence of them."""
    if isinstance(ids, str):
        return [ids]
    if isinstance(ids, MemoryUnit):
        raise ArgumentTypeError(f"{argument}: expected an id or a sequence of ids, got a MemoryUnit; pass its .id")
    if not isinstance(ids, Sequence) or isinstance(ids, (bytes, bytearray)):
        raise ArgumentTypeError(f"{argument}: expected an id or a sequence of ids, got {type(ids).__name__}")
    return [check_id(one, argument=f"{argument}[{i}]") for i, one in enumerate(ids)]


def checked_clock(clock: object) -> Clock:
    """A clock whose every answer is a time.

    ArgumentError: it is none, such as NaN, or a datetime without a zone; or the clock raised what is the cause then.

    >>> checked_clock(lambda: 1.7e9)()
    1700000000.0
    """
    if not callable(clock):
        raise ArgumentTypeError(f"clock: expected a function without arguments, got {type(clock).__name__}")

    def told() -> float:
        try:
            moment = clock()
        except Exception as error:
            raise ArgumentError(
                f"clock() raised {type(error).__name__}; give a function that returns seconds since the epoch"
            ) from error
        if isinstance(moment, datetime) and moment.utcoffset() is None:
            raise ArgumentError(
                "clock(): a datetime without a zone may be hours off; give time.time, or a function that returns an "
                "aware datetime"
            )
        return to_seconds(moment, argument="clock()")

    return told

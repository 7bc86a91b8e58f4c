"""Replies that no program asked for: bug rows 6 and 25 and what a hostile or broken model adds to them."""

from __future__ import annotations

import json
from typing import Any, Final

GOOD_DELTAS: Final = {"delta_value": -0.4, "delta_pi": 0.1, "delta_tau": -0.3, "summary": "moved"}
GOOD_ITEM: Final = {"label": "ephemeral", "pi": 0.9, "tau_sec": 7200.0}

_RAW_NUMBERS: Final = (
    "NaN", "-NaN", "Infinity", "-Infinity", "1e999", "-1e999", "true", "false", "null", '"0.5"', '"NaN"', '""', "[]",
    "[0.1]", "{}", '{"$numberDouble": "0.1"}', "0x10", "01", "+1", ".5", "1.", "1e", "--1", "1_000", "1,5", "٣",
    "undefined", "None", "1" * 400, "9" * 5000, "1e-999x",
)  # fmt: skip


def raw_deltas(**raw: str) -> str:
    """The good answer with some values replaced by raw text."""
    values = {name: json.dumps(value) for name, value in GOOD_DELTAS.items()} | raw
    return "{" + ", ".join(f'"{name}": {value}' for name, value in values.items()) + "}"


def raw_item(**raw: str) -> str:
    """The good item, number 1, with some values replaced by raw text."""
    values = {"item": "1", **{name: json.dumps(value) for name, value in GOOD_ITEM.items()}} | raw
    return '{"items": [{' + ", ".join(f'"{name}": {value}' for name, value in values.items()) + "}]}"


def _structures(good: str, fields: dict[str, Any]) -> dict[str, object]:
    """Shapes around one good object, none of which may be taken for an answer."""
    names = list(fields)
    return {
        "empty": "", "blank": " \n\t ", "nul": "\0", "prose": "I cannot do that.", "word": "null", "number": "5",
        "string": '"text"', "true": "true", "empty list": "[]", "empty object": "{}", "list of strings": '["a", "b"]',
        "list of lists": "[[1], [2]]", "list of numbers": "[1, 2, 3]", "list of nulls": "[null, null]",
        "truncated": good[: len(good) // 2], "truncated at the end": good[:-1], "truncated at the start": good[1:],
        "in a string": json.dumps(good), "single quotes": good.replace('"', "'"), "no quotes": good.replace('"', ""),
        "smart quotes": good.replace('"', "\u201d"), "python": repr(fields), "xml": "<a>1</a>", "html": "<!DOCTYPE>",
        "yaml": "\n".join(f"{k}: {v}" for k, v in fields.items()), "trailing comma": good[:-1] + ",}",
        "comment": good.replace("{", "{ // so\n", 1), "bad escape": good.replace(names[0], names[0] + "\\x"),
        "open escape": good.replace(names[0], names[0] + "\\"),
        "control character": good.replace(names[0], names[0] + "\n"),
        "deep list": "[" * 100000, "deep object": '{"a":' * 100000, "deep around": '{"a":' * 40 + good + "}" * 40,
        "long": "x" * 70000, "long around": " " * 70000 + good, "many braces": "{" * 60000, "many pairs": "{}" * 30000,
        "quotes": '"' * 60000, "open strings": '{"' * 30000, "closing": "}]}]" * 1000, "mixed up": "{]" * 5000,
        "surrogate": good.replace(names[0], "\\ud800"), "bom in a key": good.replace(names[0], "\ufeff" + names[0]),
        "upper case": good.replace(names[0], names[0].upper()), "other keys": '{"a": 1, "b": 2}',
        "one key more": good[:-1] + ', "id": "12"}', "a namespace": good[:-1] + ', "namespace": ["other"]}',
        "a path": good[:-1] + ', "path": "../../etc/passwd"}', "sql": good[:-1] + ', "sql": "DROP TABLE memories"}',
        "a prototype": good[:-1] + ', "__proto__": {}}', "a class": good[:-1] + ', "__class__": "x"}',
        "bytes": good.encode(), "not text": 5, "nothing at all": None, "an object": fields, "a list": [good],
        **{f"without {name}": json.dumps({k: v for k, v in fields.items() if k != name}) for name in names},
        **{f"{name} twice": good[:-1] + f', "{name}": {json.dumps(fields[name])}}}' for name in names},
        **{f"{name} null": json.dumps({**fields, name: None}) for name in names},
        **{f"{name} nested": json.dumps({**fields, name: {name: fields[name]}}) for name in names},
    }  # fmt: skip


def bad_deltas() -> dict[str, object]:
    """Replies that hold no deltas, by name."""
    good = json.dumps(GOOD_DELTAS)
    out = _structures(good, GOOD_DELTAS)
    for name in ("delta_value", "delta_pi", "delta_tau"):
        for raw in _RAW_NUMBERS:
            out[f"{name} {raw[:12]} {len(raw)}"] = raw_deltas(**{name: raw})
    other = json.dumps({**GOOD_DELTAS, "delta_value": 1.0})
    return out | {
        "two answers": good + "\n" + other,
        "two fences": f"```json\n{good}\n```\nor\n```json\n{other}\n```",
        "in a wrapper": json.dumps({"answer": GOOD_DELTAS}),
        "summary a number": raw_deltas(summary="5"),
        "summary a list": raw_deltas(summary='["moved"]'),
        "summary true": raw_deltas(summary="true"),
    }


def bad_opinions() -> dict[str, object]:
    """Replies to a question about one item that hold no opinion of it, by name."""
    good = json.dumps({"item": 1, **GOOD_ITEM})
    out = _structures(good, {"item": 1, **GOOD_ITEM})
    del out["without item"]  # the form of a question about one text needs no number
    for name in ("pi", "tau_sec"):
        for raw in _RAW_NUMBERS:
            out[f"{name} {raw[:12]} {len(raw)}"] = raw_item(**{name: raw})
    for raw in ("2", "0", "-1", "12", '"12"', '"1"', "1.5", "true", "null", "1e0x", "[1]", "9" * 400):
        out[f"item {raw[:8]} {len(raw)}"] = raw_item(item=raw)
    for label in ("", "Factual", "factual ", "eternal", "factual\\u0000", "ephemeral; DROP TABLE", "事実"):
        out[f"label {label!r}"] = raw_item(label=f'"{label}"')
    return out | {
        "two opinions": '{"items": [' + good + "," + good.replace("0.9", "0.1") + "]}",
        "ids": json.dumps({"items": [{"id": "0196f0aa-0000-7000-8000-000000000000", **GOOD_ITEM}]}),
        "more keys": json.dumps({"items": [{"item": 1, **GOOD_ITEM}], "note": "x"}),
        "items an object": json.dumps({"items": {"1": GOOD_ITEM}}),
        "two plain": json.dumps([GOOD_ITEM, GOOD_ITEM]),
    }

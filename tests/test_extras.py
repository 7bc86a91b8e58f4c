"""Every extra that the library can miss is named by the error that says how to install it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from scrubjay.errors import MissingExtraError

ROOT = Path(__file__).resolve().parents[1]
OTHERS = {"all", "bench", "test"}
"""Extras that no verb needs."""


def test_every_extra_has_its_pip_line() -> None:
    table = (ROOT / "pyproject.toml").read_text("utf-8").split("[project.optional-dependencies]\n")[1].split("\n\n")[0]
    extras = set(re.findall(r"^(\w+) = \[", table, re.MULTILINE))
    raised = {
        call.args[1].value
        for file in (ROOT / "python").rglob("*.py")
        for call in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == "MissingExtraError"
        and isinstance(call.args[1], ast.Constant)
    }
    assert raised == extras - OTHERS
    for extra in raised:
        assert f"pip install 'scrubjay[{extra}]'" in str(MissingExtraError("It", str(extra)))

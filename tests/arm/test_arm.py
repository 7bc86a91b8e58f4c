"""The same bits on an AArch64 CPU, emulated: about a minute of compiling, so run it with -m slow."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest


@pytest.mark.slow
@pytest.mark.torture
@pytest.mark.timeout(1800)
def test_state_has_the_same_bits_on_aarch64() -> None:
    done = subprocess.run([Path(__file__).with_name("run.sh")], capture_output=True, text=True, check=False)
    if done.returncode == 77:
        pytest.skip(done.stdout.strip())
    assert done.returncode == 0, done.stdout + done.stderr
    assert "neon" in done.stdout
    assert "DIFFERENT" not in done.stdout

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def quick_path(tmp_path: Path) -> Iterator[Path]:
    """A folder in memory where the system has one, for tests that sync thousands of times."""
    if not os.access("/dev/shm", os.W_OK):
        yield tmp_path
        return
    folder = tempfile.mkdtemp(dir="/dev/shm", prefix="scrubjay-")
    yield Path(folder)
    shutil.rmtree(folder, ignore_errors=True)

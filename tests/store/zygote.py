"""A warm process under the shim, which forks a child for each case that it is told on its standard input."""

from __future__ import annotations

import ctypes
import json
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any

from scrubjay.errors import ScrubjayError
from tests.store import lives

KINDS = {"none": 0, "EIO": 1, "ENOSPC": 2, "short": 3, "exit": 4, "torn": 5}


def live(shim: Any, case: dict[str, Any]) -> None:
    """One life with one fault; what came of it is written to case["told"], a line each."""
    told = os.open(case["told"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    if case.get("journal"):
        shim.shim_journal(os.fsencode(case["journal"]))

    def tell(seq: int) -> None:
        shim.shim_mark(seq)
        os.write(told, f"{seq}\n".encode())

    shim.shim_arm(os.fsencode(case["watched"]), case["at"], KINDS[case["kind"]], int(case["lasting"]))
    shim.shim_room(ctypes.c_int64(case.get("room", -1)))
    try:
        lives.life_of(case["life"])(Path(case["path"]), tell)
    except ScrubjayError as error:
        os.write(told, f"error {case['path'] in str(error)} {type(error).__name__}: {error}\n".encode())
    except BaseException as error:  # noqa: BLE001 - told to the test, whatever it is
        import traceback

        os.write(told, f"raised {error!r} {traceback.format_exc()!r}\n".encode())
    os.write(told, f"steps {shim.shim_steps()} {shim.shim_tripped()}\n".encode())


def warm() -> None:
    """Import whatever a life imports late."""
    with tempfile.TemporaryDirectory() as folder:
        lives.begin(Path(folder) / "store")
        for life in lives.LIVES.values():
            shutil.rmtree(Path(folder) / "life", ignore_errors=True)
            shutil.copytree(Path(folder) / "store", Path(folder) / "life")
            life(Path(folder) / "life", lambda seq: None)


def main() -> None:
    """Answer each line, a case, with the status of the child that lived it."""
    shim = ctypes.CDLL(sys.argv[1])
    shim.shim_steps.restype = ctypes.c_long
    shim.shim_arm.argtypes = [ctypes.c_char_p, ctypes.c_long, ctypes.c_int, ctypes.c_int]
    shim.shim_mark.argtypes = [ctypes.c_long]
    shim.shim_room.argtypes = [ctypes.c_int64]
    warm()
    for line in sys.stdin:
        child = os.fork()
        if child == 0:
            try:
                signal.alarm(600)
                live(shim, json.loads(line))
            finally:
                os._exit(0)
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


if __name__ == "__main__":
    main()

"""The `scrubjay` command: an entry that works without the extra, and says then how to get it.

The verbs are in `scrubjay.commands`, which needs typer and rich.
"""

from __future__ import annotations

import sys

from scrubjay.errors import MissingExtraError

_NEEDED = ("typer", "rich", "click")


def main() -> None:
    """Run the command line; ends the process with its exit code (0 done, 1 failed, 2 wrong usage)."""
    try:
        from scrubjay import commands, commands_help, commands_learning, commands_upkeep
    except ImportError as error:
        if error.name is None or error.name.split(".")[0] not in _NEEDED:
            raise
        print(MissingExtraError("The command line", "cli"), file=sys.stderr)
        raise SystemExit(1) from None
    assert commands_upkeep.app is commands_learning.app is commands.app
    commands_help.arrange()
    commands.run()

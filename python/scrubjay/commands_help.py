"""How `scrubjay --help` lists the verbs: in groups, as README's table does. Extra: [cli]."""

from __future__ import annotations

from typing import Final

from typer.models import CommandInfo

from scrubjay.commands import MEASURE, app

GROUPS: Final = {
    "Write and delete": ("add", "import", "update", "delete", "delete-all"),
    "Find": ("search", "prepare", "get", "list", "history", "link", "neighbors", "descend"),
    "Let the new replace the old": ("integrate", "undo"),
    "Learn from use": ("outcome", "observe", "rate", "rescore", "due", "fit-perishability", "unfit-perishability"),
    "Keep a store healthy": (
        *(
            "stats",
            "verify",
            "backup",
            "consolidate",
            "condense",
            "forgotten",
            "restore",
            "compact",
            "rebuild",
            "reembed",
        ),
    ),
    "Share and trust": ("export-peer", "merge-peer", "quarantine", "release"),
    MEASURE: ("demo",),
}
"""The verbs of each group, in the order in which they are listed."""


def arrange() -> None:
    """Puts each verb into its group, in order."""
    group_of = {verb: group for group, verbs in GROUPS.items() for verb in verbs}
    order = list(group_of)
    for command in app.registered_commands:
        command.rich_help_panel = group_of[name_of(command)]
    app.registered_commands.sort(key=lambda command: order.index(name_of(command)))


def name_of(command: CommandInfo) -> str:
    """What a user types for a verb.

    >>> name_of(CommandInfo(name="delete-all"))
    'delete-all'
    """
    return command.name or getattr(command.callback, "__name__", "").replace("_", "-")

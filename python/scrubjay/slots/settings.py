"""Settings as files and logs write them: "max_connections = 100", "timeout: 30s". One name has one value at a time.

>>> setting_of("timeout: 30s"), setting_of("ENABLE_CACHE=true")
((('set', 'timeout'), frozenset({'30s'})), (('set', 'enable_cache'), frozenset({'true'})))
>>> setting_of("Todo: call mum") is None
True
"""

from __future__ import annotations

import re
from typing import Final

_SETTING: Final = re.compile(
    r"\s*(?:set |export |let |const )?(?P<name>[A-Za-z_][\w.\-]*)\s*"
    r"(?:(?:=|:=)\s*(?P<value>[^\s=]\S*(?: \S+){0,2}?)|:\s+(?P<plain>\S*\d\S*(?: ?[a-z%]{1,3})?"
    r"|true|false|on|off|enabled|disabled|yes|no|none|null|debug|info|warn|warning|error))\s*[.;,]?\s*",
    re.IGNORECASE,
)


def setting_of(text: str) -> tuple[tuple[str, str], frozenset[str]] | None:
    """A key for what is set and its value, None for what is no setting. Behind a colon, a name of one plain word
    that begins small, and a number or a switch."""
    found = _SETTING.fullmatch(text) if len(text) < 100 else None
    if found is None:
        return None
    name, value = found["name"], found["value"]
    if value is None:
        if not name[0].islower():
            return None
        value = found["plain"]
    return ("set", name.casefold()), frozenset((value.casefold(),))

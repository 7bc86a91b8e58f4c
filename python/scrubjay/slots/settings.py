"""Settings as files and logs write them: "max_connections = 100", "timeout: 30s". One name has one value at a time.

>>> setting_of("timeout: 30s"), setting_of("ENABLE_CACHE=true")
((('set', 'timeout'), frozenset({'30s'})), (('set', 'enable_cache'), frozenset({'true'})))
>>> setting_of("Todo: call mum") is None
True
"""

from __future__ import annotations

import re
from typing import Final

_ZONE: Final = (
    r"(?:africa|america|antarctica|asia|atlantic|australia|etc|europe|indian|pacific)(?:/[a-z_+\-\d]+)+"
    r"|(?:utc|gmt)(?:[+-]\d+)?|wet|cet|cest|eet|est|edt|cst|cdt|mst|mdt|pst|pdt|ist|jst|aest"
)
"""Time zones."""
_PLAIN: Final = (
    r"\S*\d\S*(?: ?[a-z%]{1,3})?|true|false|on|off|enabled|disabled|yes|no|none|null|debug|info|warn|warning|error"
    rf"|{_ZONE}"
)
"""What a value looks like that is no prose: a number, a switch, a time zone."""
_SETTING: Final = re.compile(
    r"\s*(?:set |export |let |const )?(?P<name>[A-Za-z_][\w.\-]*)\s*"
    rf"(?:(?:=|:=)\s*(?P<value>[^\s=]\S*(?: \S+){{0,2}}?)|:\s+(?:(?P<plain>{_PLAIN})|(?P<any>\S+?)))\s*[.;,]?\s*",
    re.IGNORECASE,
)


def setting_of(text: str) -> tuple[tuple[str, str], frozenset[str]] | None:
    """A key for what is set and its value, None for what is no setting. Behind a colon a name of one plain word that
    begins small, and what no prose has for a value; or a name with "_", which no prose has, and any one word."""
    found = _SETTING.fullmatch(text) if len(text) < 100 else None
    if found is None:
        return None
    name, value = found["name"], found["value"] or found["plain"] or found["any"]
    if not (found["value"] or "_" in name or (found["plain"] and name[0].islower())):
        return None
    return ("set", name.casefold()), frozenset((value.casefold(),))

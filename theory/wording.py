"""How numbers of things are written."""

from __future__ import annotations

import re

_PLURAL = re.compile(r"(?:(ie)|((?<=x)e)?)s\b")


def counted(count: int, things: str) -> str:
    """`count` with the noun that fits it: "1 box" and "1,203 boxes" of `things` "boxes"."""
    return f"{count:,} {things if count != 1 else _PLURAL.sub(lambda found: 'y' if found[1] else '', things)}"

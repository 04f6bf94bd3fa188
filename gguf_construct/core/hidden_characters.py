"""Characters that no screen shows, or that change how the text beside them is shown.

Source: Unicode 15.1, general categories Cc and Cf, UTS 39 section 3 and UAX 9 (directional
formatting); CVE-2021-42574 for what they are used for.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import NamedTuple

_BIDIRECTIONAL = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u2028\u2029\u2060-\u2064\u206a-\u206f"
    "\u3164\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff"
)
_CONTROL = "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
# Joiners are part of emoji and of Arabic and Indic words; beside ASCII they hide something.
_JOINED = "[\u00a9-\U0010ffff]"
_JOINER = f"(?<!{_JOINED})[\u200c\u200d]|[\u200c\u200d](?!{_JOINED})"
_IS_CONTROL = re.compile(f"[{_CONTROL}]")
_SHOWN = 6


@cache
def _hidden() -> re.Pattern[str]:
    """Compiled when a text needs it: that takes milliseconds, and most texts are ASCII."""
    return re.compile(f"[{_BIDIRECTIONAL}{_INVISIBLE}{_CONTROL}]|{_JOINER}")


class HiddenCharacter(NamedTuple):
    """A character that cannot be seen.

    Attributes:
        at: its position in the text, in characters.
        line: its line, from 1.
        name: its code point, its Unicode name and its kind, such as
            "U+202E RIGHT-TO-LEFT OVERRIDE (bidirectional)".
    """

    at: int
    line: int
    name: str


def hidden_characters(text: str) -> list[HiddenCharacter]:
    """Invisible, bidirectional and control characters of a text; tabs and line ends are not."""
    found: list[HiddenCharacter] = []
    line, counted = 1, 0
    pattern = _IS_CONTROL if text.isascii() else _hidden()
    for match in pattern.finditer(text):
        line += text.count("\n", counted, match.start())
        counted = match.start()
        found.append(HiddenCharacter(match.start(), line, _name(match[0])))
    return found


def describe_hidden(found: list[HiddenCharacter]) -> str:
    """Their names, each once, with their number where there are several."""
    counts: dict[str, int] = {}
    for one in found:
        counts[one.name] = counts.get(one.name, 0) + 1
    words = [name if count == 1 else f"{name} x{count}" for name, count in counts.items()]
    more = len(words) - _SHOWN
    return ", ".join(words[:_SHOWN]) + (f" and {more} more kinds" if more > 0 else "")


def _name(one: str) -> str:
    kind = "invisible"
    if _IS_CONTROL.match(one):
        kind = "control"
    elif re.match(f"[{_BIDIRECTIONAL}]", one):
        kind = "bidirectional"
    name = unicodedata.name(one, "")
    return f"U+{ord(one):04X} {name + ' ' if name else ''}({kind})"

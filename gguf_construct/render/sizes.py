"""Sizes, shapes and counts for people."""

from __future__ import annotations

import re

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")
_SIZE = r"(?i)(\d+)\s*(?:([kmgt])(i?)b?|b)?"


def size_text(nbytes: int) -> str:
    """``253113024`` as ``241.4 MiB``."""
    size, unit = float(nbytes), 0
    while size >= 1024 and unit < len(_UNITS) - 1:
        size /= 1024
        unit += 1
    return f"{nbytes} B" if unit == 0 else f"{size:.1f} {_UNITS[unit]}"


def count_text(count: int, what: str) -> str:
    """``1 note``, ``2,000 notes``."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def shape_text(shape: tuple[int, ...]) -> str:
    """``3 x 512``, or ``scalar``."""
    return " x ".join(map(str, shape)) or "scalar"


def parse_size(text: str) -> int:
    """``4096``, ``64KiB`` or ``1M`` in bytes; ``kB``, ``MB`` count in thousands.

    Raises:
        ValueError: the text is not a size.
    """
    found = re.fullmatch(_SIZE, text.strip())
    if found is None:
        raise ValueError(f"{text!r} is not a size such as 4096, 64KiB or 1MiB")
    number, unit, binary = found.groups()
    if unit is None:
        return int(number)
    is_decimal = not binary and text.strip().lower().endswith("b")
    power = "kmgt".index(unit.lower()) + 1
    return int(number) * int((1000 if is_decimal else 1024) ** power)

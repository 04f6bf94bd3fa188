"""Sizes for people."""

from __future__ import annotations

__all__ = ["size_text"]

_UNITS = ("B", "KiB", "MiB", "GiB", "TiB", "PiB")


def size_text(nbytes: int) -> str:
    """``253113024`` as ``241.4 MiB``."""
    size, unit = float(nbytes), 0
    while size >= 1024 and unit < len(_UNITS) - 1:
        size /= 1024
        unit += 1
    return f"{nbytes} B" if unit == 0 else f"{size:.1f} {_UNITS[unit]}"

"""Whole vocabularies at C speed: 262,144 strings are checked without a loop of Python over them.

Strategy: the strings of an array lie back to back with a length field before each.  In a copy of
that region the length fields are overwritten, with zeros to decode it all at once, or with bytes
that UTF-8 never has to split it at them.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...runtime.views import StringArray

MOST_COMPARED = 1 << 22  # strings; the largest vocabularies have some 2^18
_FEW = 64
_NEVER = 0xFF


def _blanked(strings: StringArray, filler: int) -> bytes:
    """The region of the strings with `filler` for the bytes of the length fields."""
    import numpy as np

    start = strings.start
    raw = np.frombuffer(strings.buffer, np.uint8, strings.end - start, start).copy()
    at = np.asarray(strings.offsets).astype(np.int64) - start
    for byte in range(strings.length_nbytes):
        raw[at + byte] = filler
    return bytes(raw)


def first_not_utf8(strings: StringArray) -> int | None:
    """Number of the first string that is not UTF-8, or None."""
    # Of very many, the copy and the offsets would fill the memory: one after another, then.
    if not _FEW < strings.num <= MOST_COMPARED:
        return next((at for at, one in enumerate(strings.iter_raw()) if not _decodes(one)), None)
    try:
        # A zero ends every character, so the whole decodes only if each string does.
        _blanked(strings, 0).decode()
    except UnicodeDecodeError as error:
        return bisect_right(strings.offsets, strings.start + error.start) - 1
    return None


def _decodes(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def repeated(strings: StringArray) -> list[tuple[int, int]]:
    """Pairs of numbers (earlier, later) of strings that C code sees as equal.

    It sees them up to the first NUL; empty ones do not count.
    """
    items, has_nul = _items(strings)
    distinct = len(set(items))
    if not has_nul and distinct == len(items):
        return []
    first: dict[bytes, int] = {}
    found = []
    for at, item in enumerate(items):
        cut = item.partition(b"\0")[0]
        before = first.setdefault(cut, at)
        if before != at and cut:
            found.append((before, at))
    return found


def _items(strings: StringArray) -> tuple[list[bytes], bool]:
    """The strings, and whether one of them may hold a NUL."""
    if strings.num > _FEW:
        width = strings.length_nbytes
        region = _blanked(strings, _NEVER)
        # Strings that hold a byte of the mark could not be told from it.
        if region.count(_NEVER) == strings.num * width:
            return region.split(bytes([_NEVER]) * width)[1:], 0 in region
    return [bytes(item) for item in strings.iter_raw()], True

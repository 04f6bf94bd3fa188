"""Whole vocabularies at C speed: 262,144 strings are checked without a loop of Python over them.

Strategy: the strings of an array lie back to back with a length field before each.  In a copy of
that region the length fields are overwritten, with zeros to decode it all at once, or with bytes
that UTF-8 never has to split it at them.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...wire import StringArray

__all__ = ["first_not_utf8", "repeated"]

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
    if strings.num <= _FEW:
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
    items = _items(strings)
    distinct = set(items)
    empty = items.count(b"") if b"" in distinct else 0
    if len(distinct) - bool(empty) + empty == len(items) and not _with_nul(distinct):
        return []
    first: dict[bytes, int] = {}
    found = []
    for at, item in enumerate(items):
        cut = item.partition(b"\0")[0]
        before = first.setdefault(cut, at)
        if before != at and cut:
            found.append((before, at))
    return found


def _with_nul(items: set[bytes]) -> bool:
    return b"\0" in b"".join(items)


def _items(strings: StringArray) -> list[bytes]:
    if strings.num > _FEW:
        mark = bytes([_NEVER]) * strings.length_nbytes
        items = _blanked(strings, _NEVER).split(mark)
        # Strings that are not UTF-8 may hold or touch the mark: then their number is another,
        # or one of them starts or ends with a byte of it.
        if len(items) == strings.num + 1 and _NEVER not in b"".join(items):
            return items[1:]
    return [bytes(item) for item in strings.iter_raw()]

"""Passes over strings that stand back to back: most of what a file with a vocabulary takes.

Strategy: each length has to be read to find the next one.  A regular expression steps over many
short strings at once, a quarter faster than a loop does; strings that are longer than those are
stepped over one by one.  To turn the byte order of the lengths, a loop is needed.  Nearly every
length fits a byte: then two bytes change places.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from itertools import repeat
from struct import Struct
from typing import Any

_RUN = 64  # strings in a step
_SHORT = 64  # bytes; each length is an alternative that may have to be tried
_USUAL = 7  # bytes of a token, so that the usual lengths are tried first
# Where a run ends in a longer string, no other way to read the strings before it is tried.  Before
# 3.11 there is no such thing, before 3.11.5 it is not sound (CPython issue 106052).
_ONE_WAY = b"+" if sys.version_info >= (3, 11, 5) else b""
_WORTH = 4096  # strings; compiling the expression takes 0.7 ms


def skip_strings(length: Struct, buffer: Any, pos: int, end: int, num: int) -> int:
    """The offset behind `num` strings from `pos` on, whose lengths are packed as `length`.

    It lies behind `end` when the last one does not fit.

    Raises:
        struct.error, OverflowError: a string reaches past the end of the buffer.
    """
    if num >= _WORTH:
        match = _run_of_strings(length.format).match
        while num >= _RUN:
            found = match(buffer, pos, end)
            pos = found.end() if found else _step(length, buffer, pos, _RUN)
            num -= _RUN
    return _step(length, buffer, pos, num)


def _step(length: Struct, buffer: Any, pos: int, num: int) -> int:
    read, width = length.unpack_from, length.size
    for _ in repeat(None, num):
        pos += read(buffer, pos)[0] + width
    return pos


@cache
def _run_of_strings(length_format: str) -> re.Pattern[bytes]:
    pack = Struct(length_format).pack
    lengths = sorted(range(_SHORT), key=lambda nbytes: abs(nbytes - _USUAL))
    strings = b"|".join(re.escape(pack(nbytes)) + b".{%d}" % nbytes for nbytes in lengths)
    return re.compile(b"(?s:%s){%d}%s" % (strings, _RUN, _ONE_WAY))


def turn_strings(length: Struct, out: bytearray, num: int) -> int:
    """Reverse the byte order of the lengths, in place; the offset behind the last string.

    Args:
        length: how the lengths are packed before.
        out: the strings, from the start on.
        num: how many they are.

    Raises:
        struct.error: a string reaches past the end.
    """
    read, width, pos = length.unpack_from, length.size, 0
    # Of a length as it is: where its low byte stands, and its high one, where the low one goes.
    low, high = (0, width - 1) if length.format.startswith("<") else (width - 1, 0)
    for _ in repeat(None, num):
        nbytes = read(out, pos)[0]
        try:
            out[pos + high] = nbytes
            out[pos + low] = 0
        except ValueError:  # it takes more than a byte
            out[pos : pos + width] = out[pos : pos + width][::-1]
        pos += nbytes + width
    return pos

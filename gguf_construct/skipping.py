"""Where strings end that stand back to back: most of what opening a file with a vocabulary takes.

Strategy: each length has to be read to find the next one.  A regular expression steps over many
short strings at once, a quarter faster than a loop does; strings that are longer than those are
stepped over one by one.
"""

from __future__ import annotations

import re
import sys
from functools import cache
from itertools import repeat
from struct import Struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .wire import Buffer

__all__ = ["skip_strings"]

_RUN = 64  # strings in a step
_SHORT = 64  # bytes; each length is an alternative that may have to be tried
_USUAL = 7  # bytes of a token, so that the usual lengths are tried first
# Where a run ends in a longer string, no other way to read the strings before it is tried.  Before
# 3.11 there is no such thing, before 3.11.5 it is not sound (CPython issue 106052).
_ONE_WAY = b"+" if sys.version_info >= (3, 11, 5) else b""
_WORTH = 4096  # strings; compiling the expression takes 0.7 ms


def skip_strings(length: Struct, buffer: Buffer, pos: int, end: int, num: int) -> int:
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


def _step(length: Struct, buffer: Buffer, pos: int, num: int) -> int:
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

"""Tell how far the insertion of room came: all of it, or only the later part of the file.

A file system shifts a file extent by extent, from its end towards the insertion.  A kill cannot
come between, but a power cut or a full disk can: then the hole lies further up than asked for,
what follows it has moved, and what precedes it has not.  Taking out the hole where it *is* gives
the old file back either way.

Strategy: which parts of the file had disk space is noted in the journal; comparing that map with
the present one tells where the hole is.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..system import syscalls
from ..system.syscalls import Unsupported

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ...planning.patches import Room
    from .journal import Patch

Ranges = tuple[tuple[int, int], ...]

_MOST_RANGES = 4096


def space_map(fd: int, begin: int) -> Ranges:
    """The parts of the file from `begin` on that have disk space: merged, in order.

    Raises:
        Unsupported: the file system does not tell, or the file has holes beyond count.
    """
    size = os.fstat(fd).st_size
    merged: list[tuple[int, int]] = []
    for first, last in syscalls.extents(fd, begin, size):
        clipped = max(first, begin), min(last, size)
        if clipped[0] >= clipped[1]:
            continue
        if merged and merged[-1][1] == clipped[0]:
            merged[-1] = (merged[-1][0], clipped[1])
        else:
            merged.append(clipped)
    if len(merged) > _MOST_RANGES:
        raise Unsupported("a file of very many holes")
    return tuple(merged)


def find_room(fd: int, insertion: Room, space: Ranges, patches: Sequence[Patch]) -> int | None:
    """Where the inserted room lies in a file that has its new length; None when it is not there.

    Args:
        fd: the file.
        insertion: where the room was to be made.
        space: the parts of the old file from there on that had disk space.
        patches: what the edit writes.

    Raises:
        Unsupported: the file system does not tell.
    """
    begin, nbytes = insertion
    now = space_map(fd, begin)
    for at in (end for _, end in now):
        if at > begin and now == _torn(space, at, nbytes):
            return at
    # From the end of what the edit writes on, up to a block: there the map may have grown.
    block = os.fstatvfs(fd).f_frsize
    written = max((patch.offset + patch.nbytes for patch in patches), default=0)
    start = max(begin + nbytes, -(-written // block) * block)
    shifted = tuple((first + nbytes, last + nbytes) for first, last in space)
    return begin if _from(now, start) == _from(shifted, start) else None


def _torn(space: Ranges, at: int, nbytes: int) -> Ranges:
    """The map when only what lies from `at` on has moved."""
    before = [(first, min(last, at)) for first, last in space if first < at]
    after = [(max(first, at) + nbytes, last + nbytes) for first, last in space if last > at]
    return tuple(before + after)


def _from(ranges: Ranges, start: int) -> Ranges:
    return tuple((max(first, start), last) for first, last in ranges if last > start)

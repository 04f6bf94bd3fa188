"""The journal of an in-place edit: what is needed to take it back, and to see how far it came.

Strategy: before a file is touched, the bytes that the edit destroys are saved, with a checksum of
every sector that the edit will write, so that a later look tells exactly where the file stands.
`sidecar` keeps a journal on the disk, `standing` does that later look.
"""

from __future__ import annotations

import os
import zlib
from typing import TYPE_CHECKING, NamedTuple

from ...errors import WriteError
from ..system import syscalls
from .inserted_room import space_map

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["SECTOR", "Insertion", "Journal", "Patch", "Saved", "prepare", "read_range", "sectors"]

SECTOR = 512  # the smallest unit that disks write whole


class Insertion(NamedTuple):
    """`nbytes` bytes of room made at `offset`; what follows moves up."""

    offset: int
    nbytes: int


class Saved(NamedTuple):
    """Old bytes, and where in the old file they stood."""

    offset: int
    data: bytes


class Patch(NamedTuple):
    """A range of the new file that the edit writes, and the CRC-32 of each of its sectors."""

    offset: int
    nbytes: int
    checksums: tuple[int, ...]


class Journal(NamedTuple):
    """One in-place edit.

    Attributes:
        inode: of the file, 0 where unknown.
        old_size: the file's length before the edit.
        insertion: room made first, or None.
        saved: the bytes that the edit destroys, in order.
        patches: what it writes, in order.
        space: with an insertion, the parts of the old file from there on that had disk space.
    """

    inode: int
    old_size: int
    insertion: Insertion | None
    saved: tuple[Saved, ...]
    patches: tuple[Patch, ...]
    space: tuple[tuple[int, int], ...] = ()

    @property
    def new_size(self) -> int:
        """The file's length after the edit."""
        return self.old_size + (self.insertion.nbytes if self.insertion else 0)

    def bytes_before(self, patch: Patch) -> bytes:
        """What stands in a patch's range when the room is made but nothing is written yet."""
        before = bytearray(patch.nbytes)
        for saved in self.saved:
            at = self._shifted(saved.offset) - patch.offset
            first = max(0, -at)
            part = saved.data[first : max(first, patch.nbytes - at)]
            if part:
                before[at + first : at + first + len(part)] = part
        return bytes(before)

    def _shifted(self, offset: int) -> int:
        if self.insertion is None or offset < self.insertion.offset:
            return offset
        return offset + self.insertion.nbytes


def prepare(
    fd: int, patches: Sequence[tuple[int, bytes]], insertion: Insertion | None
) -> tuple[Journal, list[tuple[int, bytes]]]:
    """Work out an edit's journal, and the writes that are left when equal bytes are dropped.

    Args:
        fd: the file, unchanged so far.
        patches: (offset in the new file, bytes), in order, without overlap, inside the file.
        insertion: room to make first.

    Raises:
        Unsupported: there is an insertion, and the file system does not tell what it would need.
    """
    status = os.fstat(fd)
    if insertion is None:
        writes = [part for offset, data in patches for part in _changed(fd, offset, data)]
        spans = [(offset, offset + len(data)) for offset, data in writes]
    else:
        writes = [(offset, bytes(data)) for offset, data in patches if data]
        spans = [(0, insertion.offset), *_destroyed_after(writes, insertion)]
    saved = tuple(Saved(begin, read_range(fd, begin, end)) for begin, end in spans if begin < end)
    planned = tuple(
        Patch(offset, len(data), tuple(zlib.crc32(part) for _, part in sectors(offset, data)))
        for offset, data in writes
    )
    space = space_map(fd, insertion.offset) if insertion else ()
    return Journal(status.st_ino, status.st_size, insertion, saved, planned, space), writes


def _destroyed_after(
    writes: list[tuple[int, bytes]], insertion: Insertion
) -> Iterator[tuple[int, int]]:
    """The ranges of the old file, from the insertion on, that the writes fall on."""
    for offset, data in writes:
        begin, end = offset - insertion.nbytes, offset + len(data) - insertion.nbytes
        yield max(begin, insertion.offset), end


def _changed(fd: int, offset: int, data: bytes) -> Iterator[tuple[int, bytes]]:
    """The parts of a patch, cut at page bounds, whose bytes are not there already."""
    begin = None
    for at, part in sectors(offset, data, 8 * SECTOR):
        if read_range(fd, at, at + len(part)) != part:
            begin = at if begin is None else begin
        elif begin is not None:
            yield begin, bytes(data[begin - offset : at - offset])
            begin = None
    if begin is not None:
        yield begin, bytes(data[begin - offset :])


def sectors(offset: int, data: bytes, size: int = SECTOR) -> Iterator[tuple[int, bytes]]:
    """Cut bytes that start at `offset` where the disk's sectors end: (offset, part)."""
    at = 0
    while at < len(data):
        end = min(len(data), at + size - (offset + at) % size)
        yield offset + at, data[at:end]
        at = end


def read_range(fd: int, begin: int, end: int) -> bytes:
    """The bytes of a range that is all inside the file.

    Raises:
        WriteError: the file ends before.
    """
    parts = []
    while begin < end:
        part = syscalls.pread(fd, end - begin, begin)
        if not part:
            raise WriteError("the file ended while it was read", offset=begin)
        parts.append(part)
        begin += len(part)
    return b"".join(parts)

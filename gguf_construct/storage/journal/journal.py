"""The journal of an edit in place: what takes the edit back, and what shows how far it came.

Strategy: before a file is touched, the bytes that the edit destroys are saved, with a checksum of
every sector that the edit will write, so that a later look tells exactly where the file stands.
`journal_file` keeps a journal on the disk, `state` does that later look.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...planning.patches import Room

__all__ = ["SECTOR", "Journal", "Patch", "Saved", "sectors"]

SECTOR = 512  # the smallest unit that disks write whole


class Saved(NamedTuple):
    """Old bytes, and where they were in the old file."""

    offset: int
    data: bytes


class Patch(NamedTuple):
    """A range of the new file that the edit writes, and the CRC-32 of each of its sectors."""

    offset: int
    nbytes: int
    checksums: tuple[int, ...]


class Journal(NamedTuple):
    """One edit in place.

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
    insertion: Room | None
    saved: tuple[Saved, ...]
    patches: tuple[Patch, ...]
    space: tuple[tuple[int, int], ...] = ()

    @property
    def new_size(self) -> int:
        """The file's length after the edit."""
        return self.old_size + (self.insertion.nbytes if self.insertion else 0)

    def bytes_before(self, patch: Patch) -> bytes:
        """What a patch's range holds when the room is made but nothing is written yet."""
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


def sectors(offset: int, data: bytes, size: int = SECTOR) -> Iterator[tuple[int, bytes]]:
    """Cut bytes that start at `offset` where the disk's sectors end: (offset, part)."""
    at = 0
    while at < len(data):
        end = min(len(data), at + size - (offset + at) % size)
        yield offset + at, data[at:end]
        at = end

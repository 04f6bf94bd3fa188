"""The journal of an edit in place: what takes the edit back, and what shows how far it came.

Strategy: before a file is touched, the journal keeps the bytes that the edit destroys, those that
it writes, and a checksum of the rest of the header.  So a later look proves the old state or the
new one, or that the file is a mix of exactly these two; of anything else it keeps its hands off.
`journal_file` keeps a journal on the disk, `state` does that later look.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ...planning.patches import Room

SECTOR = 512  # the smallest unit that disks write whole


class Saved(NamedTuple):
    """Old bytes, and where they were in the old file."""

    offset: int
    data: bytes


class Patch(NamedTuple):
    """Bytes that the edit writes, and where in the new file."""

    offset: int
    data: bytes

    @property
    def nbytes(self) -> int:
        """Their number."""
        return len(self.data)


class Rest(NamedTuple):
    """The bytes of the old file up to `end` that the edit keeps, and their CRC-32."""

    end: int
    checksum: int


class Journal(NamedTuple):
    """One edit in place.

    Attributes:
        inode: of the file, 0 where unknown.
        name: of the file, without its folder.
        old_size: the file's length before the edit.
        insertion: room made first, or None.
        saved: the bytes that the edit destroys, in order.
        patches: what it writes, in order.
        rest: what of the header it keeps.
        space: with an insertion, the parts of the old file from there on that had disk space.
        checksums: of the sectors of each patch, in a journal of the first format: it does not
            hold their bytes, nor the name, nor the rest.
    """

    inode: int
    name: str
    old_size: int
    insertion: Room | None
    saved: tuple[Saved, ...]
    patches: tuple[Patch, ...]
    rest: Rest
    space: tuple[tuple[int, int], ...] = ()
    checksums: tuple[tuple[int, ...], ...] = ()

    @property
    def new_size(self) -> int:
        """The file's length after the edit."""
        return self.old_size + (self.insertion.nbytes if self.insertion else 0)

    def bytes_before(self, patch: Patch) -> bytes:
        """What a patch's range holds when the room is made but nothing is written yet."""
        moved = [Saved(self.shifted(one.offset), one.data) for one in self.saved]
        return _overlaid(patch.offset, bytes(patch.nbytes), moved)

    def bytes_after(self, saved: Saved) -> bytes:
        """What a saved range holds when everything is written and the room is taken out again."""
        room = self.insertion
        if room is None or saved.offset < room.offset:
            return _overlaid(saved.offset, saved.data, self.patches)
        return _overlaid(saved.offset + room.nbytes, saved.data, self.patches)

    def shifted(self, offset: int) -> int:
        """Where a byte of the old file is in the new one."""
        if self.insertion is None or offset < self.insertion.offset:
            return offset
        return offset + self.insertion.nbytes


def _overlaid(start: int, data: bytes, parts: Iterable[Saved | Patch]) -> bytes:
    """Bytes at `start` with those of the parts that fall on them."""
    result = bytearray(data)
    for part in parts:
        at = part.offset - start
        first = max(0, -at)
        piece = part.data[first : max(first, len(data) - at)]
        if piece:
            result[at + first : at + first + len(piece)] = piece
    return bytes(result)


def gaps(saved: Iterable[Saved], end: int) -> Iterator[tuple[int, int]]:
    """The ranges of the old file up to `end` that are not saved, because the edit keeps them."""
    at = 0
    for one in saved:
        if at < min(one.offset, end):
            yield at, min(one.offset, end)
        at = max(at, one.offset + len(one.data))
    if at < end:
        yield at, end


def sectors(offset: int, data: bytes, size: int = SECTOR) -> Iterator[tuple[int, bytes]]:
    """Cut bytes that start at `offset` where the disk's sectors end: (offset, part)."""
    at = 0
    while at < len(data):
        end = min(len(data), at + size - (offset + at) % size)
        yield offset + at, data[at:end]
        at = end

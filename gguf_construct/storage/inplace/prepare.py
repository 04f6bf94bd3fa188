"""Work out the journal of an edit in place, and the writes that the edit needs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ..journal.inserted_room import space_map
from ..journal.journal import SECTOR, Journal, Patch, Rest, Saved, gaps, sectors
from ..journal.state import checksum_of
from ..system.exactly import read_range

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ...planning.patches import Room

Writes = list[tuple[int, bytes]]


def prepare(
    fd: int,
    name: str,
    patches: Sequence[tuple[int, bytes]],
    insertion: Room | None,
    header_nbytes: int = 0,
) -> tuple[Journal, Writes]:
    """The journal of an edit, and the writes that remain when equal bytes are dropped.

    Args:
        fd: the file, unchanged so far.
        name: its name, without its folder.
        patches: (offset in the new file, bytes), in order, without overlap, inside the file.
        insertion: room to make first.
        header_nbytes: the part of the file that edits in place may touch, from its start on.

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
    end = min(header_nbytes, status.st_size)
    rest = Rest(end, checksum_of(fd, gaps(saved, end)))
    space = space_map(fd, insertion.offset) if insertion else ()
    planned = tuple(Patch(offset, data) for offset, data in writes)
    journal = Journal(status.st_ino, name, status.st_size, insertion, saved, planned, rest, space)
    return journal, writes


def _destroyed_after(writes: Writes, insertion: Room) -> Iterator[tuple[int, int]]:
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

"""Journals of the first format, which held checksums of what an edit writes, not the bytes.

They are read, no longer written: an edit that an earlier version began can be taken back.
"""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING

from ..system.exactly import read_range
from .journal import SECTOR, sectors

if TYPE_CHECKING:
    from .journal import Journal

FIRST_MAGIC = b"gguf-construct journal 1\n"


def read_checksums(
    body: bytes, at: int, patches: list[tuple[int, int]]
) -> tuple[tuple[tuple[int, ...], ...], int]:
    """The CRC-32 of each sector of each patch (offset, length), and where they end."""
    found = []
    for offset, nbytes in patches:
        count = (offset + nbytes - 1) // SECTOR - offset // SECTOR + 1
        found.append(struct.unpack_from(f"<{count}I", body, at))
        at += 4 * count
    return tuple(found), at


def first_state(fd: int, journal: Journal, *, has_room: bool, is_same_file: bool) -> str:
    """See `journal.state`; what is neither old nor new may be one torn sector."""
    if journal.insertion and not has_room:
        is_old = all(read_range(fd, at, at + len(data)) == data for at, data in journal.saved)
        return "old" if is_old else "mixed" if is_same_file else "foreign"
    is_old = is_new = True
    torn = 0
    for patch, checksums in zip(journal.patches, journal.checksums, strict=True):
        now = read_range(fd, patch.offset, patch.offset + patch.nbytes)
        before = journal.bytes_before(patch)
        for (at, part), checksum in zip(sectors(patch.offset, now), checksums, strict=True):
            begin = at - patch.offset
            was = part == before[begin : begin + len(part)]
            will = zlib.crc32(part) == checksum
            is_old, is_new = is_old and was, is_new and will
            torn += not (was or will)
    if torn > 1:
        return "foreign"
    if is_new:
        return "new"
    if is_old and not journal.insertion:
        return "old"
    return "mixed" if is_same_file or is_old else "foreign"

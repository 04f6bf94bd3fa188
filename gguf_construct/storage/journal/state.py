"""Where a file with a journal beside it stands.

incomplete   the sidecar itself is damaged: the edit had not begun
old          nothing was written yet
mixed        some was: the old bytes have to be put back
torn         the room was made in a part of the file only: it has to be taken out first
new          all was, only the sidecar is left over
foreign      the file is another one than the sidecar tells of: hands off
"""

from __future__ import annotations

import os
import zlib
from typing import TYPE_CHECKING, NamedTuple

from ..system.exactly import read_range
from ..system.syscalls import Unsupported
from .inserted_room import find_room
from .journal import sectors
from .journal_file import read_journal

if TYPE_CHECKING:
    from ...planning.patches import Room
    from .journal import Journal, Patch

__all__ = ["UnfinishedJournal", "inspect"]


class UnfinishedJournal(NamedTuple):
    """A journal found beside a file.

    Attributes:
        path: the sidecar.
        state: one of the words at the head of this module.
        journal: its content; None when it is incomplete.
    """

    path: str
    state: str
    journal: Journal | None


def inspect(fd: int, sidecar: str) -> UnfinishedJournal | None:
    """Where an edited file stands; None when the sidecar has gone meanwhile.

    Raises:
        OSError: the sidecar cannot be read.
    """
    try:
        journal = read_journal(sidecar)
    except FileNotFoundError:
        return None
    state = "incomplete" if journal is None else _state(fd, journal)
    return UnfinishedJournal(sidecar, state, journal)


def _state(fd: int, journal: Journal) -> str:
    status = os.fstat(fd)
    if journal.insertion and status.st_size == journal.old_size:
        return _state_without_room(fd, journal, status.st_ino)
    if status.st_size != journal.new_size:
        return "foreign"
    room = journal.insertion
    if room and (at := _room(fd, journal, room)) != room.offset:
        return "foreign" if at is None else "torn"
    old = new = True
    for patch in journal.patches:
        patch_old, patch_new, strange = _compare(fd, journal, patch)
        if strange > 1:
            # One sector may be torn where a write was cut short; more are someone else's bytes.
            return "foreign"
        old, new = old and patch_old, new and patch_new
    if new:
        return "new"
    if old and not journal.insertion:
        return "old"
    return "mixed" if journal.inode == status.st_ino or old else "foreign"


def _room(fd: int, journal: Journal, insertion: Room) -> int | None:
    try:
        return find_room(fd, insertion, journal.space, journal.patches)
    except Unsupported:
        # Moved to a file system without insertions: a copy is what was read, all of it moved.
        return insertion.offset


def _state_without_room(fd: int, journal: Journal, inode: int) -> str:
    """The room was not made yet, or was taken out again by a recovery that was cut short."""
    if all(read_range(fd, at, at + len(data)) == data for at, data in journal.saved):
        return "old"
    return "mixed" if journal.inode == inode else "foreign"


def _compare(fd: int, journal: Journal, patch: Patch) -> tuple[bool, bool, int]:
    """(all sectors as before, all as after, number of sectors that are neither)."""
    before = journal.bytes_before(patch)
    now = read_range(fd, patch.offset, patch.offset + patch.nbytes)
    old = new = True
    strange = 0
    for (at, part), checksum in zip(sectors(patch.offset, now), patch.checksums, strict=True):
        begin = at - patch.offset
        is_old = part == before[begin : begin + len(part)]
        is_new = zlib.crc32(part) == checksum
        old, new = old and is_old, new and is_new
        strange += not (is_old or is_new)
    return old, new, strange

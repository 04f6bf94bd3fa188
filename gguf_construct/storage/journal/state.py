"""How far the edit of a file with a journal beside it came.

damaged      the journal is not what was written: nothing is known of the file
old          nothing was written yet
mixed        some was: the old bytes have to be put back
torn         the room was made in a part of the file only: it has to be taken out first
new          all was, only the journal is left over
foreign      the file is not the one of the journal, in no state of its edit: hands off
"""

from __future__ import annotations

import os
import zlib
from typing import TYPE_CHECKING, NamedTuple

from ...errors import WriteError
from ..system.exactly import read_range
from ..system.syscalls import Unsupported
from .first_format import first_state
from .inserted_room import find_room
from .journal import gaps, sectors
from .journal_file import read_journal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...planning.patches import Room
    from .journal import Journal

UNPROVEN = ("damaged", "foreign")
"""States in which nobody can say whether the file is whole."""

_MOST_TORN = 2  # sectors: where the edit was cut short, and where an attempt to undo it was
_PIECE = 1 << 20


class UnfinishedJournal(NamedTuple):
    """A journal found beside a file.

    Attributes:
        path: the journal's file.
        state: one of the words at the head of this module.
        journal: its content; None when it is damaged.
    """

    path: str
    state: str
    journal: Journal | None


def inspect(fd: int, path: str, name: str) -> UnfinishedJournal | None:
    """How far an edit came; None when the journal has gone meanwhile.

    Args:
        fd: the edited file.
        path: the journal's file.
        name: the edited file's name, without its folder.

    Raises:
        OSError: the journal cannot be read.
    """
    try:
        journal = read_journal(path)
    except FileNotFoundError:
        return None
    state = "damaged" if journal is None else _state(fd, journal, name)
    return UnfinishedJournal(path, state, journal)


def unproven(target: str, found: UnfinishedJournal, *, can_force: bool = False) -> WriteError:
    """The error for a file of which nobody can say whether its edit was done."""
    if found.journal is None:
        what = f"its journal, {found.path}, is damaged"
        advice = "else take the file from where you have it"
    else:
        what = (
            f"it is in no state of the edit that {found.path} is about (it was replaced or "
            "changed since, or the journal is another file's)"
        )
        advice = (
            "to put the old bytes back nevertheless, use recover --force (in Python: force=True)"
            if can_force
            else "its length is another one, so the old bytes no longer fit in"
        )
    return WriteError(
        f"{target}: an edit in place was cut short, and {what}: nothing was changed",
        hint=f"if validate and its hashes say that the file is fine, remove {found.path}; {advice}",
    )


def checksum_of(fd: int, ranges: Iterator[tuple[int, int]]) -> int:
    """CRC-32 of ranges of a file, one after the other."""
    checksum = 0
    for begin, end in ranges:
        for at in range(begin, end, _PIECE):
            checksum = zlib.crc32(read_range(fd, at, min(at + _PIECE, end)), checksum)
    return checksum


def _state(fd: int, journal: Journal, name: str) -> str:
    status = os.fstat(fd)
    is_same_file = status.st_ino == journal.inode
    # A copy keeps the name, a renamed file the inode.
    if name != journal.name and not is_same_file and not journal.checksums:
        return "foreign"
    room = journal.insertion
    if status.st_size not in (journal.old_size, journal.new_size):
        return "foreign"
    has_room = room is not None and status.st_size == journal.new_size
    if room and has_room and (at := _room(fd, journal, room)) != room.offset:
        return "foreign" if at is None else "torn"
    if journal.checksums:
        return first_state(fd, journal, has_room=has_room, is_same_file=is_same_file)
    if not _is_rest_kept(fd, journal, has_room=has_room):
        return "foreign"
    if room and not has_room:  # not made yet, or taken out again by a recovery that was cut short
        spans = [(one.offset, one.data, journal.bytes_after(one)) for one in journal.saved]
    else:
        spans = [(one.offset, journal.bytes_before(one), one.data) for one in journal.patches]
    is_old, is_new, torn = _compare(fd, spans)
    if torn > _MOST_TORN:
        return "foreign"
    if is_new and has_room == (room is not None):
        return "new"
    return "old" if is_old and not has_room else "mixed"


def _room(fd: int, journal: Journal, insertion: Room) -> int | None:
    try:
        return find_room(fd, insertion, journal.space, journal.patches)
    except Unsupported:
        # Moved to a file system without insertions: a copy is what was read, all of it moved.
        return insertion.offset


def _is_rest_kept(fd: int, journal: Journal, *, has_room: bool) -> bool:
    """Whether the part of the header that the edit leaves alone is as it was."""
    room = journal.insertion if has_room else None
    ranges: list[tuple[int, int]] = []
    for begin, end in gaps(journal.saved, journal.rest.end):
        if room is None or end <= room.offset:
            ranges.append((begin, end))
            continue
        if begin < room.offset:
            ranges.append((begin, room.offset))
        ranges.append((max(begin, room.offset) + room.nbytes, end + room.nbytes))
    return checksum_of(fd, iter(ranges)) == journal.rest.checksum


def _compare(fd: int, spans: list[tuple[int, bytes, bytes]]) -> tuple[bool, bool, int]:
    """(all is as before, all is as after, sectors that are a mix of both or of neither).

    A sector that is neither counts as many, and so as too many.
    """
    is_old = is_new = True
    torn = 0
    for offset, old, new in spans:
        now = read_range(fd, offset, offset + len(new))
        if now == new:
            is_old = is_old and now == old
            continue
        is_new = False
        if now == old:
            continue
        is_old = False
        for at, part in sectors(offset, now):
            begin, end = at - offset, at - offset + len(part)
            before, after = old[begin:end], new[begin:end]
            if part not in (before, after):
                torn += 1 if _is_cut(part, after, before) else _MOST_TORN + 1
    return is_old, is_new, torn


def _is_cut(part: bytes, one: bytes, other: bytes) -> bool:
    """Whether `part` begins as one of two texts and goes on as the other."""
    size = len(part)

    def first_difference(text: bytes) -> int:
        return next((at for at in range(size) if part[at] != text[at]), size)

    def last_difference(text: bytes) -> int:
        return next((at + 1 for at in range(size - 1, -1, -1) if part[at] != text[at]), 0)

    return first_difference(one) >= last_difference(other) or (
        first_difference(other) >= last_difference(one)
    )

"""Finish what a cut-short in-place edit left: put the old bytes back, or confirm the new ones.

Strategy: every step can itself be cut short and done again.  The file's length tells whether
inserted room is still there; writing saved bytes twice is harmless; the journal goes last.
"""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING, NamedTuple

from ...core.chunks import Copy, WritePlan
from ...errors import WriteError
from ..journal.inserted_room import find_room
from ..journal.journal_file import remove_journal
from ..journal.state import UnfinishedJournal, inspect, unproven
from ..source.source import open_source
from ..system import syscalls
from ..system.exactly import write_at
from ..system.locking import writer_lock
from ..system.private_names import journal_path
from ..system.signals import terminate_cleanly
from ..system.syscalls import Unsupported
from ..write.new_file import Job, execute, reason
from ..write.temporary import remove_leftovers

if TYPE_CHECKING:
    from ..journal.journal import Journal


class RecoverResult(NamedTuple):
    """What recovery found and did.

    Attributes:
        path: the file as named by the caller.
        action: ``nothing`` (no journal), ``discarded`` (the edit had not begun), ``rolled back``
            (the file is as before the edit), ``completed`` (the edit had been finished).
        nbytes_written: bytes put back.
    """

    path: str
    action: str
    nbytes_written: int = 0


def find_journal(path: str | os.PathLike[str]) -> UnfinishedJournal | None:
    """The unfinished journal of a file, if any; nothing is changed.

    Raises:
        OSError: the file or the sidecar cannot be read.
    """
    target = os.path.realpath(path)
    if not os.path.lexists(journal_path(target)):
        return None
    fd = os.open(target, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        return inspect(fd, journal_path(target), os.path.basename(target))
    finally:
        os.close(fd)


def recover(path: str | os.PathLike[str], *, force: bool = False) -> RecoverResult:
    """Bring a file whose in-place edit was cut short back into one piece.  Cheap when it is.

    Args:
        path: the file; a symlink is followed.
        force: roll back even if the file is in no state of the journal's edit.

    Raises:
        LockedError: another process is writing it.
        WriteError: the journal is damaged or of another file (see `force`), or putting back
            failed; the journal is kept.
    """
    target = os.path.realpath(path)
    if not os.path.lexists(journal_path(target)):
        return RecoverResult(os.fspath(path), "nothing")
    try:
        with terminate_cleanly(), writer_lock(target):
            action, nbytes = _recover(target, force)
    except OSError as error:
        raise WriteError(f"{os.fspath(path)} cannot be recovered: {reason(error)}") from error
    return RecoverResult(os.fspath(path), action, nbytes)


def _recover(target: str, force: bool) -> tuple[str, int]:
    fd = syscalls.open_existing(target)
    try:
        found = inspect(fd, journal_path(target), os.path.basename(target))
        if found is None:
            return "nothing", 0
        if found.journal is None:
            raise unproven(target, found)
        if found.state == "old":
            remove_journal(target)
            return "discarded", 0
        if found.state == "new":
            syscalls.fsync(fd)
            remove_journal(target)
            return "completed", 0
        if found.state == "foreign" and not (force and _fits(fd, found.journal)):
            raise unproven(target, found, can_force=_fits(fd, found.journal))
        return "rolled back", _roll_back_anyhow(fd, target, found.journal)
    finally:
        syscalls.close(fd)


def _fits(fd: int, journal: Journal) -> bool:
    return os.fstat(fd).st_size in (journal.old_size, journal.new_size)


def _roll_back_anyhow(fd: int, target: str, journal: Journal) -> int:
    try:
        return roll_back(fd, target, journal)
    except Unsupported:
        return _roll_back_by_copy(target)


def roll_back(fd: int, target: str, journal: Journal) -> int:
    """Put the old bytes back, take inserted room out, and remove the journal.

    Returns:
        Bytes written.

    Raises:
        Unsupported: inserted room cannot be taken out here; nothing was changed.
        OSError: a step failed; the journal is still there.
    """
    room = journal.insertion
    if room and os.fstat(fd).st_size == journal.new_size:
        at = find_room(fd, room, journal.space, journal.patches)
        if at is None:
            raise OSError(errno.EIO, "The inserted room cannot be found again")
        syscalls.collapse_range(fd, at, room.nbytes)
    for saved in journal.saved:
        write_at(fd, saved.data, saved.offset)
    syscalls.fsync(fd)
    remove_journal(target)
    return sum(len(saved.data) for saved in journal.saved)


def _roll_back_by_copy(target: str) -> int:
    """For a file that was moved to a disk that cannot take room out: write the old one anew."""
    remove_leftovers(target)
    with open_source(target) as source:
        plan = WritePlan((Copy(0, source.size),))
        nbytes, _ = execute(Job(plan, [source], target, True, True, None), target)
    remove_journal(target)
    return nbytes

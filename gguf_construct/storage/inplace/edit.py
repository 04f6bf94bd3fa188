"""Edit a file where it lies: only the given ranges are written, under a journal.

Strategy: lock, prove that the file is the one the edit was made for, save what will be destroyed,
then make room (if asked to), write, wait for the disk, and remove the journal.  An error on the
way puts the old bytes back at once; a kill leaves the journal, from which `recover` does it.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from ...errors import LockedError, SourceChangedError, WriteError
from ..journal.journal_file import encode, remove_journal, save_journal
from ..system import syscalls
from ..system.exactly import write_at
from ..system.locking import writer_lock
from ..system.private_names import journal_path
from ..system.signals import terminate_cleanly
from ..system.syscalls import Unsupported
from ..write import destination
from ..write.new_file import WriteResult, reason, refuse_unfinished
from .prepare import prepare
from .recover import roll_back

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ...planning.patches import Room
    from ..journal.journal import Journal
    from ..source.source import Source


class InsertionUnsupported(WriteError):
    """This file system cannot make room inside a file; nothing was changed.  Take another way."""


def execute_in_place(
    patches: Sequence[tuple[int, bytes]],
    path: str | os.PathLike[str],
    *,
    source: Source | None = None,
    insertion: Room | None = None,
    header_nbytes: int = 0,
    check: Callable[[str], None] | None = None,
) -> WriteResult:
    """Write `patches` into the file, all or none.

    Args:
        patches: (absolute offset in the new file, bytes), in order, without overlap, inside it.
        path: the file; a symlink is followed.
        source: what the patches were made from; refused when the file is another one by now.
        insertion: room to make first, from `insertion_support.plan_insertion`.
        header_nbytes: the part of the file that edits in place may touch, from its start on; what
            the patches leave of it proves later that the journal is that of this file.
        check: called with the path when all is written; when it raises, the old bytes are put
            back.

    Raises:
        InsertionUnsupported: no room can be made here; nothing was changed.
        SourceChangedError: the file is not what `source` was.
        LockedError: another process is writing it.
        WriteError: an earlier edit is unfinished (run recover first), or anything else; the old
            content is back unless the message says otherwise.
    """
    started = time.perf_counter()
    target = os.path.realpath(path)
    try:
        with terminate_cleanly(), writer_lock(target):
            nbytes = _edit(target, patches, source, insertion, header_nbytes, check)
            size = os.stat(target).st_size
    except OSError as error:
        raise WriteError(f"{os.fspath(path)} cannot be edited: {reason(error)}") from error
    strategy = "insert" if insertion else "in-place"
    return WriteResult(os.fspath(path), strategy, nbytes, size, time.perf_counter() - started)


def _edit(
    target: str,
    patches: Sequence[tuple[int, bytes]],
    source: Source | None,
    insertion: Room | None,
    header_nbytes: int,
    check: Callable[[str], None] | None,
) -> int:
    fd = syscalls.open_existing(target)
    try:
        refuse_unfinished(target)
        _check_identity(fd, source)
        _check_bounds(fd, patches, insertion)
        try:
            name = os.path.basename(target)
            journal, writes = prepare(fd, name, patches, insertion, header_nbytes)
        except Unsupported as error:
            raise _no_insertion(target) from error
        if not writes and insertion is None:
            return 0
        room = insertion.nbytes if insertion else 0
        saved = len(encode(journal))
        destination.check_room(target, room + saved)
        try:
            save_journal(journal, target)
        except FileExistsError as error:
            raise LockedError(f"{target} is being edited by another process") from error
        _apply(fd, target, journal, writes, check)
        remove_journal(target)
        return saved + sum(len(data) for _, data in writes)
    finally:
        syscalls.close(fd)


def _no_insertion(target: str) -> InsertionUnsupported:
    return InsertionUnsupported(f"{target}: the file system cannot make room inside a file")


def _apply(
    fd: int,
    target: str,
    journal: Journal,
    writes: list[tuple[int, bytes]],
    check: Callable[[str], None] | None,
) -> None:
    before = os.fstat(fd)
    try:
        if journal.insertion:
            syscalls.insert_range(fd, *journal.insertion)
        for offset, data in writes:
            write_at(fd, data, offset)
        syscalls.fsync(fd)
        if check:
            check(target)
    except Unsupported as error:
        remove_journal(target)
        raise _no_insertion(target) from error
    except BaseException as error:
        _undo(fd, target, journal, error)
        # The file is what it was, so that whoever has it open may go on: also by its times.
        with suppress(OSError):
            syscalls.set_times(target, before.st_atime_ns, before.st_mtime_ns)
        raise


def _undo(fd: int, target: str, journal: Journal, error: BaseException) -> None:
    try:
        roll_back(fd, target, journal)
    except (OSError, Unsupported) as second:
        raise WriteError(
            f"{target}: the edit failed ({error}), and so did taking it back ({second})",
            hint=f"Run `gguf-construct recover {target}`. The old bytes are in "
            f"{journal_path(target)}: do not remove it.",
        ) from error


def _check_identity(fd: int, source: Source | None) -> None:
    if source is None:
        return
    source.check_unchanged()
    identity, status = source.identity(), os.fstat(fd)
    if identity is None or identity[:2] != (status.st_dev, status.st_ino):
        raise SourceChangedError("the file to edit is not the one that was read")


def _check_bounds(fd: int, patches: Sequence[tuple[int, bytes]], insertion: Room | None) -> None:
    size = os.fstat(fd).st_size
    if insertion and not 0 <= insertion.offset < size:
        raise WriteError(f"no room can be inserted at {insertion.offset} of {size} bytes")
    size += insertion.nbytes if insertion else 0
    end = 0
    for offset, data in patches:
        if offset < end or offset + len(data) > size:
            raise WriteError(
                f"{len(data)} bytes overlap the patch before, or reach past the end ({size})",
                offset=offset,
            )
        end = offset + len(data)

"""Execute a write plan into a new file, which then takes its final name in one step.

Strategy: everything goes into a private file in the target's folder.  Only when it is complete,
its sources have proved unchanged, and it is on the disk, does it get the final name.  So whatever
fails before leaves the old file untouched, and an input is never truncated, not even when it is
the output too.
"""

from __future__ import annotations

import os
import time
from contextlib import nullcontext, suppress
from typing import TYPE_CHECKING, NamedTuple

from ...core.chunks import Copy, Literal, Swap, WritePlan, Zeros
from ...errors import SourceChangedError, WriteError
from ..system import syscalls
from ..system.locking import writer_lock
from ..system.private_names import is_private, journal_path
from ..system.signals import terminate_cleanly
from ..system.syscalls import Unsupported
from . import copying, destination, swapping, windows
from .temporary import remove_leftovers, temporary_file

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from ..source.source import Source
    from .temporary import TemporaryFile

_PRIVATE, _BY_UMASK = 0o600, 0o666
_HOLE_FROM = 1 << 20  # longer runs of zeros are left as holes instead of being reserved


class WriteResult(NamedTuple):
    """What a write did.

    Attributes:
        path: the file as named by the caller.
        strategy: how; one of `planning.options.STRATEGIES`.
        nbytes_written: bytes really written; holes and untouched parts are not.
        nbytes_total: size of the file now.
        seconds: how long it took.
        notes: what could not be done as usual on this platform or disk, one line each.
        reserve: bytes that the file holds in reserve for later edits; None without a padding key.
    """

    path: str
    strategy: str
    nbytes_written: int
    nbytes_total: int
    seconds: float
    notes: tuple[str, ...] = ()
    reserve: int | None = None


class Job(NamedTuple):
    """One plan to execute, with everything that it needs."""

    plan: WritePlan
    sources: Sequence[Source]
    target: str
    overwrite: bool
    durable: bool
    progress: Callable[[int, int], None] | None
    check: Callable[[str], None] | None = None


def write_plan(
    plan: WritePlan,
    sources: Sequence[Source],
    path: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    progress: Callable[[int, int], None] | None = None,
    preserve_from: str | os.PathLike[str] | None = None,
    durable: bool | None = None,
    check: Callable[[str], None] | None = None,
) -> WriteResult:
    """Write a plan to `path`; a symlink is followed and its target replaced.

    Args:
        plan: the bytes to write.
        sources: what `Copy.source` and `Swap.source` number.
        path: where to; it may be one of the sources.
        overwrite: replace an existing file (by rename; never while it is half written).
        progress: called with (bytes done, bytes in all) as it goes, in the calling thread.
        preserve_from: take mode, owner and extended attributes from this file; without it, from
            the file that is replaced, if any.
        durable: wait until file and folder are on the disk.  None waits where an old file is
            replaced, which a power cut must not lose; a new file, which replaces nothing, is left
            to the kernel like that of any copy.
        check: called with the path of the complete file before it gets its name; when it raises,
            nothing was written.

    Raises:
        DestinationExistsError: `overwrite` is off and there is a file.
        SourceChangedError: an input changed or shrank; nothing was written.
        LockedError: another process is writing the same file.
        WriteError: anything else; the OSError is chained and nothing was written.
    """
    started = time.perf_counter()
    target = os.path.realpath(path)
    _check_plan(plan, sources)
    try:
        existing = destination.existing_target(target, overwrite=overwrite)
        waits = existing is not None if durable is None else durable
        job = Job(plan, sources, target, overwrite, waits, progress, check)
        origin = os.fspath(preserve_from) if preserve_from is not None else None
        lock: AbstractContextManager[None] = writer_lock(target) if existing else nullcontext()
        with terminate_cleanly(), lock:
            refuse_unfinished(target)
            written, notes = execute(job, origin or (target if existing else None))
    except OSError as error:
        raise WriteError(f"{os.fspath(path)} cannot be written: {reason(error)}") from error
    strategy = "replace" if existing else "new-file"
    seconds = time.perf_counter() - started
    return WriteResult(os.fspath(path), strategy, written, plan.nbytes, seconds, tuple(notes))


def execute(job: Job, origin: str | None) -> tuple[int, list[str]]:
    """Fill a private file and give it the target's name: (bytes written, notes).

    `origin` is the file whose attributes are kept.  The caller holds the lock.
    """
    for source in job.sources:
        source.check_unchanged()
    remove_leftovers(job.target)
    with temporary_file(job.target, _PRIVATE if origin else _BY_UMASK) as temporary:
        written, notes = _fill(temporary, job)
        for source in job.sources:
            source.check_unchanged()
        if job.check:
            job.check(temporary.path)
        if origin:
            notes += destination.keep_attributes(temporary.path, origin)
        if job.durable:
            syscalls.fsync(temporary.fd)
        temporary.close()
        destination.let_go(job.sources, job.target)
        destination.publish(temporary.path, job.target, overwrite=job.overwrite)
    if job.durable:
        syscalls.fsync_folder(os.path.dirname(job.target))
    return written, notes


def _fill(temporary: TemporaryFile, job: Job) -> tuple[int, list[str]]:
    fd, size, need = temporary.fd, job.plan.nbytes, _data_nbytes(job)
    destination.check_room(job.target, need)
    _reserve(fd, size, need)
    if need == size and windows.applies(job.plan, fd, job.durable):
        done = _try_direct(temporary.path, job)
        syscalls.truncate(fd, size)  # whole sectors were written, whatever came of it
        if done:
            return size, []
    out = copying.Target(fd, _counter(job))
    _write_chunks(job, out)
    return out.written, [] if out.is_kernel_copy else ["copied by read and write"]


def _try_direct(path: str, job: Job) -> bool:
    advance = _counter(job)
    with suppress(Unsupported):
        windows.write_direct(job.plan, job.sources, path, advance, past_cache=job.durable)
        return True
    return False


def _counter(job: Job) -> Callable[[int], None]:
    done = 0

    def advance(nbytes: int) -> None:
        nonlocal done
        done += nbytes
        if job.progress is not None and nbytes:
            job.progress(done, job.plan.nbytes)

    return advance


def _write_chunks(job: Job, out: copying.Target) -> None:
    at = 0
    for chunk in job.plan.chunks:
        if isinstance(chunk, Literal):
            copying.write_all(out, chunk.data, at)
        elif isinstance(chunk, Copy):
            copying.copy(job.sources[chunk.source], out, chunk.start, chunk.nbytes, at)
        elif isinstance(chunk, Swap):
            swapping.swap_copy(job.sources[chunk.source], out, chunk, at)
        else:
            out.skipped(chunk.nbytes)  # a new file reads as zeros where nothing was written
        at += chunk.nbytes


def _reserve(fd: int, size: int, need: int) -> None:
    """Set the file's length; reserve its space too, unless it will have holes."""
    if size and need == size:
        try:
            syscalls.allocate(fd, 0, size)
            return
        except Unsupported:
            pass
    syscalls.truncate(fd, size)


def _data_nbytes(job: Job) -> int:
    """Bytes that need room on the disk: all but the holes of sparse sources."""
    need = 0
    for chunk in job.plan.chunks:
        if isinstance(chunk, (Copy, Swap)):
            source = job.sources[chunk.source]
            ranges = copying.data_ranges(source, chunk.start, chunk.start + chunk.nbytes)
            need += sum(end - begin for begin, end in ranges)
        elif isinstance(chunk, Literal) or chunk.nbytes < _HOLE_FROM:
            need += chunk.nbytes
    return need


def _check_plan(plan: WritePlan, sources: Sequence[Source]) -> None:
    for chunk in plan.chunks:
        if chunk.nbytes < 0:
            raise WriteError(f"a chunk of {chunk.nbytes} bytes")
        if isinstance(chunk, Swap):
            swapping.check_layout(chunk)
        if isinstance(chunk, (Literal, Zeros)):
            continue
        source = sources[chunk.source]
        if chunk.start < 0 or chunk.start + chunk.nbytes > source.size:
            raise SourceChangedError(
                f"{source.path or 'the input'} has {source.size} bytes, but bytes up to "
                f"{chunk.start + chunk.nbytes} are to be copied from it",
                offset=chunk.start,
            )


def refuse_unfinished(target: str) -> None:
    """Refuse to write a file whose last in-place edit was cut short.

    Raises:
        WriteError: there is a journal beside it.
    """
    if os.path.lexists(journal_path(target)):
        raise WriteError(
            f"{target}: an earlier edit in place was cut short",
            hint=f"Run `gguf-construct recover {target}` first.",
        )


def reason(error: OSError) -> str:
    """What the system says went wrong, and with which file, or the folder of one of ours."""
    said, name = error.strerror or str(error), error.filename
    if not isinstance(name, str):
        return said
    return f"{said} (in {os.path.dirname(name)})" if is_private(name) else f"{said} ({name})"

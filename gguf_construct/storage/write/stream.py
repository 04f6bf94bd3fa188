"""Write a file from bytes that are made on the way, with the care of `write_plan`."""

from __future__ import annotations

import os
import time
from contextlib import nullcontext
from typing import TYPE_CHECKING

from ...errors import WriteError
from ..system import syscalls
from ..system.exactly import write_at
from ..system.locking import writer_lock
from ..system.signals import terminate_cleanly
from . import destination
from .new_file import WriteResult, reason
from .temporary import remove_leftovers, temporary_file

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from contextlib import AbstractContextManager

_BY_UMASK = 0o666


def write_pieces(
    pieces: Iterable[bytes | memoryview],
    nbytes: int,
    path: str | os.PathLike[str],
    *,
    overwrite: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> WriteResult:
    """Write pieces one after the other; the file takes its name once all are on the disk.

    Args:
        pieces: the content; what they raise while they are made leaves nothing behind.
        nbytes: their length in all.
        path: where to; a symlink is followed.
        overwrite: replace an existing file.
        progress: called with (bytes done, bytes in all).

    Raises:
        DestinationExistsError: `overwrite` is off and there is a file.
        WriteError: it cannot be written; the OSError is chained.
    """
    started = time.perf_counter()
    target = os.path.realpath(path)
    try:
        existing = destination.existing_target(target, overwrite=overwrite)
        destination.check_room(target, nbytes)
        remove_leftovers(target)
        lock: AbstractContextManager[None] = writer_lock(target) if existing else nullcontext()
        with terminate_cleanly(), lock:
            with temporary_file(target, _BY_UMASK) as temporary:
                done = 0
                for piece in pieces:
                    write_at(temporary.fd, piece, done)
                    done += len(piece)
                    if progress is not None:
                        progress(done, nbytes)
                syscalls.fsync(temporary.fd)
                temporary.close()
                destination.publish(temporary.path, target, overwrite=overwrite)
            syscalls.fsync_folder(os.path.dirname(target))
    except OSError as error:
        raise WriteError(f"{os.fspath(path)} cannot be written: {reason(error)}") from error
    strategy = "replace" if existing else "new-file"
    return WriteResult(os.fspath(path), strategy, done, done, time.perf_counter() - started)

"""Temporary files: in the target's folder, private, removed whatever happens.

Each one is flock'ed by its writer, so that one left behind by a kill (nobody holds it any more)
is recognised and removed by the next writer of the same target.
"""

from __future__ import annotations

import os
import time
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from ..system import syscalls
from ..system.private_names import temporary_prefix

if TYPE_CHECKING:
    from collections.abc import Iterator

_LEFTOVER_AGE = 5.0  # seconds: a writer that has just made its file may not have locked it yet


class TemporaryFile:
    """A file being filled.

    Attributes:
        path: its name, beside the target.
        fd: its descriptor, or -1 once `close` was called.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.fd = -1

    def close(self) -> None:
        """Close the descriptor; closing twice is fine."""
        fd, self.fd = self.fd, -1
        if fd >= 0:
            syscalls.close(fd)


@contextmanager
def temporary_file(target: str, mode: int) -> Iterator[TemporaryFile]:
    """Make an empty file beside `target`; on leaving, it is closed, and removed if still there."""
    temporary = TemporaryFile(f"{temporary_prefix(target)}{os.urandom(8).hex()}")
    try:
        temporary.fd = syscalls.create(temporary.path, mode)
        _claim(temporary.fd)
        yield temporary
    finally:
        try:
            temporary.close()
        finally:
            if os.path.lexists(temporary.path):  # it has no such name any more once renamed
                syscalls.unlink(temporary.path)


def remove_leftovers(target: str) -> None:
    """Remove temporary files of `target` whose writers are dead."""
    folder, start = os.path.split(temporary_prefix(target))
    names: list[str] = []
    with suppress(OSError), os.scandir(folder) as entries:
        names += [entry.path for entry in entries if entry.name.startswith(start)]
    for path in names:
        with suppress(OSError):
            if time.time() - os.stat(path).st_mtime > _LEFTOVER_AGE and _is_orphan(path):
                os.unlink(path)


def _claim(fd: int) -> None:
    with suppress(ImportError, OSError):
        import fcntl

        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_orphan(path: str) -> bool:
    try:
        import fcntl
    except ImportError:
        return True  # Windows: an open file cannot be removed anyway
    fd = os.open(path, os.O_RDWR)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(fd)
    return True

"""The advisory lock that keeps two writers of one file apart.

Strategy: filelock on a hidden file beside the target, held only while the target is changed,
never waiting.  The lock file is removed while the lock is still held; a writer that had opened
it before that finds the name gone and starts over.  It is a courtesy on top of what makes
writing safe without it: the identity check, the atomic rename, and the journal's own exclusive
creation.
"""

from __future__ import annotations

import errno
import os
import signal
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from ...errors import LockedError
from . import syscalls
from .private_names import lock_path

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_ATTEMPTS = 8
_NO_LOCKS = frozenset(
    getattr(errno, name) for name in ("ENOSYS", "ENOLCK", "EOPNOTSUPP") if hasattr(errno, name)
)


@contextmanager
def writer_lock(target: str) -> Iterator[None]:
    """Hold the lock of `target` (a resolved path).

    Raises:
        LockedError: another process, or another thread of this one, is writing it.
        OSError: the lock file cannot be made (a read-only folder).
    """
    import filelock

    path = lock_path(target)
    busy = LockedError(
        f"{target} is being written by another process",
        hint="Wait until it is done, then run the command again.",
    )
    for _ in range(_ATTEMPTS):
        lock = filelock.FileLock(path, timeout=0)
        let_signals_in = _hold_signals()
        try:
            lock.acquire()
        except filelock.Timeout:
            let_signals_in()
            raise busy from None
        except (NotImplementedError, OSError) as error:
            let_signals_in()
            if isinstance(error, OSError) and error.errno not in _NO_LOCKS:
                raise
            yield  # a file system without locks: the other guards have to do
            return
        except BaseException:
            let_signals_in()
            raise
        try:
            let_signals_in()
            if not os.path.lexists(path):
                continue  # the last holder removed it under us: this lock guards nothing
            yield
            _remove(path)
            return
        except BaseException:
            _remove(path)
            raise
        finally:
            lock.release()
    raise busy


def _hold_signals() -> Callable[[], object]:
    """Hold back what would interrupt this thread, until the returned function is called.

    An interrupt between the making of the lock file and our taking note of it would leave it there.
    """
    if not hasattr(signal, "pthread_sigmask"):
        return lambda: None
    interrupts = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, interrupts)
    return lambda: signal.pthread_sigmask(signal.SIG_SETMASK, before)


def is_locked(target: str) -> bool:
    """Whether somebody is writing `target` (a resolved path) right now; False where unknown."""
    try:
        import fcntl

        fd = os.open(lock_path(target), os.O_RDONLY)
    except (ImportError, OSError):
        return False
    try:
        fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    finally:
        os.close(fd)
    return False


def _remove(path: str) -> None:
    # Windows cannot remove an open file; filelock does it there after the release.
    with suppress(OSError):
        syscalls.unlink(path)

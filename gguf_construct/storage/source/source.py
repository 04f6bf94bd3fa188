"""Sources: a file's bytes as one read-only buffer, and proof that they are still the same file.

Strategy: map the file, read nothing.  The buffer is what the parser walks; the descriptor is
what the kernel copies from.  A file whose in-place edit was cut short (it has a journal beside
it) is shown as it was before that edit, through a private copy-on-write map, so that readers
never meet a half-written header.

`get` imports this module: keep it free of heavy imports.
"""

from __future__ import annotations

import errno
import mmap
import os
import stat
import time

from ...errors import SourceChangedError, UnfinishedEditWarning, WriteError
from ..system.private_names import has_journal, journal_path
from .file_map import FileMap

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import TypeAlias, TypeVar

    from ..journal.state import UnfinishedJournal

    Buffer: TypeAlias = bytes | mmap.mmap
    Identity: TypeAlias = tuple[int, int, int, int]
    PathOrBytes: TypeAlias = str | os.PathLike[str] | bytes | bytearray | memoryview
    T = TypeVar("T")

_ATTEMPTS, _PAUSE = 20, 0.02

_OPEN_FLAGS = (
    os.O_RDONLY
    | getattr(os, "O_BINARY", 0)
    | getattr(os, "O_CLOEXEC", 0)
    # A FIFO without a writer must not hang us; regular files ignore the flag.
    | getattr(os, "O_NONBLOCK", 0)
)


# What is to be seen, by the states of `journal.state`.
_SHOWN_AS = {
    "damaged": "its journal is damaged, so the file may be half of it, and is shown as it is",
    "old": "nothing of it was written",
    "mixed": "the file is shown as it was before",
    "new": "all of it was written",
    "foreign": "the file was changed since, and is shown as it is",
}


class Source:
    """Bytes to read from: a mapped file or bytes in memory.

    Attributes:
        path: the path as given, or None for bytes in memory.
        size: length of `buffer` in bytes.
        buffer: the content; never write to it.
        fd: a descriptor whose content equals `buffer` (for `copy_file_range`), or None when
            there is none: bytes in memory, or a file shown through its journal.
        unfinished_journal: the journal found beside the file, or None; `buffer` shows the file as
            it was before the edit that the journal tells of.
    """

    __slots__ = ("_identity", "_stat_fd", "buffer", "fd", "path", "size", "unfinished_journal")

    def __init__(
        self,
        buffer: Buffer,
        *,
        path: str | None = None,
        fd: int | None = None,
        journal: UnfinishedJournal | None = None,
        status: os.stat_result | None = None,
    ) -> None:
        self.buffer = buffer
        self.size = len(buffer)
        self.path = path
        self.unfinished_journal = journal
        self.fd = None if journal else fd
        self._stat_fd: int | None = None  # until the source stands, the caller closes `fd`
        self._identity = None if fd is None else _identity_of(status or os.fstat(fd))
        self._stat_fd = fd

    def identity(self) -> Identity | None:
        """(device, inode, size, mtime in ns) when it was opened; None for bytes in memory."""
        return self._identity

    def read_into(self, start: int, into: memoryview) -> None:
        """Fill `into` with the bytes from `start` on, by position: no map can fail under it.

        Raises:
            SourceChangedError: the file ends before that.
            OSError: it cannot be read.
        """
        if self.fd is None:
            into[:] = memoryview(self.buffer)[start : start + len(into)]
            return
        from ..system import syscalls

        done = 0
        while done < len(into):
            count = syscalls.preadv(self.fd, into[done:], start + done)
            if count <= 0:
                raise self._changed(
                    f"it was cut while it was in use ({self.size} bytes then, at most "
                    f"{start + done} now)"
                )
            done += count

    def doubt(self) -> str | None:
        """Why nobody can say whether the file is whole, where an edit in place was cut short."""
        found = self.unfinished_journal
        if found is None or found.state not in ("damaged", "foreign"):
            return None
        from ..journal.state import unproven

        return unproven(str(self.path), found).message

    @property
    def is_closed(self) -> bool:
        """Whether `close` gave its file back."""
        return self._stat_fd is None

    def check_unchanged(self) -> None:
        """Compare the file with what it was when it was opened.

        Raises:
            SourceChangedError: it was written to, cut, replaced or removed since.
        """
        if self._stat_fd is None or self.path is None:
            return
        now = _identity_of(os.fstat(self._stat_fd))
        if now != self._identity:
            raise self._changed(f"it changed while it was in use ({_difference(self, now)})")
        try:
            there = _identity_of(os.stat(self.path))
        except OSError as error:
            raise self._changed("it was removed while it was in use") from error
        if there[:2] != now[:2]:
            raise self._changed("another file took its place while it was in use")

    def is_stale(self) -> bool:
        """Whether an edit in place may have shown through while the file was read.

        What is shown as it was before an edit stays so while that edit runs, unless the file's
        length changes: all that it writes was put back.  The next edit does show through.
        """
        if self._stat_fd is None or self.path is None or self._identity is None:
            return False
        now, found = _identity_of(os.fstat(self._stat_fd)), self.unfinished_journal
        if found is None:
            return now != self._identity or has_journal(self.path)
        if now[2] != self._identity[2] or (found.state != "mixed" and now != self._identity):
            return True
        return not _is_still_there(found)

    def _changed(self, what: str) -> SourceChangedError:
        return SourceChangedError(
            f"{self.path}: {what}", hint="Nothing was written. Run the command again."
        )

    def release(self) -> bool:
        """Give the map back but keep the descriptor, before the file is changed where it lies.

        Returns:
            False, with the map still there, when somebody holds a view of it (a numpy array).
        """
        if isinstance(self.buffer, mmap.mmap):
            try:
                self.buffer.close()
            except BufferError:
                return False
        return True

    def remap(self) -> None:
        """Map the file again after `release`.

        Raises:
            OSError: the file cannot be mapped.
        """
        if self._stat_fd is not None:
            self.buffer = _mapped(self._stat_fd, str(self.path))

    def retire(self) -> None:
        """Give the descriptor back; the map lives on for whoever still refers to it."""
        fd, self._stat_fd, self.fd = self._stat_fd, None, None
        if fd is not None:
            os.close(fd)

    def close(self) -> None:
        """Give the descriptor back, and the map unless someone still holds a view of it.

        Closing twice is fine.  A map with exported views is freed with the last of them.
        """
        self.retire()
        if isinstance(self.buffer, mmap.mmap):
            try:  # noqa: SIM105  (contextlib costs 2 ms at import)
                self.buffer.close()
            except BufferError:
                # numpy arrays or memoryviews still point into the map and keep it alive.
                pass

    def __del__(self) -> None:
        # Whoever forgot `close` loses no descriptor; the map goes with its last view.
        if getattr(self, "_stat_fd", None) is not None:
            self.retire()

    def __enter__(self) -> Source:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Source {self.path or 'in memory'}, {self.size} bytes>"


def open_source(path_or_bytes: PathOrBytes) -> Source:
    """Open a file (a path) or wrap a file's content (bytes).

    A file with an unfinished journal beside it is presented as it was before the edit that was
    cut short; `Source.unfinished_journal` then says so.

    Raises:
        OSError: missing, not permitted, a directory, or not a regular file.
    """
    if isinstance(path_or_bytes, (bytes, bytearray, memoryview)):
        return Source(bytes(path_or_bytes))
    path = os.fspath(path_or_bytes)
    fd = os.open(path, _OPEN_FLAGS)
    try:
        return _map(path, fd)
    except BaseException:
        os.close(fd)
        raise


def open_to_show(path_or_bytes: PathOrBytes) -> Source:
    """`open_source` for whoever looks at a file.

    Warns with UnfinishedEditWarning of an edit that was cut short.

    Raises:
        OSError: as for `open_source`.
    """
    source = open_source(path_or_bytes)
    found, path = source.unfinished_journal, source.path
    if found is None or path is None or is_being_written(path):
        return source
    # Nobody held the lock: unless the journal went meanwhile, whoever wrote it will not come back.
    if not source.is_stale():
        import warnings

        does = "says what to do" if found.state in ("damaged", "foreign") else "cleans up"
        warnings.warn(
            f"{path}: an edit in place was cut short; {_SHOWN_AS[found.state]} "
            f"(gguf-construct recover {path} {does})",
            UnfinishedEditWarning,
            stacklevel=4,  # whoever opened the model, behind `read_steadily` and `open_model`
        )
    return source


def read_steadily(
    path_or_bytes: PathOrBytes,
    opener: Callable[[PathOrBytes], Source],
    read: Callable[[Source], T],
) -> tuple[Source, T]:
    """The source that `opener` gave, which the caller has to close, and what `read` made of it.

    Raises:
        SourceChangedError: the file is changed again and again while it is read.
        OSError: it cannot be opened.
    """
    for _ in range(_ATTEMPTS):
        try:
            source = opener(path_or_bytes)
        except WriteError:  # it cannot be shown as it was before the edit: only for now?
            if not _is_passing(path_or_bytes):
                raise
        else:
            try:
                result = read(source)
            except BaseException as error:  # whatever half of an edit leads to
                is_stale = isinstance(error, Exception) and source.is_stale()
                source.close()
                if not is_stale:
                    raise
            else:
                if not source.is_stale():
                    return source, result
                source.close()
        time.sleep(_PAUSE)
    raise SourceChangedError(f"{path_or_bytes!s}: it is being changed while it is read")


def _is_passing(path_or_bytes: PathOrBytes) -> bool:
    """Whether the edit that is in the way is still running, or has just ended."""
    if isinstance(path_or_bytes, (bytes, bytearray, memoryview)):
        return False
    path = os.fspath(path_or_bytes)
    return is_being_written(path) or not has_journal(path)


def is_being_written(path: str) -> bool:
    """Whether the edit that the journal tells of is not cut short, but still running."""
    from ..system.locking import is_locked

    return is_locked(os.path.realpath(path))


def _is_still_there(found: UnfinishedJournal) -> bool:
    from ..journal.journal_file import read_journal

    try:
        return read_journal(found.path) == found.journal
    except OSError:
        return False


def _map(path: str, fd: int) -> Source:
    status = os.fstat(fd)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.EINVAL, "Not a regular file", path)
    target = os.path.realpath(path)
    sidecar = journal_path(target)
    while os.path.lexists(sidecar):
        from ..journal.restored_view import restored_view

        view = restored_view(fd, sidecar, os.path.basename(target))
        if view is not None:
            return Source(view[0], path=path, fd=fd, journal=view[1], status=status)
        # A writer was at work and has just finished: look again.
        status = os.fstat(fd)
    return Source(_mapped(fd, path), path=path, fd=fd, status=status)


def _mapped(fd: int, path: str) -> Buffer:
    # An empty file cannot be mapped.
    return FileMap.of(fd, path) if os.fstat(fd).st_size else b""


def _identity_of(status: os.stat_result) -> Identity:
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _difference(source: Source, now: Identity) -> str:
    before = source.identity()
    if before is not None and before[2] != now[2]:
        return f"{before[2]} bytes then, {now[2]} now"
    return "its modification time is another one"

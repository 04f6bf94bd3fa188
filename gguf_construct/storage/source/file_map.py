"""A map of a file whose slices are read by position, so that a file that shrinks kills nobody.

Touching a page of a map that its file no longer has ends the process (SIGBUS).  So slices, which
is how all of us look at a file, are read from its descriptor and give an error then.  What uses
the map as memory, as numpy does, is as fast as a map, and as dangerous.
"""

from __future__ import annotations

import mmap
import os
from typing import Any

from ...errors import SourceChangedError


def _pread(fd: int, nbytes: int, at: int) -> bytes:
    if hasattr(os, "pread"):
        return os.pread(fd, nbytes, at)
    from ..system import syscalls  # loads threading, which opening a file shall not

    return syscalls.pread(fd, nbytes, at)


class FileMap(mmap.mmap):
    """A read-only map; `buffer[start:end]` gives bytes, or raises SourceChangedError."""

    _fd = -1
    _path = ""

    @classmethod
    def of(cls, fd: int, path: str) -> FileMap:
        """Map a file that is not empty; the descriptor stays the caller's, errors name `path`."""
        found = cls(fd, 0, access=mmap.ACCESS_READ)
        found._fd, found._path = os.dup(fd), path
        return found

    def __getitem__(self, key: Any) -> Any:
        """Bytes for a slice, a number for an index."""
        if not isinstance(key, slice):
            at = range(len(self))[key]
            return self[at : at + 1][0]
        start, stop, step = key.indices(len(self))
        if step != 1 or self._fd < 0:
            return super().__getitem__(key)
        parts: list[bytes] = []
        at = start
        while at < stop:
            part = _pread(self._fd, stop - at, at)
            if not part:
                raise SourceChangedError(
                    f"{self._path}: it was cut while it was in use ({len(self)} bytes then, at "
                    f"most {at} now)",
                    hint="Nothing was written. Run the command again.",
                )
            parts.append(part)
            at += len(part)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def close(self) -> None:
        """Give the map back.  Raises BufferError while somebody holds a view of it."""
        super().close()
        self._let_go()

    def _let_go(self) -> None:
        fd, self._fd = self._fd, -1
        if fd >= 0:
            os.close(fd)

    def __del__(self) -> None:
        self._let_go()

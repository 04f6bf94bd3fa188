"""Read and write every byte of a range, however many system calls it takes."""

from __future__ import annotations

import errno

from ...errors import WriteError
from . import syscalls

LARGEST_CALL = 8 << 20


def read_range(fd: int, begin: int, end: int) -> bytes:
    """The bytes of a range.  Raises WriteError when the file ends before it does."""
    parts = []
    while begin < end:
        part = syscalls.pread(fd, end - begin, begin)
        if not part:
            raise WriteError("the file ended while it was read", offset=begin)
        parts.append(part)
        begin += len(part)
    return b"".join(parts)


def write_at(fd: int, data: bytes | memoryview, at: int) -> None:
    """Write all of `data` at an offset.  Raises OSError."""
    view = memoryview(data)
    done = 0
    while done < len(view):
        done += counted(syscalls.pwrite(fd, view[done : done + LARGEST_CALL], at + done))


def counted(count: int) -> int:
    """The number of bytes that a call wrote.  Raises OSError when it was none."""
    if count <= 0:
        raise OSError(errno.EIO, "The file system takes no more bytes")
    return count

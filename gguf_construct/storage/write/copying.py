"""Moving bytes into a target: the smallest complete steps, short counts dealt with.

Strategy: let the kernel copy (`copy_file_range`, which clones on btrfs and xfs where it can); where
it refuses, read and write through a buffer.
"""

from __future__ import annotations

import errno
import os
from typing import TYPE_CHECKING

from ..system import syscalls
from ..system.exactly import LARGEST_CALL, counted
from ..system.syscalls import Unsupported

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..source.source import Source

BUFFER_SIZE = 4 << 20


class Target:
    """A file being written, and what the writers of its parts share.

    Attributes:
        fd: descriptor of the file.
        written: bytes that were really written (holes are not).
        is_kernel_copy: whether the kernel copies the bytes of other files; it did not refuse yet.
    """

    def __init__(self, fd: int, advance: Callable[[int], None]) -> None:
        self.fd = fd
        self.written = 0
        self.is_kernel_copy = True
        self._advance = advance

    def wrote(self, nbytes: int) -> None:
        """Note that so many bytes have been written."""
        self.written += nbytes
        self._advance(nbytes)

    def skipped(self, nbytes: int) -> None:
        """Note that a range is zeros and stays a hole."""
        self._advance(nbytes)


def write_all(target: Target, data: bytes | memoryview, at: int) -> None:
    """Write every byte, however many calls it takes."""
    view = memoryview(data)
    done = 0
    while done < len(view):
        part = view[done : done + LARGEST_CALL]
        count = counted(syscalls.pwrite(target.fd, part, at + done))
        target.wrote(count)
        done += count


def copy(source: Source, target: Target, start: int, nbytes: int, at: int) -> None:
    """Copy a range, keeping the holes of a sparse source.

    Raises:
        SourceChangedError: the source ends too early.
        OSError: reading or writing failed.
    """
    if source.fd is None:
        _copy_through_buffer(source, target, start, start + nbytes, at - start)
        return
    position = start
    for begin, end in data_ranges(source, start, start + nbytes):
        target.skipped(begin - position)
        _copy_data(source, target, begin, end, at - start)
        position = end
    target.skipped(start + nbytes - position)


def _copy_data(source: Source, target: Target, begin: int, end: int, shift: int) -> None:
    assert source.fd is not None
    while begin < end and target.is_kernel_copy:
        want = min(LARGEST_CALL, end - begin)
        try:
            count = syscalls.copy_file_range(source.fd, target.fd, want, begin, begin + shift)
        except Unsupported:
            count = 0
        if count <= 0:
            # Some file systems answer 0 instead of refusing: plain reading decides.
            target.is_kernel_copy = False
            break
        target.wrote(count)
        begin += count
    if begin < end:
        _copy_through_buffer(source, target, begin, end, shift)


def _copy_through_buffer(source: Source, target: Target, begin: int, end: int, shift: int) -> None:
    # No `with` around views here: while an exception passes, its frames still hold parts of them.
    buffer = memoryview(bytearray(min(BUFFER_SIZE, end - begin)))
    while begin < end:
        part = buffer[: end - begin]
        source.read_into(begin, part)
        write_all(target, part, begin + shift)
        begin += len(part)


def data_ranges(source: Source, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The parts of a range that are not holes, in order; all of it where that is unknown."""
    if source.fd is None or not hasattr(os, "SEEK_DATA") or not _is_sparse(source.fd):
        if start < end:
            yield start, end
        return
    position = start
    while position < end:
        try:
            begin = os.lseek(source.fd, position, os.SEEK_DATA)
            position = os.lseek(source.fd, begin, os.SEEK_HOLE)
        except OSError as error:
            if error.errno == errno.ENXIO:  # only a hole is left
                return
            raise
        if begin >= end:
            return
        yield begin, min(position, end)


def _is_sparse(fd: int) -> bool:
    status = os.fstat(fd)
    return getattr(status, "st_blocks", status.st_size) * 512 < status.st_size

"""Every system call that a writer makes, one thin function each.

Strategy: the executors call these through the module (`syscalls.pwrite(...)`), never `os`
directly.  The tests replace each of them by name to make the n-th call fail or to kill the
process there, so the list of crash points is the executors' own.  What a platform lacks raises
`Unsupported` here and is dealt with by the caller.

Linux numbers: `fallocate(2)`, `statfs(2)`, `renameat2(2)` and linux/falloc.h, linux/fs.h.
"""

from __future__ import annotations

import errno
import os
import struct
import sys
import threading
from typing import Any

__all__ = [
    "allocate",
    "close",
    "collapse_range",
    "copy_file_range",
    "create",
    "extents",
    "filesystem_type",
    "fsync",
    "fsync_folder",
    "insert_range",
    "link",
    "open_direct",
    "open_existing",
    "pread",
    "preadv",
    "pwrite",
    "pwrite_direct",
    "rename_new",
    "replace",
    "set_mode",
    "set_owner",
    "set_times",
    "set_xattr",
    "truncate",
    "unlink",
]

_BINARY = getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_FALLOC_FL_COLLAPSE_RANGE = 0x08
_FALLOC_FL_INSERT_RANGE = 0x20
_RENAME_NOREPLACE = 1
_FS_IOC_FIEMAP = 0xC020660B
_FIEMAP_FLAG_SYNC = 1
_FIEMAP = struct.Struct("=QQIIII")  # the host's own order: it is the kernel that reads it
_FIEMAP_EXTENT = struct.Struct("=QQQ16xI12x")
_FIEMAP_BATCH = 256
_AT_FDCWD = -100

UNSUPPORTED_ERRNOS = frozenset(
    getattr(errno, name)
    for name in ("ENOSYS", "EOPNOTSUPP", "ENOTSUP", "EINVAL", "EXDEV", "EPERM", "EBADF", "EMLINK")
    if hasattr(errno, name)
)


# Held while a descriptor stands where one thread wants to read, on platforms without `pread`.
_position = threading.Lock()


class Unsupported(Exception):
    """This platform or file system has no such call; the caller takes another way."""


def create(path: str, mode: int) -> int:
    """Make a file that must not exist yet; open for reading and writing."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _BINARY, mode)


def open_existing(path: str) -> int:
    """Open a file for reading and writing, never truncating it."""
    return os.open(path, os.O_RDWR | _BINARY)


def open_direct(path: str) -> int:
    """Open an existing file for writing past the page cache.

    Raises:
        Unsupported: not on this platform or file system.
    """
    if not hasattr(os, "O_DIRECT"):
        raise Unsupported("O_DIRECT")
    try:
        return os.open(path, os.O_RDWR | os.O_DIRECT | _BINARY)
    except OSError as error:
        if error.errno in UNSUPPORTED_ERRNOS:
            raise Unsupported("O_DIRECT") from error
        raise


def close(fd: int) -> None:
    """Close a descriptor."""
    os.close(fd)


def pread(fd: int, nbytes: int, offset: int) -> bytes:
    """Read at most `nbytes` at `offset`; threads may share the descriptor."""
    if hasattr(os, "pread"):
        return os.pread(fd, nbytes, offset)
    with _position:
        os.lseek(fd, offset, os.SEEK_SET)
        return os.read(fd, nbytes)


def preadv(fd: int, buffer: memoryview, offset: int) -> int:
    """Read into `buffer` from `offset`; the number of bytes read."""
    if hasattr(os, "preadv"):
        return os.preadv(fd, [buffer], offset)
    data = pread(fd, len(buffer), offset)
    buffer[: len(data)] = data
    return len(data)


def pwrite(fd: int, data: bytes | memoryview, offset: int) -> int:
    """Write at `offset`; the number of bytes that went out (may be fewer)."""
    if hasattr(os, "pwrite"):
        return os.pwrite(fd, data, offset)
    os.lseek(fd, offset, os.SEEK_SET)
    return os.write(fd, data)


def pwrite_direct(fd: int, data: memoryview, offset: int) -> int:
    """`pwrite` for a descriptor of `open_direct`: offset, length and memory are aligned.

    Raises:
        Unsupported: the disk wants another alignment.
    """
    try:
        return os.pwrite(fd, data, offset)
    except OSError as error:
        if error.errno == errno.EINVAL:
            raise Unsupported("O_DIRECT") from error
        raise


def filesystem_type(fd: int) -> int | None:
    """The magic number of the file system that holds a file (statfs, Linux); None elsewhere."""
    function = _function("fstatfs")
    if function is None:
        return None
    ctypes, call = function
    buffer = ctypes.create_string_buffer(256)
    if call(fd, buffer) != 0:
        return None
    # statfs.f_type, the first field: a long, but an unsigned int on IBM Z (statfs(2)).
    width = ctypes.c_uint if os.uname().machine.startswith("s390") else ctypes.c_long
    return int(width.from_buffer(buffer).value) & 0xFFFFFFFF


def fsync(fd: int) -> None:
    """Wait until the file is on the disk."""
    if sys.platform == "darwin":
        import fcntl

        # Plain fsync leaves the data in the drive's cache there.
        try:
            fcntl.fcntl(fd, fcntl.F_FULLFSYNC)
            return
        except OSError:
            pass
    os.fsync(fd)


def fsync_folder(path: str) -> None:
    """Wait until a folder's entries are on the disk.  Windows has no such thing: nothing done."""
    if sys.platform == "win32":
        return
    fd = os.open(path, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        os.fsync(fd)
    except OSError as error:
        # Some network and FUSE file systems refuse to sync a folder; their renames are their own.
        if error.errno not in UNSUPPORTED_ERRNOS:
            raise
    finally:
        os.close(fd)


def truncate(fd: int, nbytes: int) -> None:
    """Set the file's length; what is added reads as zeros."""
    os.ftruncate(fd, nbytes)


def replace(source: str, target: str) -> None:
    """Rename over whatever `target` is, in one step."""
    os.replace(source, target)


def rename_new(source: str, target: str) -> None:
    """Rename, but never over an existing file.

    Raises:
        FileExistsError: there is one.
        Unsupported: no such call here.
    """
    if sys.platform == "win32":
        os.rename(source, target)
        return
    arguments = (
        _AT_FDCWD,
        os.fsencode(source),
        _AT_FDCWD,
        os.fsencode(target),
        _RENAME_NOREPLACE,
    )
    _call("renameat2", arguments, target)


def link(source: str, target: str) -> None:
    """Give a file a second name, which must not exist yet.

    Raises:
        FileExistsError: it does.
        Unsupported: no hard links here.
    """
    if not hasattr(os, "link"):
        raise Unsupported("link")
    try:
        os.link(source, target)
    except OSError as error:
        if error.errno in UNSUPPORTED_ERRNOS:
            raise Unsupported("link") from error
        raise


def unlink(path: str) -> None:
    """Remove a name."""
    os.unlink(path)


def set_mode(path: str, mode: int) -> None:
    """Set the permission bits."""
    os.chmod(path, mode)


def set_owner(path: str, user: int, group: int) -> None:
    """Set owner and group, where there is such a thing."""
    if hasattr(os, "chown"):
        os.chown(path, user, group)


def set_times(path: str, accessed: int, modified: int) -> None:
    """Set the times of last access and modification, in nanoseconds."""
    os.utime(path, ns=(accessed, modified))


def set_xattr(path: str, name: str, value: bytes) -> None:
    """Set one extended attribute (Linux)."""
    if sys.platform == "linux":
        os.setxattr(path, name, value)


def copy_file_range(source: int, target: int, nbytes: int, start: int, at: int) -> int:
    """Copy inside the kernel; the number of bytes copied (0 at the end of the source).

    Raises:
        Unsupported: not here, or not between these two files.
    """
    if not hasattr(os, "copy_file_range"):
        raise Unsupported("copy_file_range")
    try:
        return os.copy_file_range(source, target, nbytes, start, at)
    except OSError as error:
        if error.errno in UNSUPPORTED_ERRNOS:
            raise Unsupported("copy_file_range") from error
        raise


def allocate(fd: int, offset: int, nbytes: int) -> None:
    """Reserve disk space; the range reads as zeros and the file grows to hold it.

    Not `posix_fallocate`: where the file system cannot reserve, glibc writes a byte into every
    block instead.

    Raises:
        Unsupported: nothing was reserved.
    """
    _fallocate(fd, 0, offset, nbytes)


def insert_range(fd: int, offset: int, nbytes: int) -> None:
    """Shift everything from `offset` on up by `nbytes`, without copying (ext4, xfs).

    Both are multiples of the file system's block size, `offset` lies before the end.

    Raises:
        Unsupported: not on this file system, or not with these numbers; nothing was changed.
    """
    _fallocate(fd, _FALLOC_FL_INSERT_RANGE, offset, nbytes)


def collapse_range(fd: int, offset: int, nbytes: int) -> None:
    """Take a range out of the file: the opposite of `insert_range`.

    Raises:
        Unsupported: nothing was changed.
    """
    _fallocate(fd, _FALLOC_FL_COLLAPSE_RANGE, offset, nbytes)


def extents(fd: int, begin: int, end: int) -> list[tuple[int, int]]:
    """The parts of a range that have disk space, in order, as the file system keeps them.

    Source: `struct fiemap` and FS_IOC_FIEMAP in linux/fiemap.h, linux/fs.h.

    Raises:
        Unsupported: the file system does not tell.
    """
    if sys.platform != "linux":
        raise Unsupported("fiemap")
    import fcntl

    found: list[tuple[int, int]] = []
    while begin < end:
        request = bytearray(_FIEMAP.size + _FIEMAP_BATCH * _FIEMAP_EXTENT.size)
        _FIEMAP.pack_into(request, 0, begin, end - begin, _FIEMAP_FLAG_SYNC, 0, _FIEMAP_BATCH, 0)
        try:
            fcntl.ioctl(fd, _FS_IOC_FIEMAP, request)
        except OSError as error:
            if error.errno in UNSUPPORTED_ERRNOS | {errno.ENOTTY}:
                raise Unsupported("fiemap") from error
            raise
        count = _FIEMAP.unpack_from(request)[3]
        if not count:
            break
        for index in range(count):
            at = _FIEMAP.size + index * _FIEMAP_EXTENT.size
            start, _, nbytes = _FIEMAP_EXTENT.unpack_from(request, at)[:3]
            found.append((start, start + nbytes))
        begin = found[-1][1]
    return found


def _fallocate(fd: int, mode: int, offset: int, nbytes: int) -> None:
    function = _function("fallocate64") or _function("fallocate")
    if function is None:
        raise Unsupported("fallocate")
    ctypes, call = function
    wide = ctypes.c_longlong
    _run(ctypes, call, (fd, mode, wide(offset), wide(nbytes)), "fallocate", None)


def _call(name: str, arguments: tuple[Any, ...], path: str | None) -> None:
    function = _function(name)
    if function is None:
        raise Unsupported(name)
    _run(*function, arguments, name, path)


def _run(ctypes: Any, call: Any, arguments: tuple[Any, ...], name: str, path: str | None) -> None:
    # Unlike the functions of `os`, ctypes does not repeat a call that a signal broke off.
    while call(*arguments) != 0:
        code = ctypes.get_errno()
        if code == errno.EINTR:
            continue
        if code in UNSUPPORTED_ERRNOS:
            raise Unsupported(name)
        raise OSError(code, os.strerror(code), path)


def _function(name: str) -> tuple[Any, Any] | None:
    """(ctypes, the C function), or None where the C library lacks it."""
    if sys.platform != "linux":
        return None
    import ctypes

    library = ctypes.CDLL(None, use_errno=True)
    try:
        return ctypes, getattr(library, name)
    except AttributeError:
        return None

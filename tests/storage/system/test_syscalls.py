"""The system calls: what each does, and what is a platform that lacks it."""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

from gguf_construct.storage.system import syscalls
from gguf_construct.storage.system.syscalls import Unsupported
from tests.storage.scenarios import can_insert

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

linux = pytest.mark.skipif(sys.platform != "linux", reason="a call of Linux")
PAGE = 4096


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "file"
    file.write_bytes(bytes(range(256)) * 64)
    return file


@pytest.fixture
def fd(path: Path) -> Iterator[int]:
    number = syscalls.open_existing(str(path))
    yield number
    os.close(number)


def test_what_is_made_must_not_exist(path: Path) -> None:
    with pytest.raises(FileExistsError, match="File exists"):
        syscalls.create(str(path), 0o600)
    new = path.with_name("new")
    fd = syscalls.create(str(new), 0o640)
    try:
        assert syscalls.pwrite(fd, b"abc", 2) == 3
        assert syscalls.pread(fd, 10, 0) == b"\0\0abc"
        assert not os.get_inheritable(fd)
    finally:
        syscalls.close(fd)
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(fd)
    assert new.stat().st_mode & 0o777 == 0o640 & ~umask()


def umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_an_open_file_is_not_truncated(path: Path, fd: int) -> None:
    assert path.stat().st_size == 16384
    with pytest.raises(FileNotFoundError, match="No such file"):
        syscalls.open_existing(str(path.with_name("absent")))


@pytest.mark.parametrize("is_bare", [False, True])
def test_reading_and_writing_by_position(
    fd: int, is_bare: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_bare:
        for name in ("pread", "preadv", "pwrite"):
            monkeypatch.delattr(os, name)
    assert syscalls.pread(fd, 3, 255) == b"\xff\0\1"
    assert syscalls.pread(fd, 3, 16383) == b"\xff"
    buffer = bytearray(4)
    assert syscalls.preadv(fd, memoryview(buffer), 16382) == 2
    assert buffer == b"\xfe\xff\0\0"
    assert syscalls.pwrite(fd, memoryview(b"xyz"), 100) == 3
    assert syscalls.pread(fd, 5, 99) == b"cxyzg"


def test_the_length_is_set(path: Path, fd: int) -> None:
    syscalls.truncate(fd, 10)
    assert path.stat().st_size == 10
    syscalls.truncate(fd, 12)
    assert path.read_bytes() == bytes(range(10)) + b"\0\0"


def test_names(path: Path) -> None:
    other, third = str(path.with_name("other")), str(path.with_name("third"))
    syscalls.link(str(path), other)
    assert os.path.samefile(path, other)
    with pytest.raises(FileExistsError, match="exists"):
        syscalls.link(str(path), other)
    syscalls.rename_new(other, third)
    with pytest.raises(FileExistsError, match="exists") as caught:
        syscalls.rename_new(str(path), third)
    assert caught.value.filename == third
    assert path.exists()
    syscalls.replace(third, other)
    assert not os.path.exists(third)
    syscalls.unlink(other)
    assert not os.path.exists(other)


def test_attributes(path: Path) -> None:
    syscalls.set_mode(str(path), 0o600)
    assert path.stat().st_mode & 0o777 == 0o600
    syscalls.set_times(str(path), 10**9, 2 * 10**9)
    assert (path.stat().st_atime_ns, path.stat().st_mtime_ns) == (10**9, 2 * 10**9)
    status = path.stat()
    syscalls.set_owner(str(path), status.st_uid, status.st_gid)
    try:
        syscalls.set_xattr(str(path), "user.note", b"x")
    except OSError:
        return
    assert os.getxattr(path, "user.note") == b"x"


@linux
def test_extended_attributes_are_those_of_linux(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "plain")
    syscalls.set_xattr(str(path), "no.such.space", b"x")


Call = tuple[str, "Callable[[int, str], Any]"]
SYNCS: list[Call] = [
    ("fsync", lambda fd, folder: syscalls.fsync(fd)),
    ("fsync_folder", lambda fd, folder: syscalls.fsync_folder(folder)),
]


@pytest.mark.parametrize("call", SYNCS, ids=lambda call: call[0])
def test_syncs_reach_the_system(
    call: Call, path: Path, fd: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[os.stat_result] = []
    monkeypatch.setattr(os, "fsync", lambda fd: seen.append(os.fstat(fd)))
    call[1](fd, str(path.parent))
    wanted = path if call[0] == "fsync" else path.parent
    assert [one.st_ino for one in seen] == [wanted.stat().st_ino]


def test_a_folder_that_cannot_be_synced(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(code: int) -> Callable[[int], None]:
        def fsync(fd: int) -> None:
            raise OSError(code, os.strerror(code))

        return fsync

    monkeypatch.setattr(os, "fsync", fail(errno.EINVAL))
    syscalls.fsync_folder(str(path.parent))
    monkeypatch.setattr(os, "fsync", fail(errno.EIO))
    with pytest.raises(OSError, match="Input/output error"):
        syscalls.fsync_folder(str(path.parent))
    monkeypatch.setattr(sys, "platform", "win32")
    syscalls.fsync_folder(str(path.parent))  # there is no such thing there


@linux
def test_copying_inside_the_kernel(path: Path, fd: int) -> None:
    out = syscalls.create(str(path.with_name("out")), 0o600)
    try:
        try:
            assert syscalls.copy_file_range(fd, out, 100, 256, 10) == 100
        except Unsupported:
            pytest.skip("not on this file system")
        assert syscalls.copy_file_range(fd, out, 100, 1 << 20, 0) == 0
        assert syscalls.pread(out, 200, 0) == bytes(10) + bytes(range(100))
    finally:
        os.close(out)


@linux
def test_space_is_reserved(path: Path, fd: int) -> None:
    try:
        syscalls.allocate(fd, 0, 1 << 20)
    except Unsupported:
        pytest.skip("not on this file system")
    assert path.stat().st_size == 1 << 20
    assert path.stat().st_blocks * 512 >= 1 << 20
    assert path.read_bytes()[:256] == bytes(range(256))


@linux
def test_room_is_inserted_and_taken_out(path: Path, fd: int) -> None:
    if not can_insert(path.parent):
        pytest.skip("not on this file system")
    content = path.read_bytes()
    syscalls.insert_range(fd, PAGE, 2 * PAGE)
    assert path.read_bytes() == content[:PAGE] + bytes(2 * PAGE) + content[PAGE:]
    syscalls.collapse_range(fd, PAGE, 2 * PAGE)
    assert path.read_bytes() == content
    with pytest.raises(Unsupported, match="fallocate"):
        syscalls.insert_range(fd, 1, 1)


@linux
def test_extents(path: Path, fd: int) -> None:
    os.pwrite(fd, b"x", 40 * PAGE)
    os.fsync(fd)
    try:
        found = syscalls.extents(fd, 0, 41 * PAGE)
    except Unsupported:
        pytest.skip("not on this file system")
    assert (found[0][0], found[-1]) == (0, (40 * PAGE, 41 * PAGE))
    assert sum(end - begin for begin, end in found) == 5 * PAGE
    assert syscalls.extents(fd, 5 * PAGE, 40 * PAGE) == []
    assert syscalls.extents(fd, 3, 3) == []


@linux
def test_many_extents_are_asked_for_in_batches(
    path: Path, fd: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(syscalls, "_FIEMAP_BATCH", 3)
    for at in range(0, 40, 4):
        os.pwrite(fd, b"x" * PAGE, (20 + at) * PAGE)
    os.fsync(fd)
    try:
        found = syscalls.extents(fd, 20 * PAGE, 60 * PAGE)
    except Unsupported:
        pytest.skip("not on this file system")
    assert found == [((20 + at) * PAGE, (21 + at) * PAGE) for at in range(0, 40, 4)]


@linux
def test_the_type_of_a_file_system(fd: int) -> None:
    with open("/proc/version", "rb") as file:
        assert syscalls.filesystem_type(file.fileno()) == 0x9FA0  # PROC_SUPER_MAGIC
    assert syscalls.filesystem_type(fd) not in (None, 0x9FA0)
    assert syscalls.filesystem_type(-1) is None


@linux
@pytest.mark.parametrize("code", [errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL, errno.EXDEV])
def test_what_is_not_there_is_unsupported(
    path: Path, fd: int, code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    calls: dict[str, Callable[[], Any]] = {
        "copy_file_range": lambda: syscalls.copy_file_range(fd, fd, 1, 0, 0),
        "link": lambda: syscalls.link(str(path), str(path) + "2"),
        "open": lambda: syscalls.open_direct(str(path)),
    }
    for name, call in calls.items():
        with monkeypatch.context() as patch:
            patch.setattr(os, name, fail)
            with pytest.raises(Unsupported):
                call()
        with monkeypatch.context() as patch:
            patch.setattr(os, name, _failing(errno.EIO))
            with pytest.raises(OSError, match="Input/output error"):
                call()
        if name != "open":
            with monkeypatch.context() as patch:
                patch.delattr(os, name)
                with pytest.raises(Unsupported):
                    call()


def _failing(code: int) -> Callable[..., None]:
    def fail(*_: object) -> None:
        raise OSError(code, os.strerror(code))

    return fail


@linux
def test_a_disk_of_another_alignment(fd: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "pwrite", _failing(errno.EINVAL))
    with pytest.raises(Unsupported, match="O_DIRECT"):
        syscalls.pwrite_direct(fd, memoryview(b"x"), 0)
    monkeypatch.setattr(os, "pwrite", _failing(errno.ENOSPC))
    with pytest.raises(OSError, match="No space left"):
        syscalls.pwrite_direct(fd, memoryview(b"x"), 0)


@linux
def test_calls_of_the_c_library_are_repeated_after_a_signal(
    fd: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes = [errno.EINTR, errno.EINTR, 0]
    calls: list[tuple[Any, ...]] = []

    def call(*arguments: Any) -> int:
        calls.append(arguments)
        ctypes.set_errno(codes[0])
        return -1 if codes.pop(0) else 0

    monkeypatch.setattr(syscalls, "_function", lambda name: (ctypes, call))
    syscalls.allocate(fd, 3, 5)
    assert len(calls) == 3
    assert (calls[0][0], calls[0][1]) == (fd, 0)
    assert [one.value for one in calls[0][2:]] == [3, 5]
    codes[:] = [errno.EOPNOTSUPP]
    with pytest.raises(Unsupported, match="fallocate"):
        syscalls.insert_range(fd, 3, 5)
    assert calls[-1][1] == 0x20
    codes[:] = [errno.ENOSPC]
    with pytest.raises(OSError, match="No space left"):
        syscalls.collapse_range(fd, 3, 5)
    assert calls[-1][1] == 0x08


@linux
def test_without_a_c_library_there_are_no_such_calls(
    path: Path, fd: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(syscalls, "_function", lambda name: None)
    with pytest.raises(Unsupported, match="fallocate"):
        syscalls.allocate(fd, 0, 1)
    with pytest.raises(Unsupported, match="renameat2"):
        syscalls.rename_new(str(path), str(path) + "2")
    assert syscalls.filesystem_type(fd) is None
    monkeypatch.undo()
    assert syscalls._function("no_such_function_anywhere") is None
    monkeypatch.setattr(sys, "platform", "plain")
    assert syscalls._function("fallocate") is None
    with pytest.raises(Unsupported, match="fiemap"):
        syscalls.extents(fd, 0, 1)

"""Writing plans: contents, attributes, refusals, and what is never touched."""

from __future__ import annotations

import errno
import os
import stat
import threading
from pathlib import Path

import pytest

from gguf_construct.core.chunks import Chunk, Copy, Literal, Swap, WritePlan, Zeros
from gguf_construct.errors import (
    DestinationExistsError,
    LockedError,
    SourceChangedError,
    WriteError,
)
from gguf_construct.storage.source.source import Source, open_source
from gguf_construct.storage.system import syscalls
from gguf_construct.storage.system.locking import writer_lock
from gguf_construct.storage.system.private_names import journal_path
from gguf_construct.storage.write import copying, destination
from gguf_construct.storage.write.new_file import reason, write_plan
from gguf_construct.storage.write.temporary import remove_leftovers, temporary_file
from tests.storage.scenarios import without

MEBI = 1 << 20


def plan(*chunks: Chunk) -> WritePlan:
    return WritePlan(chunks)


@pytest.fixture
def target(tmp_path: Path) -> Path:
    return tmp_path / "out.gguf"


CONTENTS = [
    (plan(), b""),
    (plan(Literal(b"")), b""),
    (plan(Literal(b"abc"), Zeros(2), Literal(b"d")), b"abc\0\0d"),
    (plan(Zeros(3)), b"\0\0\0"),
    (plan(Copy(2, 3), Copy(0, 2)), b"23401"),
    (plan(Copy(0, 2, 1), Copy(9, 1)), b"ab9"),
    (plan(Swap(0, 4, ((2, 1),)), Swap(4, 4, ((4, 1),))), b"10327654"),
    (plan(Swap(0, 10, ((2, 1), (1, 1), (2, 1)))), b"10243" + b"65798"),
]


@pytest.mark.parametrize("in_memory", [True, False])
@pytest.mark.parametrize(("chunks", "content"), CONTENTS)
def test_contents(target: Path, chunks: WritePlan, content: bytes, in_memory: bool) -> None:
    sources = [
        _source(target, "0", b"0123456789", in_memory),
        _source(target, "1", b"ab", in_memory),
    ]
    result = write_plan(chunks, sources, target)
    assert target.read_bytes() == content
    assert (result.path, result.strategy) == (str(target), "new-file")
    assert (result.nbytes_total, result.notes) == (len(content), ())
    assert result.nbytes_written == len(content) - chunks_of_zeros(chunks)
    for source in sources:
        source.close()


def chunks_of_zeros(chunks: WritePlan) -> int:
    return sum(chunk.nbytes for chunk in chunks.chunks if isinstance(chunk, Zeros))


def _source(target: Path, name: str, content: bytes, in_memory: bool) -> Source:
    if in_memory:
        return open_source(content)
    path = target.with_name(name)
    path.write_bytes(content)
    return open_source(path)


def test_large_chunks_go_through_in_parts(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copying, "BUFFER_SIZE", 1000)
    monkeypatch.setattr(copying, "LARGEST_CALL", 700)
    content = os.urandom(10_000)
    seen: list[tuple[int, int]] = []
    for lacking in ((), ("copy_file_range",)):
        with open_source(_file(target, content)) as source, without(lacking):
            chunks = plan(Literal(b"x"), Copy(3, 9000), Swap(0, 9999, ((1, 1), (2, 4))))
            write_plan(
                chunks, [source], target, overwrite=True, progress=lambda *at: seen.append(at)
            )
        swapped = bytearray(content[:9999])
        for at in range(1, 9999, 9):
            for item in range(at, at + 8, 2):
                swapped[item : item + 2] = swapped[item : item + 2][::-1]
        assert target.read_bytes() == b"x" + content[3:9003] + swapped
        assert seen[-1] == (19_000, 19_000)
        assert seen == sorted(seen)
        seen.clear()


def _file(target: Path, content: bytes) -> Path:
    path = target.with_name("source.bin")
    path.write_bytes(content)
    return path


def test_a_fallback_is_reported(target: Path) -> None:
    with open_source(_file(target, b"abc")) as source, without(("copy_file_range",)):
        result = write_plan(plan(Copy(0, 3)), [source], target)
    assert result.notes == ("copied by read and write",)


def test_an_existing_file_is_kept_without_overwrite(target: Path) -> None:
    target.write_bytes(b"precious")
    with pytest.raises(DestinationExistsError):
        write_plan(plan(Literal(b"x")), [], target)
    assert target.read_bytes() == b"precious"


@pytest.mark.parametrize("lacking", [(), ("rename_new",), ("rename_new", "link")])
def test_a_file_that_appears_meanwhile_is_kept(target: Path, lacking: tuple[str, ...]) -> None:
    source = open_source(b"abc")

    def appear(done: int, total: int) -> None:
        target.write_bytes(b"precious")

    with without(lacking), pytest.raises(DestinationExistsError):
        write_plan(plan(Copy(0, 3)), [source], target, progress=appear)
    assert target.read_bytes() == b"precious"
    assert os.listdir(target.parent) == [target.name]


def test_a_replacement_keeps_mode_owner_and_attributes(target: Path) -> None:
    target.write_bytes(b"old")
    target.chmod(0o640)
    if hasattr(os, "setxattr"):
        os.setxattr(target, "user.note", b"kept")
    before = target.stat()
    result = write_plan(plan(Literal(b"new")), [], target, overwrite=True)
    after = target.stat()
    assert result.strategy == "replace"
    assert (after.st_mode, after.st_uid, after.st_gid) == (
        before.st_mode,
        before.st_uid,
        before.st_gid,
    )
    if hasattr(os, "getxattr"):
        assert os.getxattr(target, "user.note") == b"kept"


def test_attributes_can_come_from_another_file(target: Path) -> None:
    origin = _file(target, b"")
    origin.chmod(0o604)
    write_plan(plan(Literal(b"new")), [], target, preserve_from=origin)
    assert stat.S_IMODE(target.stat().st_mode) == 0o604


def test_a_new_file_follows_the_umask(target: Path) -> None:
    before = os.umask(0o027)
    try:
        write_plan(plan(Literal(b"new")), [], target)
    finally:
        os.umask(before)
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


def test_an_attribute_that_cannot_be_kept_is_reported(
    target: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: str, user: int, group: int) -> None:
        raise PermissionError(errno.EPERM, "no")

    target.write_bytes(b"old")
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("needs to be able to give a file away")
    os.chown(target, 12345, 12345)
    monkeypatch.setattr(syscalls, "set_owner", refuse)
    result = write_plan(plan(Literal(b"new")), [], target, overwrite=True)
    assert result.notes == ("the owner (12345:12345) could not be kept",)


def test_a_link_is_kept_and_its_target_replaced(tmp_path: Path, target: Path) -> None:
    (tmp_path / "sub").mkdir()
    real = tmp_path / "sub" / "real"
    real.write_bytes(b"old")
    target.symlink_to("sub/real")
    write_plan(plan(Literal(b"new")), [], target, overwrite=True)
    assert target.is_symlink()
    assert real.read_bytes() == b"new"
    assert os.listdir(tmp_path / "sub") == ["real"]


def test_a_dangling_link_gets_its_target(target: Path) -> None:
    target.symlink_to("later")
    write_plan(plan(Literal(b"new")), [], target)
    assert target.is_symlink()
    assert target.with_name("later").read_bytes() == b"new"


def test_the_output_may_be_the_input(target: Path) -> None:
    target.write_bytes(b"0123456789")
    with open_source(target) as source:
        view = memoryview(source.buffer)
        write_plan(plan(Literal(b"x"), Copy(5, 5)), [source], target, overwrite=True)
        assert bytes(view) == b"0123456789"
    assert target.read_bytes() == b"x56789"


def test_bad_targets_are_write_errors(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "no" / "folder", tmp_path / ("n" * 300)):
        with pytest.raises(WriteError):
            write_plan(plan(Literal(b"x")), [], path, overwrite=True)
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(WriteError):
        write_plan(plan(Literal(b"x")), [], tmp_path / "loop")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may do all")
def test_a_read_only_folder_is_a_write_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(WriteError, match="Permission denied"):
        write_plan(plan(Literal(b"x")), [], tmp_path / "out")


def test_no_room_is_noticed_before_the_copy(target: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(destination, "free_bytes", lambda folder: 99)
    written: list[int] = []
    monkeypatch.setattr(syscalls, "pwrite", lambda *arguments: written.append(1))
    with pytest.raises(WriteError, match="needs 100 bytes, but 99 are free") as caught:
        write_plan(plan(Literal(bytes(100))), [], target)
    assert isinstance(caught.value.__cause__, OSError)
    assert caught.value.__cause__.errno == errno.ENOSPC
    assert (written, os.listdir(target.parent)) == ([], [])


@pytest.mark.parametrize("lacking", [(), ("copy_file_range",)])
@pytest.mark.parametrize("chunk", [Copy(0, MEBI), Swap(0, MEBI, ((2, 1),))])
def test_a_source_that_shrinks_is_noticed(
    target: Path, chunk: Chunk, lacking: tuple[str, ...]
) -> None:
    path = _file(target, bytes(MEBI))

    def shrink(done: int, total: int) -> None:
        os.truncate(path, 100)

    with open_source(path) as source, without(lacking), pytest.raises(SourceChangedError):
        write_plan(plan(Literal(b"x"), chunk), [source], target, progress=shrink)
    assert os.listdir(target.parent) == [path.name]


def test_a_source_that_changed_before_is_noticed(target: Path) -> None:
    path = _file(target, bytes(100))
    with open_source(path) as source:
        os.utime(path, ns=(1, 1))
        with pytest.raises(SourceChangedError):
            write_plan(plan(Copy(0, 100)), [source], target)
    assert not target.exists()


def test_a_plan_beyond_its_source_is_refused(target: Path) -> None:
    with pytest.raises(SourceChangedError):
        write_plan(plan(Copy(5, 6)), [open_source(bytes(10))], target)
    with pytest.raises(WriteError):
        write_plan(plan(Copy(5, -1)), [open_source(bytes(10))], target)
    with pytest.raises(WriteError, match="whole number of blocks"):
        write_plan(plan(Swap(0, 10, ((4, 1),))), [open_source(bytes(10))], target)
    with pytest.raises(WriteError, match="no such block layout"):
        write_plan(plan(Swap(0, 10, ((5, 1),))), [open_source(bytes(10))], target)
    assert os.listdir(target.parent) == []


def test_a_second_writer_is_refused(target: Path) -> None:
    target.write_bytes(b"old")
    caught: list[Exception] = []

    def write() -> None:
        try:
            write_plan(plan(Literal(b"new")), [], target, overwrite=True)
        except LockedError as error:
            caught.append(error)

    with writer_lock(str(target)):
        thread = threading.Thread(target=write)
        thread.start()
        thread.join()
    assert len(caught) == 1
    assert target.read_bytes() == b"old"
    write()
    assert target.read_bytes() == b"new"
    assert os.listdir(target.parent) == [target.name]


def test_the_second_of_two_edits_from_one_state_is_refused(target: Path) -> None:
    target.write_bytes(b"old")
    with open_source(target) as first, open_source(target) as second:
        write_plan(plan(Copy(0, 3), Literal(b"1")), [first], target, overwrite=True)
        with pytest.raises(SourceChangedError):
            write_plan(plan(Copy(0, 3), Literal(b"2")), [second], target, overwrite=True)
    assert target.read_bytes() == b"old1"


@pytest.mark.skipif(not hasattr(os, "SEEK_DATA"), reason="needs SEEK_DATA")
def test_holes_stay_holes(target: Path) -> None:
    path = target.with_name("sparse")
    with path.open("wb") as file:
        file.write(b"head" * 1000)
        file.seek(40 * MEBI)
        file.write(b"tail" * 1000)
        file.truncate(80 * MEBI)
    if path.stat().st_blocks * 512 > MEBI:
        pytest.skip("this file system has no holes")
    with open_source(path) as source:
        chunks = plan(
            Literal(b"x" * 5000), Copy(4, 50 * MEBI), Swap(4, 60 * MEBI, ((2, 1),)), Zeros(MEBI)
        )
        result = write_plan(chunks, [source], target)
        size = chunks.nbytes
        content = target.read_bytes()
        assert content[5000 : 5000 + 50 * MEBI] == source.buffer[4 : 4 + 50 * MEBI]
        assert b"ehda" in content[5000 + 50 * MEBI : 5000 + 50 * MEBI + 10]
    assert (result.nbytes_total, len(content)) == (size, size)
    assert result.nbytes_written < 13 * MEBI
    assert target.stat().st_blocks * 512 < 13 * MEBI


def test_left_over_temporary_files_are_removed_once_their_writer_is_dead(target: Path) -> None:
    with temporary_file(str(target), 0o600) as alive:
        os.utime(alive.path, ns=(1, 1))
        dead = Path(alive.path + "0")
        dead.write_bytes(b"")
        os.utime(dead, ns=(1, 1))
        fresh = Path(alive.path + "1")
        fresh.write_bytes(b"")
        remove_leftovers(str(target))
        assert (os.path.exists(alive.path), dead.exists(), fresh.exists()) == (True, False, True)


def test_reasons_name_the_file_or_the_folder_of_a_private_one() -> None:
    told = (errno.EACCES, "Permission denied")
    assert reason(OSError(*told, os.path.join("here", "m.gguf"))) == (
        f"Permission denied ({os.path.join('here', 'm.gguf')})"
    )
    assert reason(OSError(*told, journal_path(os.path.join("here", "m.gguf")))) == (
        "Permission denied (in here)"
    )
    assert reason(OSError(*told)) == "Permission denied"

"""Edits in place: what is written, what is refused."""

from __future__ import annotations

import mmap
import os
import random
from typing import TYPE_CHECKING

import pytest

from gguf_construct.errors import LockedError, SourceChangedError, WriteError
from gguf_construct.planning.patches import Room
from gguf_construct.storage.inplace.edit import InsertionUnsupported, execute_in_place
from gguf_construct.storage.inplace.insertion_support import plan_insertion
from gguf_construct.storage.source.source import open_source
from gguf_construct.storage.system import syscalls
from gguf_construct.storage.system.locking import writer_lock
from gguf_construct.storage.write import destination
from gguf_construct.storage.write.new_file import write_plan
from tests.storage.scenarios import (
    DATA,
    OLD,
    PATCHED,
    PATCHES,
    can_insert,
    cut_short_in_place,
    without,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "model.gguf"
    file.write_bytes(OLD)
    return file


def test_patches_are_written_where_they_belong(path: Path) -> None:
    inode = path.stat().st_ino
    with open_source(path) as source:
        result = execute_in_place(PATCHES, path, source=source)
    assert path.read_bytes() == PATCHED
    assert (result.strategy, result.nbytes_total) == ("in-place", len(OLD))
    assert path.stat().st_ino == inode
    assert os.listdir(path.parent) == [path.name]


def test_what_is_there_already_is_not_written(path: Path) -> None:
    before = path.stat().st_mtime_ns
    assert execute_in_place([(0, OLD)], path).nbytes_written == 0
    assert execute_in_place([], path).nbytes_written == 0
    assert path.stat().st_mtime_ns == before
    assert 0 < execute_in_place([(100, b"!")], path).nbytes_written < 1000


@pytest.mark.parametrize("seed", range(20))
def test_random_patches(path: Path, seed: int) -> None:
    rng = random.Random(seed)
    content = bytearray(OLD)
    bounds = sorted(rng.sample(range(len(OLD)), 6))
    patches = [(bounds[i], rng.randbytes(bounds[i + 1] - bounds[i])) for i in (0, 2, 4)]
    for offset, data in patches:
        content[offset : offset + len(data)] = data
    execute_in_place(patches, path)
    assert path.read_bytes() == content


@pytest.mark.parametrize("at", [0, 1, 4095, 4096, 4097, 7000, len(OLD) - 1])
@pytest.mark.parametrize("grow", [1, 4096, 4097])
def test_room_is_inserted(path: Path, at: int, grow: int) -> None:
    if not can_insert(path.parent):
        pytest.skip("this file system cannot insert room")
    room = plan_insertion(path, at, grow, 96)
    assert room is not None
    assert room.offset <= at
    assert room.nbytes >= grow
    assert room.nbytes % 96 == room.nbytes % mmap.ALLOCATIONGRANULARITY == 0
    header = random.Random(at).randbytes(at + room.nbytes)
    result = execute_in_place([(0, header)], path, insertion=room)
    assert path.read_bytes() == header + OLD[at:]
    assert result.strategy == "insert"
    assert result.nbytes_total == len(OLD) + room.nbytes
    assert result.nbytes_written < 2 * len(header) + at + 2000
    assert os.listdir(path.parent) == [path.name]


def test_nothing_is_inserted_at_the_end(path: Path) -> None:
    assert plan_insertion(path, len(OLD), 1) is None
    with pytest.raises(WriteError, match="no room can be inserted"):
        execute_in_place([], path, insertion=Room(1 << 20, 4096))


@pytest.mark.parametrize("lacking", [True, False])
def test_where_no_room_can_be_made_nothing_changes(path: Path, lacking: bool) -> None:
    # Numbers that no file system takes, or a platform without the call.
    room = Room(4096, 4096) if lacking else Room(4095, 33)
    with without(("insert_range",) if lacking else ()), pytest.raises(InsertionUnsupported):
        execute_in_place([(0, b"x" * 5000)], path, insertion=room)
    assert path.read_bytes() == OLD
    assert os.listdir(path.parent) == [path.name]


BAD_PATCHES = [
    [(len(OLD), b"x")],
    [(len(OLD) - 1, b"xy")],
    [(0, b"abc"), (2, b"x")],
    [(5, b"abc"), (1, b"x")],
    [(-1, b"x")],
]


@pytest.mark.parametrize("patches", BAD_PATCHES)
def test_patches_outside_the_file_are_refused(path: Path, patches: list[tuple[int, bytes]]) -> None:
    with pytest.raises(WriteError, match="overlap"):
        execute_in_place(patches, path)
    assert path.read_bytes() == OLD


def test_a_file_that_changed_is_refused(path: Path) -> None:
    with open_source(path) as source:
        os.utime(path, ns=(1, 1))
        with pytest.raises(SourceChangedError):
            execute_in_place(PATCHES, path, source=source)
    assert path.read_bytes() == OLD


def test_another_file_than_the_source_is_refused(path: Path) -> None:
    other = path.with_name("other")
    other.write_bytes(OLD)
    for source in (open_source(other), open_source(OLD)):
        with source, pytest.raises(SourceChangedError):
            execute_in_place(PATCHES, path, source=source)
    assert path.read_bytes() == OLD


def test_a_locked_file_is_refused(path: Path) -> None:
    with writer_lock(str(path)), pytest.raises(LockedError):
        execute_in_place(PATCHES, path)
    assert path.read_bytes() == OLD


def test_an_unfinished_file_is_refused(path: Path) -> None:
    cut_short_in_place(path)
    with pytest.raises(WriteError, match="cut short") as caught:
        execute_in_place([(0, b"x")], path)
    assert "recover" in (caught.value.hint or "")


def test_missing_files_are_write_errors(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match="No such file"):
        execute_in_place([], tmp_path / "missing")


def test_no_room_is_noticed_before_anything_is_written(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(destination, "free_bytes", lambda folder: 99)
    with pytest.raises(WriteError, match="99 are free"):
        execute_in_place(PATCHES, path)
    assert path.read_bytes() == OLD


def test_a_link_leads_to_the_file(path: Path) -> None:
    link = path.with_name("link")
    link.symlink_to(path.name)
    execute_in_place(PATCHES, link)
    assert link.is_symlink()
    assert path.read_bytes() == PATCHED


def test_when_taking_back_fails_too_the_journal_stays(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gguf_construct.storage.inplace.recover import recover

    real = syscalls.pwrite
    names = [0]

    def full(fd: int, data: bytes | memoryview, offset: int) -> int:
        names[0] += 1
        if names[0] > 2:  # the sidecar and the first patch went through
            raise OSError(5, "Input/output error")
        return real(fd, data, offset)

    with monkeypatch.context() as patch:
        patch.setattr(syscalls, "pwrite", full)
        with pytest.raises(WriteError, match="so did taking it back"):
            execute_in_place(PATCHES, path)
    with open_source(path) as source:
        assert source.buffer[:] == OLD
    assert path.read_bytes() != OLD
    assert recover(path).action == "rolled back"
    assert path.read_bytes() == OLD


def test_writing_elsewhere_after_an_insertion(path: Path) -> None:
    """The two strategies mix: a plan made from the file after the insertion."""
    from gguf_construct.core.chunks import Copy, WritePlan

    if not can_insert(path.parent):
        pytest.skip("this file system cannot insert room")
    room = plan_insertion(path, 7000, 1)
    assert room is not None
    execute_in_place([(0, bytes(7000 + room.nbytes))], path, insertion=room)
    with open_source(path) as source:
        plan = WritePlan((Copy(7000 + room.nbytes, len(DATA)),))
        write_plan(plan, [source], path, overwrite=True)
    assert path.read_bytes() == DATA

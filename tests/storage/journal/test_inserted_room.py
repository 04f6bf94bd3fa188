"""Room that was inserted only in part (a power cut, a full disk) is found and taken out again."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

import pytest

from gguf_construct.errors import WriteError
from gguf_construct.planning.patches import Room
from gguf_construct.storage.inplace.edit import execute_in_place
from gguf_construct.storage.inplace.prepare import prepare
from gguf_construct.storage.inplace.recover import find_journal, recover
from gguf_construct.storage.journal.journal_file import save_journal
from gguf_construct.storage.source.source import open_source
from gguf_construct.storage.system import syscalls
from tests.storage.scenarios import can_insert

if TYPE_CHECKING:
    from pathlib import Path

BLOCK = 1 << 16  # a multiple of the block size of every file system with insertions
HEADER = BLOCK + 500
CONTENT = random.Random(1).randbytes(9 * BLOCK + 77)
ROOM = Room(BLOCK, 2 * BLOCK)
PATCH = (0, b"h" * (HEADER + ROOM.nbytes))


@pytest.fixture(params=["dense", "sparse"])
def path(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    if not can_insert(tmp_path):
        pytest.skip("this file system cannot insert room")
    file = tmp_path / "model.gguf"
    with file.open("wb") as out:
        out.write(CONTENT)
        if request.param == "sparse":
            out.seek(5 * BLOCK, os.SEEK_CUR)
            out.write(CONTENT)
            out.truncate(30 * BLOCK)
    return file


def cut_short(path: Path, at: int, written: int) -> bytes:
    """Save the journal, make the room from `at` on only, write so much; the old content."""
    old = path.read_bytes()
    fd = os.open(path, os.O_RDWR)
    try:
        journal, writes = prepare(fd, path.name, [PATCH], ROOM, HEADER)
        save_journal(journal, str(path))
        syscalls.insert_range(fd, at, ROOM.nbytes)
        os.pwrite(fd, writes[0][1][:written], 0)
    finally:
        os.close(fd)
    return old


@pytest.mark.parametrize("at", [2, 3, 4, 8, 9])
def test_room_further_up_is_taken_out_where_it_is(path: Path, at: int) -> None:
    old = cut_short(path, at * BLOCK, 0)
    assert state_of(path) == "torn"
    with pytest.raises(WriteError, match="only recovery"):
        open_source(path)
    assert recover(path).action == "rolled back"
    assert path.read_bytes() == old
    assert os.listdir(path.parent) == [path.name]


def state_of(path: Path) -> str:
    found = find_journal(path)
    assert found is not None
    return found.state


@pytest.mark.parametrize("written", [0, 1, 4096, BLOCK, BLOCK + 4096, 2 * BLOCK, 3 * BLOCK + 100])
def test_room_at_its_place_is_recognised_however_much_was_written(path: Path, written: int) -> None:
    old = cut_short(path, BLOCK, written)
    assert state_of(path) == "mixed"
    with open_source(path) as source:
        assert source.buffer[:] == old
    assert recover(path).action == "rolled back"
    assert path.read_bytes() == old


def test_a_disk_that_fills_up_while_shifting(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = syscalls.insert_range

    def shift_in_part(fd: int, offset: int, nbytes: int) -> None:
        real(fd, 4 * BLOCK, nbytes)
        raise OSError(28, "No space left on device")

    old = path.read_bytes()
    monkeypatch.setattr(syscalls, "insert_range", shift_in_part)
    with pytest.raises(WriteError, match="No space left"):
        execute_in_place([PATCH], path, insertion=ROOM)
    assert path.read_bytes() == old
    assert os.listdir(path.parent) == [path.name]

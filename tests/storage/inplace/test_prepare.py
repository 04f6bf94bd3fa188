"""The journal of an edit, and the writes that remain of it, byte by byte."""

from __future__ import annotations

import os
import random
import zlib
from typing import TYPE_CHECKING

import pytest

from gguf_construct.planning.patches import Room
from gguf_construct.storage.inplace.edit import execute_in_place
from gguf_construct.storage.inplace.prepare import prepare
from gguf_construct.storage.inplace.recover import recover
from gguf_construct.storage.journal import inserted_room
from gguf_construct.storage.journal.journal_file import save_journal
from gguf_construct.storage.source.source import open_source
from gguf_construct.storage.system import syscalls
from tests.storage.scenarios import can_insert, patched

if TYPE_CHECKING:
    from pathlib import Path

    from gguf_construct.storage.journal.journal import Journal

PAGE = 4096
OLD = random.Random(7).randbytes(11 * PAGE + 123)
HEADER = 6 * PAGE + 7
Patches = list[tuple[int, bytes]]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "model.gguf"
    file.write_bytes(OLD)
    return file


def random_patches(rng: random.Random, size: int = len(OLD)) -> Patches:
    """Patches at any offset of which some stretches are there already, some in part of a page."""
    bounds = sorted(rng.sample(range(size + 1), 2 * rng.randint(1, 4)))
    patches = []
    for begin, end in zip(bounds[::2], bounds[1::2], strict=True):
        data = bytearray(OLD[begin:end])
        for _ in range(rng.randint(0, 4)):
            at = rng.randrange(end - begin)
            stop = min(end - begin, at + rng.choice([1, 5, 600, PAGE, 3 * PAGE]))
            data[at:stop] = rng.randbytes(stop - at)
        patches.append((begin, bytes(data)))
    return patches


def prepared(path: Path, patches: Patches, room: Room | None = None) -> tuple[Journal, Patches]:
    fd = os.open(path, os.O_RDWR)
    try:
        return prepare(fd, path.name, patches, room, HEADER)
    finally:
        os.close(fd)


@pytest.mark.parametrize("seed", range(60))
def test_what_is_written_and_what_is_saved(path: Path, seed: int) -> None:
    patches = random_patches(random.Random(seed))
    new = patched(OLD, patches)
    journal, writes = prepared(path, patches)
    assert patched(OLD, writes) == new
    assert sum(len(data) for _, data in writes) <= sum(len(data) for _, data in patches)
    # No write covers a whole page that is there already.
    for offset, data in writes:
        for at in range(-offset % PAGE, len(data) - PAGE + 1, PAGE):
            assert data[at : at + PAGE] != OLD[offset + at : offset + at + PAGE]
    assert journal.old_size == journal.new_size == len(OLD)
    assert journal.inode == path.stat().st_ino
    assert [(one.offset, one.data) for one in journal.saved] == [
        (offset, OLD[offset : offset + len(data)]) for offset, data in writes
    ]
    assert [(one.offset, one.data) for one in journal.patches] == writes
    for patch in journal.patches:
        assert journal.bytes_before(patch) == OLD[patch.offset : patch.offset + patch.nbytes]
    for one in journal.saved:
        assert journal.bytes_after(one) == new[one.offset : one.offset + len(one.data)]
    kept = bytearray()
    for at in range(HEADER):
        if not any(one.offset <= at < one.offset + len(one.data) for one in journal.saved):
            kept.append(OLD[at])
    assert journal.rest == (HEADER, zlib.crc32(kept))
    assert journal.name == path.name
    assert journal.space == ()


@pytest.mark.parametrize("seed", range(60))
def test_patches_in_place_are_the_new_file(path: Path, seed: int) -> None:
    patches = random_patches(random.Random(seed))
    result = execute_in_place(patches, path)
    assert path.read_bytes() == patched(OLD, patches)
    assert (result.nbytes_written > 0) == (patched(OLD, patches) != OLD)
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize("seed", range(60))
def test_cut_short_anywhere_they_are_the_old_one(path: Path, seed: int) -> None:
    rng = random.Random(seed)
    journal, writes = prepared(path, random_patches(rng))
    if not writes:
        return
    save_journal(journal, str(path))
    with path.open("r+b") as file:
        for offset, data in writes[: rng.randrange(len(writes))]:
            file.seek(offset)
            file.write(data)
        offset, data = rng.choice(writes)
        file.seek(offset)
        file.write(data[: rng.randrange(len(data) + 1)])
    with open_source(path) as source:
        assert source.buffer[:] in (OLD, path.read_bytes())
        if source.unfinished_journal and source.unfinished_journal.state == "mixed":
            assert source.buffer[:] == OLD
    action = recover(path).action
    content = path.read_bytes()
    assert content == OLD or (action == "completed" and content == patched(OLD, writes))


@pytest.mark.parametrize("seed", range(20))
def test_with_room_inserted(path: Path, seed: int) -> None:
    if not can_insert(path.parent):
        pytest.skip("this file system cannot insert room")
    rng = random.Random(seed)
    room = Room(rng.randrange(10) * PAGE, PAGE * rng.randint(1, 3))
    shifted = OLD[: room.offset] + bytes(room.nbytes) + OLD[room.offset :]
    stop = rng.randrange(room.offset + room.nbytes, len(shifted) + 1)
    patches = [(0, rng.randbytes(stop))]
    journal, writes = prepared(path, patches, room)
    assert writes == patches
    assert journal.new_size == len(OLD) + room.nbytes
    saved = patched(bytes(len(OLD)), [(one.offset, one.data) for one in journal.saved])
    kept = max(room.offset, stop - room.nbytes)
    assert saved[:kept] == OLD[:kept]
    assert sum(len(one.data) for one in journal.saved) == kept
    assert all(one.data for one in journal.saved)
    before = journal.bytes_before(journal.patches[0])
    assert (
        before
        == (shifted[: room.offset] + bytes(room.nbytes) + shifted[room.offset + room.nbytes :])[
            :stop
        ]
    )
    execute_in_place(patches, path, insertion=room)
    assert path.read_bytes() == patches[0][1] + shifted[stop:]


def test_the_space_map_is_what_the_file_system_says(path: Path) -> None:
    if not can_insert(path.parent):
        pytest.skip("this file system cannot insert room")
    with path.open("r+b") as file:
        file.truncate(40 * PAGE)
        file.seek(30 * PAGE)
        file.write(b"x" * PAGE)
        file.flush()
        os.fsync(file.fileno())
    room = Room(2 * PAGE, PAGE)
    journal, _ = prepared(path, [(0, b"new")], room)
    assert journal.space == ((2 * PAGE, 12 * PAGE), (30 * PAGE, 31 * PAGE))
    fd = os.open(path, os.O_RDWR)
    try:
        assert inserted_room.space_map(fd, 0)[0] == (0, 12 * PAGE)
        assert inserted_room.space_map(fd, 31 * PAGE) == ()
    finally:
        os.close(fd)


def test_neighbouring_extents_are_one_and_cut_ones_stay_inside(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    size = path.stat().st_size
    told = [(0, PAGE), (PAGE, 3 * PAGE), (4 * PAGE, 5 * PAGE), (size - 10, size + PAGE)]
    monkeypatch.setattr(syscalls, "extents", lambda fd, begin, end: told)
    fd = os.open(path, os.O_RDWR)
    try:
        assert inserted_room.space_map(fd, 100) == (
            (100, 3 * PAGE),
            (4 * PAGE, 5 * PAGE),
            (size - 10, size),
        )
        assert inserted_room.space_map(fd, 3 * PAGE) == ((4 * PAGE, 5 * PAGE), (size - 10, size))
        monkeypatch.setattr(inserted_room, "_MOST_RANGES", 3)
        assert len(inserted_room.space_map(fd, 100)) == 3
        monkeypatch.setattr(inserted_room, "_MOST_RANGES", 2)
        with pytest.raises(syscalls.Unsupported, match="very many holes"):
            inserted_room.space_map(fd, 100)
    finally:
        os.close(fd)


def test_no_patches_need_no_journal(path: Path) -> None:
    journal, writes = prepared(path, [(0, OLD[:100]), (200, b""), (5000, OLD[5000:9000])])
    assert writes == []
    assert (journal.saved, journal.patches) == ((), ())

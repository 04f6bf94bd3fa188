"""Journals: what they hold, what they tell about a file, and what is done with bad ones."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from gguf_construct.errors import WriteError
from gguf_construct.planning.patches import Room
from gguf_construct.storage.inplace.prepare import prepare
from gguf_construct.storage.journal.journal import (
    SECTOR,
    Journal,
    Patch,
    Rest,
    Saved,
    gaps,
    sectors,
)
from gguf_construct.storage.source.source import open_source
from gguf_construct.storage.write.new_file import write_plan
from tests.storage.scenarios import (
    OLD,
    PATCHED,
    PATCHES,
    cut_short_in_place,
)

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "model.gguf"
    file.write_bytes(OLD)
    return file


@pytest.mark.skipif(sys.platform != "linux" or sys.maxsize < 2**40, reason="needs room to map")
def test_a_file_larger_than_memory_is_shown(path: Path) -> None:
    size = 1 << 40
    try:
        os.truncate(path, size)
    except OSError:
        pytest.skip("this file system holds no such file")
    cut_short_in_place(path)
    with open_source(path) as source:
        assert source.unfinished_journal is not None
        assert source.unfinished_journal.state == "mixed"
        assert source.size == size
        assert source.buffer[: len(OLD)] == OLD


def test_a_whole_file_is_not_written_over_an_unfinished_one(path: Path) -> None:
    from gguf_construct.core.chunks import Copy, WritePlan

    cut_short_in_place(path)
    with open_source(path) as source:
        plan = WritePlan((Copy(0, source.size),))
        with pytest.raises(WriteError, match="cut short"):
            write_plan(plan, [source], path, overwrite=True)
        elsewhere = path.with_name("copy.gguf")
        write_plan(plan, [source], elsewhere)
    assert elsewhere.read_bytes() == OLD


def test_the_journal_of_small_changes_is_small(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY)
    try:
        whole = [(0, PATCHED[:9000])]
        journal, writes = prepare(fd, path.name, whole, None)
        nothing, no_writes = prepare(fd, path.name, [(0, OLD)], None)
    finally:
        os.close(fd)
    assert sum(len(saved.data) for saved in journal.saved) <= 2 * 4096
    assert (nothing.saved, nothing.patches, no_writes) == ((), (), [])
    assert all(len(data) <= 2 * 4096 for _, data in writes)
    assert PATCHES[0][0] < writes[0][0] + len(writes[0][1])


ROOM = Journal(
    1,
    "m",
    10,
    Room(4, 3),
    (Saved(0, b"abcd"), Saved(4, b"ef"), Saved(8, b"ij")),
    (Patch(0, b"ABCDXYZEF"), Patch(11, b"IJ")),
    Rest(10, 0),
)


def test_what_stood_before_and_what_will_stand() -> None:
    """A file abcdefghij that becomes ABCDXYZEFghIJ, with three bytes of room in front of the e."""
    assert ROOM.new_size == 13
    assert [ROOM.shifted(at) for at in (0, 3, 4, 9)] == [0, 3, 7, 12]
    first, second = ROOM.patches
    assert (first.nbytes, second.nbytes) == (9, 2)
    assert ROOM.bytes_before(first) == b"abcd\0\0\0ef"
    assert ROOM.bytes_before(second) == b"ij"
    assert ROOM.bytes_before(Patch(2, bytes(3))) == b"cd\0"
    assert ROOM.bytes_before(Patch(8, bytes(4))) == b"f\0\0i"
    assert [ROOM.bytes_after(one) for one in ROOM.saved] == [b"ABCD", b"EF", b"IJ"]
    plain = ROOM._replace(insertion=None)
    assert plain.new_size == 10
    assert plain.shifted(9) == 9
    assert plain.bytes_after(Saved(7, b"xyz")) == b"EFz"
    assert plain.bytes_before(Patch(3, bytes(6))) == b"def\0\0i"


@pytest.mark.parametrize(
    ("places", "end", "found"),
    [
        ([], 0, []),
        ([], 5, [(0, 5)]),
        ([(0, 5)], 5, []),
        ([(1, 2)], 5, [(0, 1), (3, 5)]),
        ([(1, 2), (3, 1)], 5, [(0, 1), (4, 5)]),
        ([(4, 9)], 5, [(0, 4)]),
        ([(5, 2)], 5, [(0, 5)]),
        ([(7, 2)], 5, [(0, 5)]),
    ],
)
def test_gaps_are_what_is_not_saved(
    places: list[tuple[int, int]], end: int, found: list[tuple[int, int]]
) -> None:
    saved = [Saved(offset, bytes(nbytes)) for offset, nbytes in places]
    assert list(gaps(saved, end)) == found


@pytest.mark.parametrize("offset", [0, 1, 511, 512, 513])
@pytest.mark.parametrize("nbytes", [0, 1, 511, 512, 513, 1500])
def test_sectors_end_where_those_of_the_disk_do(offset: int, nbytes: int) -> None:
    data = os.urandom(nbytes)
    parts = list(sectors(offset, data))
    assert b"".join(part for _, part in parts) == data
    at = offset
    for where, part in parts:
        assert where == at
        assert 0 < len(part) <= SECTOR
        at += len(part)
        assert at == offset + nbytes or at % SECTOR == 0

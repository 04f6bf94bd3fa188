"""Where a file with a journal beside it stands, and what is done about it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from gguf_construct.errors import WriteError
from gguf_construct.storage.inplace.recover import find_journal, recover
from gguf_construct.storage.journal.state import inspect
from gguf_construct.storage.source.source import open_source
from gguf_construct.storage.system.private_names import journal_path
from tests.storage.scenarios import (
    OLD,
    PATCHED,
    can_insert,
    cut_short_after,
    cut_short_before,
    cut_short_in_place,
    cut_short_insertion,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "model.gguf"
    file.write_bytes(OLD)
    return file


STATES: list[tuple[Callable[[Path], None], str, bytes, str]] = [
    (cut_short_before, "old", OLD, "discarded"),
    (cut_short_in_place, "mixed", OLD, "rolled back"),
    (cut_short_insertion, "mixed", OLD, "rolled back"),
    (cut_short_after, "new", PATCHED, "completed"),
]


@pytest.mark.parametrize(("leave", "state", "content", "action"), STATES)
def test_states(
    path: Path, leave: Callable[[Path], None], state: str, content: bytes, action: str
) -> None:
    if leave is cut_short_insertion and not can_insert(path.parent):
        pytest.skip("this file system cannot insert room")
    leave(path)
    found = find_journal(path)
    assert found is not None
    assert (found.state, found.path) == (state, journal_path(str(path)))
    with open_source(path) as source:
        assert bytes(source.buffer[:]) == content
        assert source.unfinished_journal == found
        assert source.size == len(content)
    result = recover(path)
    assert (result.action, path.read_bytes()) == (action, content)
    assert os.listdir(path.parent) == [path.name]
    assert (recover(path).action, find_journal(path)) == ("nothing", None)


def test_a_torn_sector_is_rolled_back(path: Path) -> None:
    cut_short_in_place(path)
    with path.open("r+b") as file:  # sector by sector, as a power cut leaves them
        file.write(PATCHED[:512] + OLD[512:1024])
    assert recover(path).action == "rolled back"
    assert path.read_bytes() == OLD


def test_another_file_under_the_name_is_left_alone(path: Path) -> None:
    cut_short_in_place(path)
    other = path.with_name("other")
    other.write_bytes(bytes(len(OLD)))
    other.replace(path)
    found = find_journal(path)
    assert found is not None
    assert found.state == "foreign"
    with open_source(path) as source:
        assert not any(bytes(source.buffer))
    with pytest.raises(WriteError, match="in no state of the edit") as caught:
        recover(path)
    assert caught.value.hint is not None
    assert not any(path.read_bytes())
    assert os.path.exists(found.path)


@pytest.mark.parametrize("grow", [-1, 1])
def test_a_file_of_another_length_is_never_forced(path: Path, grow: int) -> None:
    cut_short_in_place(path)
    os.truncate(path, len(OLD) + grow)
    for force in (False, True):
        with pytest.raises(WriteError) as caught:
            recover(path, force=force)
        assert "--force" not in str(caught.value.hint)  # what cannot be done is not advised


def test_a_copied_pair_can_be_forced(path: Path) -> None:
    cut_short_in_place(path)
    copy = path.with_name("copy.gguf")
    copy.write_bytes(path.read_bytes())
    sidecar = journal_path(str(path))
    os.rename(sidecar, journal_path(str(copy)))
    with pytest.raises(WriteError) as caught:
        recover(copy)
    assert "--force" in str(caught.value.hint)
    assert recover(copy, force=True).action == "rolled back"
    assert copy.read_bytes() == OLD


def inspected(path: Path) -> str:
    found = find_journal(path)
    assert found is not None
    return found.state


def test_a_file_that_was_not_touched_yet(path: Path) -> None:
    cut_short_in_place(path)
    with path.open("r+b") as file:
        file.write(OLD)
    assert inspected(path) == "old"
    assert recover(path).action == "discarded"


TORN = range(4096, 5632, 512)  # whole sectors of the second patch


def torn(kind: str, count: int) -> bytes:
    """The old file with some sectors of the edit, each cut in its middle."""
    content = bytearray(PATCHED if kind == "new, old end" else OLD)
    for at in TORN[:count]:
        middle, end = at + 200, at + 512
        if kind == "new, then old":
            content[at:middle] = PATCHED[at:middle]
        elif kind == "old, then new":
            content[middle:end] = PATCHED[middle:end]
        elif kind == "old inside new":
            content[at : at + 10] = PATCHED[at : at + 10]
            content[end - 10 : end] = PATCHED[end - 10 : end]
            assert content[at:end] not in (OLD[at:end], PATCHED[at:end])
        elif kind == "new, old end":
            content[middle:end] = OLD[middle:end]
        else:
            content[middle] ^= 0xFF
    return bytes(content)


@pytest.mark.parametrize(
    ("kind", "count", "state"),
    [
        ("new, then old", 1, "mixed"),
        ("new, then old", 2, "mixed"),
        ("new, then old", 3, "foreign"),
        ("old, then new", 2, "mixed"),
        ("old, then new", 3, "foreign"),
        ("new, old end", 1, "mixed"),
        ("old inside new", 1, "foreign"),
        ("another byte", 1, "foreign"),
        ("another byte", 0, "old"),
        ("new, old end", 0, "new"),
    ],
)
def test_sectors_may_be_torn_but_hold_nothing_else(
    path: Path, kind: str, count: int, state: str
) -> None:
    cut_short_in_place(path)
    with path.open("r+b") as file:
        file.write(torn(kind, count))
    assert inspected(path) == state


def test_the_rest_of_the_header_must_be_as_it_was(path: Path) -> None:
    cut_short_in_place(path)
    with path.open("r+b") as file:
        file.write(OLD)
    for at, state in (
        (0, "foreign"),
        (9, "foreign"),
        (6989, "foreign"),
        (7000, "old"),
        (9000, "old"),
    ):
        with path.open("r+b") as file:
            file.seek(at)
            file.write(bytes([OLD[at] ^ 1]))
            file.flush()
            assert inspected(path) == state, at
            file.seek(at)
            file.write(OLD[at : at + 1])


@pytest.mark.parametrize("is_insertion", [False, True])
def test_a_copy_is_as_good_as_the_file(path: Path, is_insertion: bool) -> None:
    if is_insertion and not can_insert(path.parent):
        pytest.skip("this file system cannot insert room")
    (cut_short_insertion if is_insertion else cut_short_in_place)(path)
    copy = path.with_name("copy")
    copy.write_bytes(path.read_bytes())
    copy.replace(path)
    assert inspected(path) == "mixed"


def test_a_journal_belongs_to_a_name_or_an_inode(path: Path) -> None:
    cut_short_in_place(path)
    journal, other = journal_path(str(path)), path.with_name("other.gguf")
    path.rename(other)
    os.rename(journal, journal_path(str(other)))
    assert inspected(other) == "mixed"
    copy = other.read_bytes()
    other.unlink()
    path.write_bytes(b"")  # takes the inode
    other.write_bytes(copy)
    assert inspected(other) == "foreign"


def test_old_bytes_prove_the_file_whatever_its_inode(path: Path) -> None:
    cut_short_in_place(path)
    path.unlink()
    path.write_bytes(OLD)
    assert inspected(path) == "old"
    path.unlink()
    path.write_bytes(PATCHED)
    assert inspected(path) == "new"


def test_an_insertion_that_was_not_made_yet(path: Path) -> None:
    if not can_insert(path.parent):
        pytest.skip("this file system cannot insert room")
    cut_short_insertion(path)
    with path.open("r+b") as file:
        file.truncate(len(OLD))
        file.write(OLD)
    assert inspected(path) == "old"
    with path.open("r+b") as file:
        file.write(b"?" * 10)
    assert inspected(path) == "foreign"
    with path.open("r+b") as file:
        file.write(b"new" * 1365)  # taken out again, and not yet put back: as it was written
    assert inspected(path) == "mixed"
    path.write_bytes(OLD + b"?")
    assert inspected(path) == "foreign"


def test_a_journal_that_went_meanwhile_is_none(path: Path) -> None:
    fd = os.open(path, os.O_RDONLY)
    try:
        assert inspect(fd, journal_path(str(path)), path.name) is None
    finally:
        os.close(fd)

"""A file with an unfinished edit, shown as it was."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from gguf_construct.errors import WriteError
from gguf_construct.storage.journal import restored_view as module
from gguf_construct.storage.journal.restored_view import restored_view
from gguf_construct.storage.journal.state import UnfinishedJournal
from gguf_construct.storage.system.private_names import journal_path
from tests.storage.scenarios import (
    OLD,
    PATCHED,
    can_insert,
    cut_short_after,
    cut_short_in_place,
    cut_short_insertion,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    file = tmp_path / "model.gguf"
    file.write_bytes(OLD)
    return file


@pytest.fixture
def view(path: Path) -> Iterator[Callable[[], tuple[bytes, str] | None]]:
    """Content and state as they are shown."""
    fd = os.open(path, os.O_RDONLY)

    def look() -> tuple[bytes, str] | None:
        found = restored_view(fd, journal_path(str(path)), path.name)
        if found is None:
            return None
        buffer, journal = found
        content = bytes(buffer[:])
        if not isinstance(buffer, bytes):
            buffer.close()
        return content, journal.state

    yield look
    os.close(fd)


View = "Callable[[], tuple[bytes, str] | None]"


def test_without_a_journal_there_is_nothing_to_show(view: Callable[[], object]) -> None:
    assert view() is None


@pytest.mark.parametrize("is_plain", [False, True])
def test_the_old_bytes_are_put_back_in_memory_only(
    path: Path, view: Callable[[], object], is_plain: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_plain:
        monkeypatch.delattr("mmap.MAP_PRIVATE")
    cut_short_in_place(path)
    mixed = path.read_bytes()
    assert mixed not in (OLD, PATCHED)
    assert view() == (OLD, "mixed")
    assert path.read_bytes() == mixed


def test_inserted_room_is_left_out(path: Path, view: Callable[[], object]) -> None:
    if not can_insert(path.parent):
        pytest.skip("this file system cannot insert room")
    cut_short_insertion(path)
    assert view() == (OLD, "mixed")


def test_what_was_finished_is_shown_as_it_is(path: Path, view: Callable[[], object]) -> None:
    cut_short_after(path)
    assert view() == (PATCHED, "new")


def test_an_empty_file_beside_a_journal_is_empty(path: Path, view: Callable[[], object]) -> None:
    cut_short_in_place(path)
    os.truncate(path, 0)
    assert view() == (b"", "foreign")


def test_torn_room_cannot_be_shown(
    path: Path, view: Callable[[], object], monkeypatch: pytest.MonkeyPatch
) -> None:
    torn = UnfinishedJournal("there", "torn", None)
    monkeypatch.setattr(module, "inspect", lambda fd, sidecar, name: torn)
    with pytest.raises(WriteError, match="only recovery can show the file as it was") as caught:
        view()
    assert "recover" in str(caught.value.hint)

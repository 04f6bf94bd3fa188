"""Reading a file while another process edits it where it lies."""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING, Any

import pytest

import gguf_construct as gc
from gguf_construct import model as model_module
from gguf_construct.cli.main import run
from gguf_construct.core.codec import parse_body
from gguf_construct.errors import SourceChangedError, UnfinishedEditWarning, WriteError
from gguf_construct.storage.journal import restored_view
from gguf_construct.storage.journal.state import UnfinishedJournal, inspect
from gguf_construct.storage.source import source
from gguf_construct.storage.system.locking import writer_lock
from gguf_construct.storage.system.private_names import journal_path
from gguf_construct.validation import validate
from tests.storage.scenarios import cut_short
from tests.support.files import write_vocabulary_model

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_vocabulary_model(tmp_path)


def _edit(path: Path, *, is_all_written: bool) -> None:
    """An edit of the last bytes, which no parser minds, whose journal is still there."""
    data = b"\xa5" * 64
    at = path.stat().st_size - len(data)
    cut_short(path, [(at, data)])
    if is_all_written:
        with open(path, "r+b") as file:
            file.seek(at)
            file.write(data)


@pytest.mark.parametrize("is_all_written", [True, False])
def test_a_file_is_read_again_when_the_edit_ended_meanwhile(
    path: Path, is_all_written: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From then on the next edit shows through, journal or not."""
    _edit(path, is_all_written=is_all_written)
    content = path.read_bytes()
    calls = []

    def end_first(buffer: Any, *limits: Any) -> Any:
        calls.append(bytes(buffer))
        if len(calls) == 1:
            os.unlink(journal_path(str(path)))
            path.write_bytes(original)
        return parse_body(buffer, *limits)

    with writer_lock(str(path)), source.open_source(path) as shown:
        original = bytes(shown.buffer)
        assert shown.unfinished_journal is not None
        assert shown.unfinished_journal.state == ("new" if is_all_written else "mixed")
        assert not shown.is_stale()
        assert (original == content) == is_all_written
    monkeypatch.setattr(model_module, "parse_body", end_first)
    with writer_lock(str(path)), gc.open(path) as model:
        assert model.source.unfinished_journal is None
    assert len(calls) == 2


def test_what_is_all_written_is_read_again_when_it_changes(path: Path) -> None:
    _edit(path, is_all_written=True)
    with source.open_source(path) as shown:
        assert not shown.is_stale()
        os.utime(path, ns=(1, 1))
        assert shown.is_stale()


def test_an_edit_that_ends_in_time_was_not_cut_short(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _edit(path, is_all_written=True)

    def end(_: str) -> bool:
        os.unlink(journal_path(str(path)))
        return False

    monkeypatch.setattr(source, "is_being_written", end)
    with gc.open(path) as model:  # without a warning
        assert model.source.unfinished_journal is None


@pytest.mark.parametrize("is_running", [True, False])
@pytest.mark.parametrize("verb", ["show", "validate"])
def test_room_that_is_being_made(
    path: Path, verb: str, is_running: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only recovery could show the file, unless the writer is still there and goes on."""
    _edit(path, is_all_written=True)
    monkeypatch.setattr(source, "_PAUSE", 0)
    sidecar = journal_path(str(path))
    seen = []

    def look(fd: int, where: str, name: str) -> UnfinishedJournal | None:
        seen.append(where)
        if len(seen) > 2:
            os.unlink(sidecar)
            return inspect(fd, where, name)
        return UnfinishedJournal(where, "torn", None)

    monkeypatch.setattr(restored_view, "inspect", look)
    if is_running:
        with writer_lock(str(path)):
            assert run([verb, str(path)]) in (0, 1)
        assert len(seen) == 3
    else:
        assert run([verb, str(path)]) == 4
        with pytest.raises(WriteError, match="only recovery"):
            gc.open(path)


class _Interfering:
    """Checks a file that is changed meanwhile, so many times."""

    def __init__(self, path: Path, times: int, *, breaks: bool) -> None:
        self.path, self.left, self.breaks = path, times, breaks
        self.check = validate.validate

    def __call__(self, buffer: Any, **how: Any) -> validate.Report:
        self.left -= 1
        if self.left < 0:
            return self.check(buffer, **how)
        os.utime(self.path, ns=(self.left, self.left))
        if self.breaks:
            raise struct.error("a length out of nowhere")
        return self.check(b"half of it", **how)


@pytest.mark.parametrize("breaks", [True, False])
def test_a_file_is_checked_again_when_it_changes_meanwhile(
    path: Path, breaks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source, "_PAUSE", 0)
    sound = gc.validate(path)
    monkeypatch.setattr(validate, "validate", _Interfering(path, 3, breaks=breaks))
    assert gc.validate(path) == sound
    monkeypatch.setattr(validate, "validate", _Interfering(path, 3, breaks=breaks))
    assert run(["validate", str(path)]) == (0 if sound.ok else 1)
    monkeypatch.setattr(validate, "validate", _Interfering(path, 99, breaks=breaks))
    with pytest.raises(SourceChangedError, match="being changed"):
        gc.validate(path)
    assert run(["validate", str(path)]) == 4


def test_no_bytes_are_made_from_a_file_that_changed(path: Path) -> None:
    content = path.read_bytes()
    with gc.open(path) as model:
        assert model.to_bytes() == content
        os.utime(path, ns=(1, 1))
        with pytest.raises(SourceChangedError, match="changed"):
            model.to_bytes()


def test_what_goes_wrong_with_a_file_at_rest_is_told(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("a mistake of ours")

    monkeypatch.setattr(validate, "validate", fail)
    with pytest.raises(RuntimeError, match="of ours"):
        gc.validate(path)


def test_the_warning_points_at_whoever_opened_the_model(path: Path) -> None:
    _edit(path, is_all_written=True)
    with pytest.warns(UnfinishedEditWarning) as told:
        gc.open(path).close()
    assert [one.filename for one in told] == [__file__]

"""Saving an open model by each strategy: the file afterwards, and the model afterwards."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

import gguf_construct as gc
from gguf_construct import model as model_module
from gguf_construct.core.codec import parse_body
from gguf_construct.errors import (
    BuildError,
    LockedError,
    ParseError,
    SourceChangedError,
    UnfinishedEditWarning,
    VerificationError,
    WriteError,
)
from gguf_construct.planning import strategy
from gguf_construct.planning.options import SaveOptions
from gguf_construct.planning.reserve import reserve_key, reserve_nbytes
from gguf_construct.storage.inplace import insertion_support
from gguf_construct.storage.inplace.edit import InsertionUnsupported
from gguf_construct.storage.save import verify
from gguf_construct.storage.source import source as source_module
from gguf_construct.storage.source.source import open_source
from gguf_construct.storage.system import syscalls
from gguf_construct.storage.system.locking import writer_lock
from tests.storage.scenarios import can_insert, cut_short
from tests.support.files import write_vocabulary_model

if TYPE_CHECKING:
    from pathlib import Path

KEY = "general.name"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A model with a kilobyte in reserve."""
    path = write_vocabulary_model(tmp_path)
    with gc.open(path) as model:
        model.save(reserve=1000)
    return path


def needs_insertion(path: Path) -> None:
    if not can_insert(path.parent):
        pytest.skip("this file system cannot insert room")


def _check(model: gc.Model, path: Path, name: str) -> None:
    """The model and the file on the disk are the same, and hold what was saved."""
    with gc.open(path) as fresh:
        for shown in (model, fresh):
            assert shown.metadata[KEY] == name
            assert shown.metadata["tokenizer.ggml.tokens"].raw(4) == b"\xff\xfe"
            assert shown.tensors["weight"].dequantize()[0] == 1
        assert model.data_start == fresh.data_start
        assert not model.metadata.is_changed
    assert os.listdir(path.parent) == [path.name]


@pytest.mark.parametrize("way", ["in-place", "insert", "replace", "auto"])
def test_a_model_goes_on_after_each_save(path: Path, way: str) -> None:
    if way == "insert":
        needs_insertion(path)
    with gc.open(path) as model:
        for length in (100, 3, 300, 0, 300):
            model.metadata[KEY] = "x" * length
            result = model.save(strategy=way)
            assert result.reserve == reserve_nbytes(model)
            assert result.strategy == ("in-place" if way == "auto" else way)
            _check(model, path, "x" * length)


def test_in_place_keeps_the_file(path: Path) -> None:
    inode = path.stat().st_ino
    with gc.open(path) as model:
        before = model.data_start
        model.metadata[KEY] = "longer than it was"
        result = model.save(strategy="in-place")
        assert result.nbytes_written < 3 * model.header_end
        assert model.data_start == before
    assert path.stat().st_ino == inode


def test_what_was_taken_from_the_model_before_keeps_its_value(path: Path) -> None:
    with gc.open(path) as model:
        old = model.metadata.field(KEY)
        tokens = model.metadata["tokenizer.ggml.tokens"]
        kept = model.metadata.field("tokenizer.ggml.tokens")
        before = old.encoded, kept.encoded
        model.metadata[KEY] = "another name"
        model.save(strategy="in-place")
        assert (old.encoded, kept.encoded) == before
        assert (old.value, tokens[1]) == ("Anné", "<s>")


def test_views_of_tensors_are_respected(path: Path) -> None:
    with gc.open(path) as model:
        weights = model.tensors["weight"].data
        before = weights.tobytes()
        model.metadata[KEY] = "with a view"
        result = model.save(strategy="auto")
        assert result.strategy == "replace"
        assert "views" in result.notes[0]
        assert weights.tobytes() == before
        again = model.tensors["weight"].data
        model.metadata[KEY] = "with a view of a file that stays"
        assert model.save(strategy="in-place").strategy == "in-place"
        assert again.tobytes() == before
        held = model.tensors["weight"].data
        model.metadata[KEY] = "moved?"
        with pytest.raises(WriteError, match="views"):
            model.save(strategy="insert")
        assert held.tobytes() == before
        assert model.metadata[KEY] == "moved?"
        model.save()
        _check(model, path, "moved?")


def test_a_file_system_without_insertions(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any) -> None:
        raise syscalls.Unsupported

    monkeypatch.setattr(syscalls, "insert_range", refuse)
    monkeypatch.setattr(strategy, "LARGE", 0)
    monkeypatch.setattr(insertion_support, "can_insert", lambda path: True)
    with gc.open(path) as model:
        model.metadata[KEY] = "x" * 5000
        with pytest.raises(InsertionUnsupported):
            model.save(strategy="insert")
        assert model.metadata.is_changed
        result = model.save(strategy="auto")
        assert result.strategy == "replace"
        assert "make room" in result.notes[0]
        _check(model, path, "x" * 5000)


def test_a_refused_save_leaves_model_and_file(path: Path) -> None:
    before = path.read_bytes()
    with gc.open(path) as model:
        model.metadata[KEY] = "later"
        with writer_lock(str(path)), pytest.raises(LockedError):
            model.save(strategy="in-place")
        assert path.read_bytes() == before
        assert model.tensors["weight"].raw
        model.save(strategy="in-place")
        _check(model, path, "later")


def test_a_file_that_changed_is_not_written(path: Path) -> None:
    with gc.open(path) as first, gc.open(path) as second:
        first.metadata[KEY] = "first"
        second.metadata["x.flag"] = False
        first.save(strategy="in-place")
        for way in ("in-place", "replace"):
            with pytest.raises(SourceChangedError):
                second.save(strategy=way)
        _check(first, path, "first")


@pytest.mark.parametrize("level", verify.LEVELS)
@pytest.mark.parametrize("way", ["in-place", "replace"])
def test_checks_accept_what_is_right(path: Path, level: str, way: str) -> None:
    with gc.open(path) as model:
        model.metadata[KEY] = "checked"
        model.metadata.set("x.deep", [[1], [2, 3]], "[[int32]]")
        model.metadata.is_forced = True  # no loader reads arrays of arrays
        model.metadata.set("x.nan", float("nan"), "float32")
        assert model.save(strategy=way, verify=level).strategy != "none"
        _check(model, path, "checked")


@pytest.mark.parametrize("level", ["full", "kaitai"])
@pytest.mark.parametrize("order", ["big", "little"])
def test_checks_understand_conversions(path: Path, level: str, order: str) -> None:
    from gguf_construct.planning.convert import plan_convert

    with gc.open(path) as model:
        planned = plan_convert(model, byte_order=order).to_save(model, model.facts_about(None))
        model.execute(planned, SaveOptions(verify=level))
        assert model.byte_order == order


@pytest.mark.parametrize("way", ["in-place", "replace", "insert"])
def test_a_failed_check_leaves_the_old_file(
    path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way == "insert":
        needs_insertion(path)
    before = path.read_bytes()
    with gc.open(path) as model:
        model.metadata[KEY] = "wrong"
        planned = model.plan_save(strategy=way)
        model.metadata[KEY] = "right"
        with pytest.raises(VerificationError, match="metadata"):
            model.execute(planned)
        assert path.read_bytes() == before
        assert os.listdir(path.parent) == [path.name]
        monkeypatch.setattr(verify, "_hashes", lambda *_: os.urandom(4).hex())
        with pytest.raises(VerificationError, match="hash"):
            model.save(strategy=way, verify="full")
        assert path.read_bytes() == before
        model.save(strategy=way)
        _check(model, path, "right")


@pytest.mark.parametrize("way", ["replace", "in-place", "insert", "auto"])
def test_a_file_that_is_gone_is_not_saved(path: Path, way: str) -> None:
    with gc.open(path) as model:
        model.metadata[KEY] = "late"
        path.unlink()
        with pytest.raises(SourceChangedError, match="removed"):
            model.save(strategy=way)
    assert os.listdir(path.parent) == []


def test_an_unreadable_result_fails_the_check(path: Path) -> None:
    before = path.read_bytes()
    with gc.open(path) as model:
        planned = model.plan_save(strategy="in-place")
        bad = planned._replace(strategy="in-place", patches=((4, b"\xff" * 8),))
        with pytest.raises(VerificationError, match="read again"):
            model.execute(bad)
    assert path.read_bytes() == before


def test_there_is_no_such_check(path: Path) -> None:
    with gc.open(path) as model, pytest.raises(VerificationError, match="no check"):
        model.save(strategy="replace", verify="twice")


def test_other_names_keep_their_content(path: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.gguf"
    os.link(path, other)
    with gc.open(path) as model:
        model.metadata[KEY] = "mine"
        planned = model.plan_save(strategy="auto")
        assert planned.strategy == "replace"
        assert "hard links" in planned.why
        assert model.plan_save(strategy="in-place").strategy == "in-place"
        model.execute(planned)
    with gc.open(other) as model:
        assert model.metadata[KEY] == "Anné"


def test_a_file_in_use_does_not_move_under_its_readers(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs_insertion(path)
    monkeypatch.setattr(strategy, "LARGE", 0)
    with gc.open(path) as model:
        model.metadata[KEY] = "x" * 5000
        assert model.plan_save(strategy="auto").strategy == "insert"
        monkeypatch.setattr(insertion_support, "is_open_elsewhere", lambda path: True)
        assert model.plan_save(strategy="auto").strategy == "replace"


def test_other_paths_and_strategies(path: Path, tmp_path: Path) -> None:
    with gc.open(path) as model:
        new = tmp_path / "new.gguf"
        with pytest.raises(BuildError):
            model.save(new, strategy="in-place")
        with pytest.raises(BuildError):
            model.save(strategy="new-file")
        model.metadata[KEY] = "elsewhere"
        assert model.save(new).strategy == "new-file"
        assert model.metadata.is_changed
        new.unlink()
        assert model.save(path, overwrite=True).strategy == "replace"
        _check(model, path, "elsewhere")
    with gc.open(path.read_bytes()) as model:
        with pytest.raises(WriteError, match="needs a path"):
            model.save(strategy="auto")
        old = model.metadata[KEY]
        model.metadata[KEY] = "lost"
        model.reopen()
        assert model.metadata[KEY] == old


def test_room_and_reserve_in_python(path: Path) -> None:
    with gc.open(path) as model:
        assert model.save(reserve=0).reserve is None
        assert reserve_key() not in model.metadata
        assert (model.save(reserve=5000).reserve or 0) >= 5000
        assert model.save(strategy="auto").strategy == "none"


def test_opening_tells_of_an_edit_that_was_cut_short(path: Path) -> None:
    content = path.read_bytes()
    cut_short(path, [(300, b"never read" * 50)])
    with pytest.warns(UnfinishedEditWarning, match="as it was before"):
        model = gc.open(path)
    with model:
        assert model.metadata[KEY] == "Anné"
        model.metadata[KEY] = "x"
        with pytest.raises(WriteError, match="cut short"):
            model.save(strategy="in-place")
    with open_source(path) as source:
        assert source.buffer[:] == content


def test_who_else_has_a_file_open(path: Path) -> None:
    if not os.path.isdir("/proc/self/fd"):
        pytest.skip("needs /proc")
    import subprocess
    import sys

    assert not insertion_support.is_open_elsewhere(str(path))
    for code in (
        "import sys; f = open(sys.argv[1]); print(flush=True); sys.stdin.read()",
        "import sys, mmap; f = open(sys.argv[1]); m = mmap.mmap(f.fileno(), 0, prot=1); f.close();"
        "print(flush=True); sys.stdin.read()",
    ):
        pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        with subprocess.Popen([sys.executable, "-c", code, str(path)], **pipes) as child:
            assert child.stdout is not None
            child.stdout.readline()
            assert insertion_support.is_open_elsewhere(str(path))
            child.communicate()
    assert not insertion_support.is_open_elsewhere(str(path))
    assert not insertion_support.can_insert(str(path) + ".gone")


class _Interfering:
    """Reads headers, but lets someone else change the file in the middle, a few times."""

    def __init__(self, path: Path, times: int, *, breaks: bool) -> None:
        self.path, self.left, self.breaks = path, times, breaks
        self.read = parse_body

    def __call__(self, buffer: Any, *limits: Any) -> Any:
        if self.left:
            self.left -= 1
            with self.path.open("r+b") as file:
                file.seek(0)
                file.write(b"GGUF")
            os.utime(self.path, ns=(self.left, self.left))
            if self.breaks:
                raise ParseError("half of the header is another one")
        return self.read(buffer, *limits)


@pytest.mark.parametrize("breaks", [True, False])
def test_a_file_that_changes_while_it_is_read(
    path: Path, breaks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(source_module, "_PAUSE", 0)
    monkeypatch.setattr(model_module, "parse_body", _Interfering(path, 3, breaks=breaks))
    with gc.open(path) as model:
        assert model.metadata[KEY] == "Anné"
        model.source.check_unchanged()
    monkeypatch.setattr(model_module, "parse_body", _Interfering(path, 99, breaks=breaks))
    with pytest.raises(SourceChangedError, match="being changed"):
        gc.open(path)


def test_a_journal_that_appears_while_a_file_is_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = path.read_bytes()

    def edit_first(buffer: Any, *limits: Any) -> Any:
        if path.read_bytes() == content:
            cut_short(path, [(300, b"never read" * 50)])
        return parse_body(buffer, *limits)

    monkeypatch.setattr(model_module, "parse_body", edit_first)
    with pytest.warns(UnfinishedEditWarning), gc.open(path) as model:
        assert model.buffer[:] == content


def test_an_edit_that_is_running_was_not_cut_short(path: Path) -> None:
    cut_short(path, [(300, b"never read" * 50)])
    with writer_lock(str(path)), gc.open(path) as model:
        assert model.metadata[KEY] == "Anné"
    with pytest.warns(UnfinishedEditWarning):
        gc.open(path).close()

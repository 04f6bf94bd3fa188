"""A journal that cannot be proven is never deleted, and the file beside it is not touched."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import gguf_construct as gc
from gguf_construct.cli.main import run
from gguf_construct.storage.inplace.recover import find_journal
from gguf_construct.storage.system.private_names import journal_path
from tests.storage.scenarios import cut_short
from tests.support.files import write_vocabulary_model
from tests.support.shared import shared_path

if TYPE_CHECKING:
    from collections.abc import Callable

Text = pytest.CaptureFixture[str]


def flip(data: bytes) -> bytes:
    at = len(data) // 3
    return data[:at] + bytes([data[at] ^ 16]) + data[at + 1 :]


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "bit": flip,
    "cut": lambda data: data[:-1],
    "zeros": lambda data: data[: len(data) // 2] + bytes(len(data) - len(data) // 2),
    "empty": lambda data: b"",
}


@pytest.fixture
def reported(tmp_path: Path) -> tuple[Path, Path]:
    """A model after a kill in the middle of an insertion, and its journal of the first format."""
    shared = shared_path()
    if shared is None:
        pytest.skip("the shared fixtures are not here")
    folder = shared / "fixtures/reports/damaged-journal"
    model = tmp_path / "m.gguf"
    journal = Path(journal_path(str(model)))
    shutil.copyfile(folder / "m.gguf", model)
    shutil.copyfile(folder / "journal.bin", journal)
    return model, journal


def test_a_journal_of_the_first_format_is_read(reported: tuple[Path, Path]) -> None:
    model, journal = reported
    with pytest.warns(gc.errors.UnfinishedEditWarning, match="as it was before"):
        gc.open(model).close()
    assert run(["recover", str(model)]) == 0
    assert (model.stat().st_size, journal.exists()) == (33152, False)
    assert gc.validate(model).ok


@pytest.mark.parametrize("kind", DAMAGE)
def test_the_damage_of_the_report(reported: tuple[Path, Path], kind: str, capfd: Text) -> None:
    model, journal = reported
    journal.write_bytes(DAMAGE[kind](journal.read_bytes()))
    _is_left_alone(model, journal, capfd)


@pytest.mark.parametrize("kind", DAMAGE)
def test_damage_of_a_journal_of_ours(tmp_path: Path, kind: str, capfd: Text) -> None:
    model = write_vocabulary_model(tmp_path)
    cut_short(model, [(model.stat().st_size - 20, b"never read" * 2)])
    journal = Path(journal_path(str(model)))
    journal.write_bytes(DAMAGE[kind](journal.read_bytes()))
    _is_left_alone(model, journal, capfd)


def _is_left_alone(model: Path, journal: Path, capfd: Text) -> None:
    before = model.read_bytes(), journal.read_bytes()
    found = find_journal(model)
    assert found is not None
    assert (found.state, found.journal) == ("damaged", None)
    name, out = str(model), str(model.with_name("out.gguf"))
    for command in (
        ["recover", name],
        ["recover", name, "--force"],
        ["set", name, "-i", "general.name=x"],
        ["set", name, "-i", "general.name=x", "--strategy", "replace"],
        ["set", name, "-o", out, "general.name=x"],
        ["repack", name, "-o", out],
    ):
        capfd.readouterr()
        assert run(command) == 4, command
        told = capfd.readouterr().err
        assert "damaged" in told
        assert "nothing was changed" in told
        assert str(journal) in told
        assert (model.read_bytes(), journal.read_bytes()) == before
        assert sorted(os.listdir(model.parent)) == sorted([journal.name, model.name])
    assert "edit-unfinished" in gc.validate(model).codes
    assert not gc.validate(model).ok
    assert run(["validate", name]) == 1


def test_validation_sees_a_half_done_insertion_by_its_bytes(reported: tuple[Path, Path]) -> None:
    model, journal = reported
    journal.unlink()
    report = gc.validate(model)
    assert "insertion-unfinished" in report.codes
    assert not report.ok


def test_journals_of_other_files_are_not_followed(tmp_path: Path, capfd: Text) -> None:
    one, other = (tmp_path / name for name in ("one", "other"))
    models = []
    for folder, text in ((one, b"first" * 60), (other, b"other" * 60)):
        folder.mkdir()
        model = write_vocabulary_model(folder)
        cut_short(model, [(100, text)])
        models.append(model.rename(tmp_path / f"{folder.name}.gguf"))
        Path(journal_path(str(model))).rename(tmp_path / f"{folder.name}.journal")
    for model, journal in zip(models, ("other.journal", "one.journal"), strict=True):
        shutil.copyfile(tmp_path / journal, journal_path(str(model)))
        before = model.read_bytes()
        for command in (["recover", str(model)], ["set", str(model), "-i", "general.name=x"]):
            assert run(command) == 4
            assert "in no state of the edit" in capfd.readouterr().err
            assert model.read_bytes() == before

"""Edits that were cut short: what readers are told, what writers and `recover` do."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

import gguf_construct as gc
from gguf_construct.cli.main import run
from gguf_construct.storage.system.private_names import journal_path
from tests.storage.scenarios import cut_short
from tests.support.files import write_vocabulary_model

if TYPE_CHECKING:
    from pathlib import Path

Text = pytest.CaptureFixture[str]
PATCHES = [(24, b"never" * 10), (150, b"half of it is written" * 5)]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A little model that nobody has touched."""
    return write_vocabulary_model(tmp_path)


READING = [
    ["show"],
    ["get", "general.name"],
    ["tensors"],
    ["map", "--at", "0"],
    ["hash"],
    ["validate"],
]


@pytest.mark.parametrize("words", READING)
def test_readers_are_told_and_see_the_old_file(words: list[str], model: Path, capfd: Text) -> None:
    command = [words[0], str(model), *words[1:]]
    code = run(command)
    sound = capfd.readouterr()
    assert "cut short" not in sound.err
    cut_short(model, PATCHES)
    assert run(command) == code
    told = capfd.readouterr()
    assert told.out == sound.out
    assert "an edit in place was cut short" in told.err
    assert os.path.exists(journal_path(str(model)))


def test_readers_are_told_when_recovering_needs_a_decision(model: Path, capfd: Text) -> None:
    for grown, words in ((False, "cleans up"), (True, "says what to do")):
        cut_short(model, PATCHES)
        if grown:
            model.write_bytes(model.read_bytes() + b"x")
        run(["get", str(model), "general.name"])
        assert f"recover {model} {words}" in capfd.readouterr().err
        assert run(["recover", str(model)]) == (4 if grown else 0)
        capfd.readouterr()


WRITING = [
    ["set", "FILE", "-i", "general.name=new"],
    ["unset", "FILE", "-i", "x.flag"],
    ["rename", "FILE", "-i", "x.flag", "x.other"],
    ["repack", "FILE", "-i", "--reserve", "1k"],
    ["convert", "FILE", "-i", "--endian", "big"],
    ["token", "set", "FILE", "eos", "2", "-i"],
    ["template", "set", "FILE", "{{ messages[0].content }}", "-i"],
]


@pytest.mark.parametrize("words", WRITING)
def test_writers_recover_first(words: list[str], model: Path, capfd: Text) -> None:
    cut_short(model, PATCHES)
    assert run([str(model) if word == "FILE" else word for word in words]) == 0
    assert "again as it was before" in capfd.readouterr().err
    assert os.listdir(model.parent) == [model.name]
    with gc.open(model) as opened:
        assert opened.metadata["general.architecture"] == "llama"
        assert opened.tensors["weight"].dequantize()[0] == 1


def test_a_new_file_leaves_the_journal_of_the_old_one(model: Path) -> None:
    cut_short(model, PATCHES)
    out = model.with_name("out.gguf")
    assert run(["set", str(model), "-o", str(out), "general.name=new"]) == 0
    assert os.path.exists(journal_path(str(model)))
    with gc.open(out) as opened:
        assert opened.metadata["general.name"] == "new"


def test_an_output_with_a_journal_is_overwritten(model: Path) -> None:
    out = model.with_name("out.gguf")
    out.write_bytes(model.read_bytes())
    cut_short(out, PATCHES)
    edit = ["set", str(model), "-o", str(out), "general.name=new"]
    assert run(edit) == 4
    assert run([*edit, "--force"]) == 0
    assert not os.path.exists(journal_path(str(out)))


def test_a_dry_run_recovers_nothing(model: Path, capfd: Text) -> None:
    cut_short(model, PATCHES)
    before = model.read_bytes()
    assert run(["set", str(model), "-i", "general.name=Name2", "--dry-run"]) == 0
    told = capfd.readouterr()
    assert "in place" in told.out
    assert "cut short" in told.err
    assert model.read_bytes() == before
    assert os.path.exists(journal_path(str(model)))


def test_recover(model: Path, capfd: Text) -> None:
    before = model.read_bytes()
    cut_short(model, PATCHES)
    assert model.read_bytes() != before
    assert run(["recover", str(model), "--json"]) == 0
    told = capfd.readouterr()
    assert json.loads(told.out)["action"] == "rolled back"
    assert "as it was before" in told.err
    assert model.read_bytes() == before
    assert os.listdir(model.parent) == [model.name]
    assert run(["recover", str(model)]) == 0
    assert "nothing to do" in capfd.readouterr().err


def test_recover_keeps_its_hands_off_another_file(model: Path, capfd: Text) -> None:
    cut_short(model, PATCHES)
    content = model.read_bytes() * 2
    model.write_bytes(content)
    assert run(["recover", str(model)]) == 4
    assert "replaced or changed" in capfd.readouterr().err
    assert model.read_bytes() == content


def test_recover_needs_a_file(tmp_path: Path, capfd: Text) -> None:
    assert run(["recover", str(tmp_path / "none.gguf")]) == 4
    assert "No such file" in capfd.readouterr().err

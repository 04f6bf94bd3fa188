"""``diff FILE FOLDER`` on real vocabularies, converted by llama.cpp's own converter."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import gguf_construct as gc
from gguf_construct.cli.main import run
from tests.support.require import need_pairs

if TYPE_CHECKING:
    from pathlib import Path

SOUND = ("same", "missing there", "not comparable")

pytestmark = pytest.mark.slow


def differences(model: Path, folder: Path, capsys: pytest.CaptureFixture[str]) -> set[str]:
    """The keys of the rows that are a difference; the exit code says whether there are any."""
    code = run(["diff", str(model), str(folder), "--json"])
    out, err = capsys.readouterr()
    rows = {one["key"]: one["verdict"] for one in json.loads(out)["rows"]}
    found = {key for key, one in rows.items() if one not in SOUND}
    assert code == bool(found), err
    assert list(rows.values()).count("same") >= 20
    return found


def test_faithful_conversions_are_the_same(capsys: pytest.CaptureFixture[str]) -> None:
    folders = need_pairs()
    assert len(folders) >= 4
    for folder in folders:
        assert differences(folder / "model.gguf", folder, capsys) == set(), folder.name


def test_one_fault_is_one_difference(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    faults = {
        "tokenizer.ggml.eos_token_id": 11,
        "{arch}.context_length": 5,
        "{arch}.rope.freq_base": 77.0,
    }
    for folder in need_pairs():
        for name, value in faults.items():
            with gc.open(folder / "model.gguf") as model:
                key = name.format(arch=model.metadata["general.architecture"])
                model.metadata[key] = value
                model.save(tmp_path / "m.gguf", overwrite=True)
            found = differences(tmp_path / "m.gguf", folder, capsys)
            assert found == {key}, folder.name

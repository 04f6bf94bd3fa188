"""``build`` on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import gguf_construct as gc
from gguf_construct.cli.main import run

if TYPE_CHECKING:
    from pathlib import Path

MANIFEST = "metadata:\n  general.architecture: llama\ntensors:\n  t: {values: [1, 2]}\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "manifest.yaml").write_text(MANIFEST, encoding="utf-8")
    return tmp_path


def test_a_model_is_built(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / "m.gguf"
    assert run(["build", str(folder), "-o", str(out)]) == 0
    assert str(out) in capsys.readouterr().err
    with gc.open(out) as model:
        assert model.tensors["t"].dequantize().tolist() == [1, 2]
    assert run(["build", str(folder), "-o", str(out)]) == 4
    assert "--force" in capsys.readouterr().err
    assert run(["build", str(folder), "-o", str(out), "--force", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["path"], found["changes"]) == (str(out), [])
    assert run(["build", str(folder), "-o", str(out), "--force", "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")


def test_what_cannot_be_built(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / "m.gguf"
    (folder / "manifest.yaml").write_text("version: 9", encoding="utf-8")
    assert run(["build", str(folder), "-o", str(out)]) == 2
    assert "line 1: version '9' is not known" in capsys.readouterr().err
    assert not out.exists()
    assert run(["build", str(folder / "absent"), "-o", str(out)]) == 4
    assert run(["build", str(folder)]) == 2

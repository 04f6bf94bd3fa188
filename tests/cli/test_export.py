"""``export`` and ``build`` on the command line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gguf_construct.cli.main import run
from tests.support.builders import build
from tests.support.cases_valid import base

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_there_and_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, folder, out = tmp_path / "m.gguf", tmp_path / "m.d", tmp_path / "out.gguf"
    path.write_bytes(build(base()).data)
    assert run(["export", str(path), str(folder)]) == 0
    assert "2 files" in capsys.readouterr().err
    assert run(["build", str(folder), "-o", str(out)]) == 0
    assert out.read_bytes() == path.read_bytes()
    assert run(["build", str(folder), "-o", str(out)]) == 4
    assert run(["build", str(folder), "-o", str(out), "--force", "--json", "-q"]) == 0
    assert json.loads(capsys.readouterr().out)["path"] == str(out)
    assert run(["export", str(path), str(folder)]) == 4


def test_export_lists_files_as_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(build(base()).data)
    assert run(["export", str(path), str(tmp_path / "m.d"), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["files"] == ["tensors/weight.npy", "manifest.yaml"]


def test_a_wrong_manifest_is_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["build", str(tmp_path), "-o", str(tmp_path / "out")]) == 4
    (tmp_path / "manifest.yaml").write_text("metadata:\n  x: 1\n")
    assert run(["build", str(tmp_path), "-o", str(tmp_path / "out")]) == 2
    assert "line 2: the type of this value" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()

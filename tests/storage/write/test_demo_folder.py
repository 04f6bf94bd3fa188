"""The folder of the demo."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from gguf_construct.storage.source.resources import sample_path
from gguf_construct.storage.write.demo_folder import workspace


def test_a_temporary_folder_goes_again() -> None:
    before = Path.cwd()
    with workspace(None, None, {"a.txt": "x\r\n"}) as folder:
        assert Path.cwd() == folder.resolve()
        assert Path("model.gguf").read_bytes() == sample_path().read_bytes()
        assert Path("a.txt").read_bytes() == b"x\r\n"
    assert Path.cwd() == before
    assert not folder.exists()


def test_a_folder_to_keep_stays(tmp_path: Path) -> None:
    own = tmp_path / "own.gguf"
    own.write_bytes(b"model")
    before = Path.cwd()
    with workspace(str(tmp_path / "new" / "deep"), str(own), {}) as folder:
        assert (folder / "model.gguf").read_bytes() == b"model"
    assert sorted(os.listdir(folder)) == ["model.gguf"]
    assert Path.cwd() == before
    with pytest.raises(OSError, match="not empty"), workspace(str(folder), None, {}):
        pass
    assert Path.cwd() == before


def test_an_error_inside_leads_back(tmp_path: Path) -> None:
    before = Path.cwd()
    with pytest.raises(KeyError, match="mine"), workspace(None, None, {}) as folder:
        raise KeyError("mine")
    assert Path.cwd() == before
    assert not folder.exists()

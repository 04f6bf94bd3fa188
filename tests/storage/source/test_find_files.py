"""Files, folders and patterns on a command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gguf_construct.storage.source.find_files import find_files

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("b.gguf", "a.GGUF", "note.txt", "deep/c.gguf", "deep/er/d.gguf", "other/e.gguf"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")
    (tmp_path / "empty").mkdir()
    (tmp_path / "[odd].gguf").write_bytes(b"")
    return tmp_path


def found(folder: Path, *names: str) -> list[str]:
    paths = find_files([folder / name if name else folder for name in names])
    return [path.removeprefix(f"{folder}/") for path in paths]


def test_a_folder_is_searched_in_order(folder: Path) -> None:
    everything = ["[odd].gguf", "a.GGUF", "b.gguf", "deep/c.gguf", "deep/er/d.gguf", "other/e.gguf"]
    assert found(folder, "") == everything
    assert found(folder, "empty") == []
    assert found(folder, "deep", "b.gguf") == ["deep/c.gguf", "deep/er/d.gguf", "b.gguf"]


def test_names_stand_for_themselves(folder: Path) -> None:
    assert found(folder, "note.txt", "missing.gguf") == ["note.txt", "missing.gguf"]
    assert found(folder, "[odd].gguf") == ["[odd].gguf"]
    assert found(folder, "b.gguf", "b.gguf", "")[:2] == ["b.gguf", "[odd].gguf"]


def test_patterns(folder: Path) -> None:
    assert found(folder, "*.gguf") == ["[odd].gguf", "b.gguf"]
    assert found(folder, "**/*.gguf")[-1] == "other/e.gguf"
    assert found(folder, "d*") == ["deep/c.gguf", "deep/er/d.gguf"]
    assert found(folder, "n*") == ["note.txt"]
    assert found(folder, "zz*") == []


def test_links_to_folders_are_not_followed(folder: Path) -> None:
    (folder / "empty" / "loop").symlink_to(folder)
    assert found(folder, "empty") == []

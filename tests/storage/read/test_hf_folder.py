"""Reading the small files of a folder, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gguf_construct.storage.read import hf_folder
from gguf_construct.storage.read.hf_folder import is_gguf, read_folder
from tests.tokens.token_data import vocabulary_file

if TYPE_CHECKING:
    from pathlib import Path


def test_files_come_by_name_and_pattern(tmp_path: Path) -> None:
    (tmp_path / "more").mkdir()
    for name in ("b.json", "more/z.jinja", "more/a.jinja", "more/c.txt", "other"):
        (tmp_path / name).write_bytes(name.encode())
    found = read_folder(tmp_path, ("more/*.jinja", "b.json", "absent.json", "more"))
    assert list(found.items()) == [
        ("more/a.jinja", b"more/a.jinja"),
        ("more/z.jinja", b"more/z.jinja"),
        ("b.json", b"b.json"),
    ]


def test_what_is_no_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(NotADirectoryError, match="Not a folder"):
        read_folder(tmp_path / "file", ("a",))
    with pytest.raises(FileNotFoundError, match="No such folder"):
        read_folder(tmp_path / "none", ("a",))


def test_large_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hf_folder, "_MAX_NBYTES", 3)
    (tmp_path / "a").write_bytes(b"1234")
    with pytest.raises(OSError, match="too large"):
        read_folder(tmp_path, ("a",))


def test_gguf_files_are_known_by_their_start(tmp_path: Path) -> None:
    path = tmp_path / "any.name"
    path.write_bytes(vocabulary_file())
    assert is_gguf(str(path))
    path.write_bytes(b"GGU")
    assert not is_gguf(str(path))
    assert not is_gguf(str(tmp_path))
    assert not is_gguf(str(tmp_path / "absent"))

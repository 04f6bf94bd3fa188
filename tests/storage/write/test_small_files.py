"""Small files that a person names."""

from __future__ import annotations

import io
import os
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING

import pytest

from gguf_construct.errors import DestinationExistsError
from gguf_construct.storage.write import small_files
from gguf_construct.storage.write.small_files import open_nowhere, read_value, write_text

if TYPE_CHECKING:
    from pathlib import Path


def test_values_are_read_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "value"
    path.write_bytes(b"a\r\n\xff\0")
    assert read_value(str(path)) == b"a\r\n\xff\0"
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"in\r\n")))
    assert read_value("-") == b"in\r\n"
    monkeypatch.setattr(small_files, "MAX_VALUE_NBYTES", 5)
    assert len(read_value(str(path))) == 5
    monkeypatch.setattr(small_files, "MAX_VALUE_NBYTES", 4)
    with pytest.raises(OSError, match="File too large to be a metadata value"):
        read_value(str(path))
    with pytest.raises(FileNotFoundError, match="absent"):
        read_value(str(tmp_path / "absent"))


def test_a_closed_standard_input_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open(tmp_path / "out", "wb") as file:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=file))
        with pytest.raises(OSError, match="standard input is closed"):
            read_value("-")


def test_texts_are_written_whole(tmp_path: Path) -> None:
    path = tmp_path / "out.txt"
    write_text(path, "é\n\udcff")
    assert path.read_bytes() == "é\n".encode() + b"\xff"
    with pytest.raises(DestinationExistsError, match="exists"):
        write_text(path, "other")
    write_text(path, "other", overwrite=True)
    assert path.read_bytes() == b"other"
    assert os.listdir(tmp_path) == ["out.txt"]


def test_nowhere() -> None:
    with open_nowhere() as stream:
        assert stream.write("gone") == 4
        with pytest.raises(io.UnsupportedOperation, match="not readable"):
            stream.read()

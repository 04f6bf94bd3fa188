"""Sources: what is mapped, what is refused, and when a file counts as changed."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

from gguf_construct.errors import SourceChangedError
from gguf_construct.storage.source.source import open_source


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"GGUF and more")
    return path


def test_a_file_is_mapped(file: Path) -> None:
    with open_source(file) as source:
        assert source.buffer[:4] == b"GGUF"
        assert (source.size, source.path) == (13, str(file))
        assert source.fd is not None
        status = file.stat()
        assert source.identity() == (status.st_dev, status.st_ino, 13, status.st_mtime_ns)
        source.check_unchanged()


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_bytes_are_wrapped(kind: type) -> None:
    with open_source(kind(b"abc")) as source:
        assert source.buffer == b"abc"
        assert (source.fd, source.path, source.identity()) == (None, None, None)
        source.check_unchanged()


def test_what_was_wrapped_may_change_afterwards() -> None:
    data = bytearray(b"abc")
    source = open_source(data)
    data[0] = 0
    assert source.buffer == b"abc"


def test_an_empty_file_has_an_empty_buffer(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")
    with open_source(tmp_path / "empty") as source:
        assert bytes(source.buffer) == b""
        assert source.size == 0


def test_missing_files_and_folders_raise_what_open_raises(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_source(tmp_path / "missing")
    with pytest.raises((IsADirectoryError, PermissionError)):
        open_source(tmp_path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs FIFOs")
def test_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="Not a regular file"):
        open_source(tmp_path / "pipe")


def test_closing_with_views_in_use_is_fine(file: Path) -> None:
    source = open_source(file)
    view = memoryview(source.buffer)
    source.close()
    source.close()
    assert bytes(view[:4]) == b"GGUF"


def test_the_descriptor_is_given_back(file: Path) -> None:
    source = open_source(file)
    fd = source.fd
    assert fd is not None
    source.close()
    assert source.fd is None
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(fd)


def _append(path: Path) -> None:
    with path.open("ab") as out:
        out.write(b"!")


def _cut(path: Path) -> None:
    os.truncate(path, 5)


def _touch(path: Path) -> None:
    os.utime(path, ns=(1, 1))


def _replace(path: Path) -> None:
    other = path.with_suffix(".other")
    other.write_bytes(path.read_bytes())
    other.replace(path)


CHANGES = [
    (_append, "13 bytes then, 14 now"),
    (_cut, "13 bytes then, 5 now"),
    (_touch, "modification time"),
    (_replace, "another file took its place"),
    (Path.unlink, "removed"),
]


@pytest.mark.parametrize(("change", "message"), CHANGES)
def test_a_changed_file_is_noticed(file: Path, change: object, message: str) -> None:
    with open_source(file) as source:
        assert callable(change)
        change(file)
        with pytest.raises(SourceChangedError, match=message):
            source.check_unchanged()


def test_opening_needs_nothing_heavy() -> None:
    code = (
        "import sys, gguf_construct.storage.source.source\n"
        "print([name for name in ('numpy', 'filelock', 'ctypes', 'hashlib', 'json', 'logging',"
        " 'dataclasses', 'inspect', 'tempfile', 'threading') if name in sys.modules])"
    )
    root = Path(__file__).resolve().parents[3]
    output = subprocess.run(
        [sys.executable, "-S", "-c", code], cwd=root, capture_output=True, text=True, check=True
    )
    assert output.stdout.strip() == "[]"


def test_a_forgotten_source_gives_its_descriptor_back(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(b"some bytes")
    source = open_source(path)
    fd = source.fd
    assert fd is not None
    del source
    gc.collect()
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.fstat(fd)

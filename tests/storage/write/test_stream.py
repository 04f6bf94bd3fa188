"""Files from pieces: all of them or none."""

from __future__ import annotations

import os
import threading
from typing import TYPE_CHECKING

import pytest

from gguf_construct.errors import DestinationExistsError, LockedError, WriteError
from gguf_construct.storage.system.locking import writer_lock
from gguf_construct.storage.write import destination
from gguf_construct.storage.write.stream import write_pieces

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def test_pieces_follow_each_other(tmp_path: Path) -> None:
    path = tmp_path / "out"
    told: list[tuple[int, int]] = []
    result = write_pieces(
        [b"abc", memoryview(b"de"), b""], 5, path, progress=lambda *at: told.append(at)
    )
    assert path.read_bytes() == b"abcde"
    assert told == [(3, 5), (5, 5), (5, 5)]
    assert (result.path, result.strategy) == (str(path), "new-file")
    assert (result.nbytes_written, result.nbytes_total) == (5, 5)
    assert result.seconds >= 0
    assert os.listdir(tmp_path) == ["out"]
    mask = os.umask(0)
    os.umask(mask)
    assert path.stat().st_mode & 0o777 == 0o666 & ~mask


def test_an_existing_file_is_replaced_only_when_asked(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")
    with pytest.raises(DestinationExistsError, match="exists"):
        write_pieces([b"new"], 3, path)
    assert path.read_bytes() == b"old"
    assert write_pieces([b"new"], 3, path, overwrite=True).strategy == "replace"
    assert path.read_bytes() == b"new"


def test_what_fails_in_between_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "out"

    def pieces() -> Iterator[bytes]:
        yield b"abc"
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        write_pieces(pieces(), 6, path)
    assert os.listdir(tmp_path) == []


def test_a_full_disk_is_noticed_before(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(destination, "free_bytes", lambda folder: 4)
    with pytest.raises(WriteError, match="needs 5 bytes, but 4 are free"):
        write_pieces([b"abcde"], 5, tmp_path / "out")
    write_pieces([b"abcd"], 4, tmp_path / "out")


def test_two_writers_are_kept_apart(tmp_path: Path) -> None:
    path = tmp_path / "out"
    path.write_bytes(b"old")
    told: list[Exception] = []

    def write() -> None:
        try:
            write_pieces([b"new"], 3, path, overwrite=True)
        except LockedError as error:
            told.append(error)

    with writer_lock(str(path)):
        thread = threading.Thread(target=write)
        thread.start()
        thread.join()
    assert len(told) == 1
    assert path.read_bytes() == b"old"


def test_what_the_system_says_is_told(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match=r"out cannot be written: No such file .*absent") as caught:
        write_pieces([b""], 0, tmp_path / "absent" / "out")
    assert isinstance(caught.value.__cause__, OSError)

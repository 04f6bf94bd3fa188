"""Every byte of a range, however few each call takes."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from gguf_construct.errors import WriteError
from gguf_construct.storage.system import exactly, syscalls
from gguf_construct.storage.system.exactly import counted, read_range, write_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def fd(tmp_path: Path) -> Iterator[int]:
    number = os.open(tmp_path / "file", os.O_RDWR | os.O_CREAT)
    os.write(number, bytes(range(100)))
    yield number
    os.close(number)


def test_ranges(fd: int, monkeypatch: pytest.MonkeyPatch) -> None:
    real = syscalls.pread
    monkeypatch.setattr(syscalls, "pread", lambda fd, nbytes, at: real(fd, min(nbytes, 7), at))
    assert read_range(fd, 10, 90) == bytes(range(10, 90))
    assert read_range(fd, 99, 100) == b"c"
    assert read_range(fd, 50, 50) == b""
    assert read_range(fd, 500, 500) == b""
    with pytest.raises(WriteError, match="the file ended while it was read") as caught:
        read_range(fd, 90, 101)
    assert caught.value.offset == 100


def test_writes_go_on_where_the_last_one_ended(fd: int, monkeypatch: pytest.MonkeyPatch) -> None:
    real = syscalls.pwrite
    sizes: list[int] = []

    def short(fd: int, data: bytes | memoryview, at: int) -> int:
        sizes.append(len(data))
        return real(fd, data[:7], at)

    monkeypatch.setattr(syscalls, "pwrite", short)
    monkeypatch.setattr(exactly, "LARGEST_CALL", 10)
    write_at(fd, bytes(range(100, 125)), 5)
    assert sizes == [10, 10, 10, 4]
    expected = bytearray(range(100))
    expected[5:30] = range(100, 125)
    assert os.pread(fd, 200, 0) == expected
    write_at(fd, b"", 3)
    assert len(sizes) == 4


@pytest.mark.parametrize("count", [0, -1])
def test_a_call_that_takes_nothing_is_an_error(count: int) -> None:
    with pytest.raises(OSError, match="takes no more bytes"):
        counted(count)
    assert counted(1) == 1

"""Copies: every byte, holes kept, whatever the kernel says."""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

import pytest

from gguf_construct.errors import SourceChangedError
from gguf_construct.storage.source.source import open_source
from gguf_construct.storage.system import syscalls
from gguf_construct.storage.write import copying
from gguf_construct.storage.write.copying import Target, copy, data_ranges, write_all
from tests.storage.scenarios import without

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CONTENT = random.Random(3).randbytes(50_000)


class Out:
    """A target in a file, and the progress it told."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.fd = os.open(path, os.O_RDWR | os.O_CREAT)
        self.told: list[int] = []
        self.target = Target(self.fd, self.told.append)

    def content(self) -> bytes:
        return self.path.read_bytes()


@pytest.fixture
def out(tmp_path: Path) -> Iterator[Out]:
    one = Out(tmp_path / "out")
    yield one
    os.close(one.fd)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "source"
    path.write_bytes(CONTENT)
    return path


@pytest.mark.parametrize("lacking", [(), ("copy_file_range",)])
@pytest.mark.parametrize("in_memory", [False, True])
@pytest.mark.parametrize("most", [1 << 20, 1000])
def test_a_range_gets_where_it_belongs(
    out: Out,
    file: Path,
    lacking: tuple[str, ...],
    in_memory: bool,
    most: int,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(copying, "LARGEST_CALL", most)
    monkeypatch.setattr(copying, "BUFFER_SIZE", most)
    with open_source(CONTENT if in_memory else file) as source, without(lacking):
        copy(source, out.target, 123, 40_000, 7)
    assert out.content() == bytes(7) + CONTENT[123:40_123]
    assert sum(out.told) == out.target.written == 40_000
    if most == 1000:
        assert max(out.told) <= 1000
    assert out.target.is_kernel_copy is (in_memory or not lacking)


def test_a_kernel_that_answers_nothing_is_not_believed(
    out: Out, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[int] = []
    real = syscalls.copy_file_range

    def tired(source: int, target: int, nbytes: int, start: int, at: int) -> int:
        calls.append(start)
        return real(source, target, 100, start, at) if len(calls) < 3 else 0

    monkeypatch.setattr(syscalls, "copy_file_range", tired)
    with open_source(file) as source:
        copy(source, out.target, 0, 1000, 0)
        copy(source, out.target, 1000, 1000, 1000)
    assert out.content() == CONTENT[:2000]
    assert calls == [0, 100, 200]
    assert not out.target.is_kernel_copy


def test_a_source_that_ends_early_is_told(out: Out, file: Path) -> None:
    with open_source(file) as source, without(("copy_file_range",)):
        os.truncate(file, 500)
        with pytest.raises(SourceChangedError, match="it was cut while it was in use"):
            copy(source, out.target, 0, 1000, 0)


def test_every_byte_is_written(out: Out, monkeypatch: pytest.MonkeyPatch) -> None:
    real = syscalls.pwrite
    monkeypatch.setattr(syscalls, "pwrite", lambda fd, data, at: real(fd, data[:3], at))
    write_all(out.target, CONTENT[:100], 5)
    assert out.content() == bytes(5) + CONTENT[:100]
    assert (out.target.written, set(out.told)) == (100, {3, 1})
    write_all(out.target, b"", 0)
    monkeypatch.setattr(syscalls, "pwrite", lambda fd, data, at: 0)
    with pytest.raises(OSError, match="takes no more bytes"):
        write_all(out.target, b"x", 0)


@pytest.mark.skipif(not hasattr(os, "SEEK_DATA"), reason="needs SEEK_DATA")
def test_holes_are_left_out(out: Out, tmp_path: Path) -> None:
    path, step = tmp_path / "sparse", 1 << 16
    with path.open("wb") as file:
        for number in (1, 2, 5):
            file.seek(number * step)
            file.write(b"x" * step)
        file.truncate(8 * step)
    if path.stat().st_blocks * 512 >= 8 * step:
        pytest.skip("this file system has no holes")
    with open_source(path) as source:
        assert list(data_ranges(source, 0, 8 * step)) == [(step, 3 * step), (5 * step, 6 * step)]
        assert list(data_ranges(source, step + 5, 2 * step)) == [(step + 5, 2 * step)]
        assert list(data_ranges(source, 3 * step, 5 * step)) == []
        assert list(data_ranges(source, 6 * step, 8 * step)) == []
        assert list(data_ranges(source, 9, 9)) == []
        os.ftruncate(out.fd, 8 * step)
        copy(source, out.target, 0, 8 * step, 0)
        assert out.content() == path.read_bytes()
        assert out.target.written == 3 * step
        assert sum(out.told) == 8 * step


def test_a_dense_file_is_one_range(file: Path) -> None:
    with open_source(file) as source, open_source(b"abc") as memory:
        assert list(data_ranges(source, 5, 100)) == [(5, 100)]
        assert list(data_ranges(source, 5, 5)) == []
        assert list(data_ranges(memory, 0, 3)) == [(0, 3)]

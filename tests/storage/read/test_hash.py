"""Hashing a file: threads, progress, and a file that changes meanwhile."""

from __future__ import annotations

import hashlib
import os
import threading
from typing import TYPE_CHECKING, Any

import pytest

import gguf_construct as gc
from gguf_construct.core.chunks import Chunk, Copy, Literal, Swap, Zeros
from gguf_construct.errors import GGUFError, SourceChangedError
from gguf_construct.storage.read import hash as module
from gguf_construct.storage.read.hash import hash_document, iter_bytes
from gguf_construct.storage.source.source import Source, open_source
from tests.support import builders as b
from tests.support.plans import made

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = bytes(range(256)) * 20
TENSORS = tuple(
    b.Tensor(b"t%d" % at, (5000 + at,), 24, bytes([at]) * (5000 + at)) for at in range(6)
)
MODEL = b.build(b.Model((b.Pair(b"k", b.u32(5)),), TENSORS)).data

CHUNKS: list[tuple[Chunk, int]] = [
    (Literal(b"abc"), 1),
    (Zeros(250), 1),
    (Zeros(0), 1),
    (Copy(3, 1000), 1),
    (Copy(3, 1000), 7),
    (Copy(3, 100), 1),
    (Swap(4, 1000, ((4, 1),)), 1),
    (Swap(4, 18 * 30, ((2, 1), (1, 16))), 1),
    (Swap(4, 18 * 30, ((2, 1), (1, 16))), 4),
]


@pytest.mark.parametrize(("chunk", "unit"), CHUNKS)
@pytest.mark.parametrize("in_memory", [True, False])
def test_pieces_are_the_bytes_of_a_chunk(
    chunk: Chunk, unit: int, in_memory: bool, tmp_path: Path
) -> None:
    (tmp_path / "source").write_bytes(SOURCE)
    with open_source(SOURCE if in_memory else tmp_path / "source") as source:
        buffer = bytearray(b"?" * 100)
        pieces = [bytes(piece) for piece in iter_bytes(chunk, [source], buffer, unit)]
    assert b"".join(pieces) == made([chunk], [SOURCE])
    if not isinstance(chunk, Literal):
        assert all(len(piece) <= 100 for piece in pieces)
        assert all(len(piece) % unit == 0 for piece in pieces[:-1])


def run(data: bytes | Path, **how: Any) -> Any:
    with gc.open(data) as model:
        return hash_document(model, model.source, **how)


def test_a_row_is_the_hash_of_its_bytes() -> None:
    report = run(MODEL)
    for tensor in TENSORS:
        assert isinstance(tensor.name, bytes)
        assert len(report.tensors[tensor.name.decode()]) == hashlib.sha256().digest_size * 2
    assert len(set(report.tensors.values())) == len(TENSORS)


@pytest.mark.parametrize("jobs", [None, 1, 2, 5])
def test_threads_change_nothing(jobs: int | None, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = run(MODEL, jobs=1)
    monkeypatch.setattr(module, "_PARALLEL_FROM", 0)
    monkeypatch.setattr(module, "_TICK", 0.001)
    monkeypatch.setattr(module, "PIECE_NBYTES", 512)
    told: list[tuple[int, int]] = []
    threads: list[int] = []

    def progress(done: int, total: int) -> None:
        told.append((done, total))
        threads.append(threading.get_ident())

    assert run(MODEL, jobs=jobs, progress=progress) == expected
    assert told[-1][0] == told[-1][1]
    assert told == sorted(told)
    assert set(threads) == {threading.get_ident()}


def test_small_files_need_no_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module._Work, "_run_parallel", None)
    assert run(MODEL, jobs=5)


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("how", ["cut", "touched", "removed"])
def test_a_file_that_changes_in_the_middle_is_told(
    jobs: int, how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(MODEL)
    monkeypatch.setattr(module, "_PARALLEL_FROM", 0)
    real, lock, reads = Source.read_into, threading.Lock(), [0]

    def change(self: Source, start: int, into: memoryview) -> None:
        with lock:
            reads[0] += 1
            is_turn = reads[0] == 3
        if is_turn and how == "cut":
            os.truncate(path, 5000)
        elif is_turn and how == "touched":
            os.utime(path, ns=(1, 1))
        elif is_turn:
            path.unlink()
        real(self, start, into)

    monkeypatch.setattr(Source, "read_into", change)
    with pytest.raises(SourceChangedError, match="while it was in use"):
        run(path, jobs=jobs)


def test_an_error_in_a_thread_ends_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_PARALLEL_FROM", 0)
    monkeypatch.setattr(module, "PIECE_NBYTES", 64)
    started: list[str] = []
    real = module._Work._digest

    def digest(self: module._Work, row: Any) -> bytes:
        started.append(row.name)
        if len(started) == 1:
            raise KeyError("mine")
        return real(self, row)

    monkeypatch.setattr(module._Work, "_digest", digest)
    with pytest.raises(KeyError, match="mine"):
        run(MODEL, jobs=2)


def test_the_fast_algorithm_is_another_one() -> None:
    pytest.importorskip("xxhash")
    assert run(MODEL, algorithm="xxh3") != run(MODEL)


def test_algorithms(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(GGUFError, match="no such algorithm: 'md5'") as caught:
        run(MODEL, algorithm="md5")
    assert "sha256" in str(caught.value.hint)
    monkeypatch.setitem(__import__("sys").modules, "xxhash", None)
    with pytest.raises(GGUFError, match="xxh3 needs the package xxhash"):
        run(MODEL, algorithm="xxh3")

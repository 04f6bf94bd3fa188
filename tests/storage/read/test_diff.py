"""Tensor data of two files, compared piece by piece."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

import gguf_construct as gc
from gguf_construct.errors import GGUFError, SourceChangedError, TruncatedError
from gguf_construct.storage.read import diff, hash
from gguf_construct.storage.read.diff import diff_data
from gguf_construct.storage.source.source import Source
from tests.support import builders as b
from tests.support.blocks import swap_bytes

if TYPE_CHECKING:
    from pathlib import Path

BIG = bytes(range(256)) * 40


def model(order: b.ByteOrder = b.LITTLE, **data: bytes) -> bytes:
    tensors = tuple(
        b.Tensor(
            name.encode(),
            (len(content) // 4,),
            0,
            content if order == b.LITTLE else swap_bytes(0, content),
        )
        for name, content in data.items()
    )
    return b.build(b.Model(tensors=tensors, byte_order=order)).data


def names(old: bytes, new: bytes) -> list[tuple[str, str]]:
    with gc.open(old) as one, gc.open(new) as two:
        return [(row.name, row.what) for row in diff_data(one, one.source, two, two.source)]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hash, "PIECE_NBYTES", 1000)
    monkeypatch.setattr(diff, "PIECE_NBYTES", 1000)


@pytest.mark.parametrize("order", [b.LITTLE, b.BIG])
@pytest.mark.parametrize("at", [0, 999, 1000, 5000, len(BIG) - 1])
def test_one_byte_anywhere(order: b.ByteOrder, at: int) -> None:
    changed = bytearray(BIG)
    changed[at] ^= 1
    old = model(a=BIG, z=BIG)
    assert names(old, model(order, a=BIG, z=BIG)) == []
    assert [name for name, _ in names(old, model(order, a=bytes(changed), z=BIG))] == ["a"]
    assert [name for name, _ in names(old, model(order, a=BIG, z=bytes(changed)))] == ["z"]


def test_rows_come_in_the_order_of_the_old_file() -> None:
    other = bytes(reversed(BIG))
    old = model(c=BIG, a=BIG, b=BIG)
    new = model(x=BIG, b=other, a=BIG[:-4], c=other)
    assert [name for name, _ in names(old, new)] == ["c", "a", "b", "x"]


def test_progress_counts_both_files() -> None:
    told: list[tuple[int, int]] = []
    with gc.open(model(a=BIG, z=BIG)) as one, gc.open(model(a=BIG, z=BIG)) as two:
        diff_data(one, one.source, two, two.source, lambda *at: told.append(at))
    assert told[-1][0] == told[-1][1] > 0
    assert told == sorted(told)


def test_cut_data_is_told() -> None:
    with (
        gc.open(model(a=BIG)) as one,
        gc.open(model(a=BIG)[:-1]) as two,
        pytest.raises(TruncatedError, match="the file ends"),
    ):
        diff_data(one, one.source, two, two.source)


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.parametrize("how", ["cut", "touched", "replaced"])
def test_a_file_that_changes_in_the_middle_is_told(
    tmp_path: Path, which: int, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    paths = [tmp_path / "0.gguf", tmp_path / "1.gguf"]
    for path in paths:
        path.write_bytes(model(a=BIG))
    real = Source.read_into
    reads = [0]

    def change(self: Source, start: int, into: memoryview) -> None:
        reads[0] += 1
        if reads[0] == 3:
            path = paths[which]
            if how == "cut":
                os.truncate(path, path.stat().st_size - 5000)
            elif how == "touched":
                os.utime(path, ns=(1, 1))
            else:
                (tmp_path / "other").write_bytes(model(a=BIG))
                (tmp_path / "other").replace(path)
        real(self, start, into)

    monkeypatch.setattr(Source, "read_into", change)
    with (
        gc.open(paths[0]) as one,
        gc.open(paths[1]) as two,
        pytest.raises(SourceChangedError, match="while it was in use"),
    ):
        diff_data(one, one.source, two, two.source)
    assert reads[0] >= 3
    assert issubclass(SourceChangedError, GGUFError)

"""The other shards beside a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gguf_construct._generated.types import Limits
from gguf_construct.core.codec import parse
from gguf_construct.errors import LimitExceededError, TruncatedError
from gguf_construct.storage.read import shards
from gguf_construct.storage.read.shards import ShardSets
from tests.support import builders as b
from tests.support.cases_valid import base

if TYPE_CHECKING:
    from pathlib import Path

NAMES = [f"m-0000{number}-of-00004.gguf" for number in range(1, 5)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The first and the second are sound, the third is broken, the fourth is missing."""
    for name in NAMES[:2]:
        (tmp_path / name).write_bytes(b.build(base()).data)
    (tmp_path / NAMES[2]).write_bytes(b"GGUF")
    (tmp_path / "single.gguf").write_bytes(b.build(base()).data)
    return tmp_path


def test_the_others_are_found(folder: Path) -> None:
    found = ShardSets().beside(str(folder / NAMES[0]))
    assert found is not None
    assert list(found) == NAMES[1:3]
    second = found[NAMES[1]]
    assert not isinstance(second, Exception)
    assert [tensor.name for tensor in second.tensors.all] == ["weight"]
    assert isinstance(found[NAMES[2]], TruncatedError)
    assert ShardSets().beside(str(folder / "single.gguf")) is None


def test_a_name_without_folder_is_looked_for_here(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    found = ShardSets().beside(NAMES[1])
    assert found is not None
    assert list(found) == [NAMES[0], NAMES[2]]


def test_each_is_read_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[object] = []

    def count(buffer: object, limits: Limits | None) -> object:
        read.append(limits)
        return parse(buffer, limits)

    monkeypatch.setattr(shards, "parse", count)
    limits = Limits(max_metadata=9)
    sets = ShardSets(limits)
    for name in NAMES[:2]:
        sets.beside(str(folder / name))
        sets.beside(str(folder / name))
    assert read == [limits] * 3


def test_limits_hold(folder: Path) -> None:
    found = ShardSets(Limits(max_metadata=1)).beside(str(folder / NAMES[0]))
    assert found is not None
    assert isinstance(found[NAMES[1]], LimitExceededError)

"""Editing a set of shards: the first one is edited, whichever was named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import gguf_construct as gc
from gguf_construct.cli.main import run
from tests.support import builders as b
from tests.support.cases_valid import base

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def _shard(folder: Path, number: int) -> Path:
    split = (
        b.Pair(b"split.no", b.Value(b.UINT16, number)),
        b.Pair(b"split.count", b.Value(b.UINT16, 2)),
    )
    model = base(*split) if number == 0 else b.Model(split)
    path = folder / f"m-{number + 1:05d}-of-00002.gguf"
    path.write_bytes(b.build(model).data)
    return path


def test_edits_go_to_the_first_shard(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    first, second = _shard(tmp_path, 0), _shard(tmp_path, 1)
    before = second.read_bytes()
    assert run(["set", str(second), "-i", "general.name=x"]) == 0
    assert str(first) in capfd.readouterr().err
    assert second.read_bytes() == before
    with gc.open(first) as model:
        assert model.metadata["general.name"] == "x"
    assert run(["unset", str(second), "-i", "general.name"]) == 0
    assert run(["set", str(second), "-o", str(tmp_path / "o"), "general.name=x"]) == 2


def test_the_first_shard_must_be_there(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    second = _shard(tmp_path, 1)
    assert run(["set", str(second), "-i", "general.name=x"]) == 2
    assert "first shard" in capfd.readouterr().err


def test_split_keys_are_edited_where_they_are(tmp_path: Path) -> None:
    second = _shard(tmp_path, 1)
    assert run(["set", str(second), "-i", "split.no=0", "--force-value"]) == 0
    with gc.open(second) as model:
        assert model.metadata["split.no"] == 0

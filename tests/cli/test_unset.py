"""``unset``: keys that are there, and those that are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import gguf_construct as gc
from gguf_construct.cli.main import run
from tests.support import builders as b
from tests.support.files import write_vocabulary_model

if TYPE_CHECKING:
    from pathlib import Path

Text = pytest.CaptureFixture[str]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A little model that may be changed."""
    return write_vocabulary_model(tmp_path)


def _value(path: Path, key: str) -> tuple[str, object]:
    with gc.open(path) as opened:
        field = opened.metadata.field(key)
        return field.type, field.plain_value


def _tensors(path: Path) -> list[tuple[str, bytes]]:
    with gc.open(path) as opened:
        return [(tensor.name, tensor.raw) for tensor in opened.tensors.all]


def test_unset(model: Path, capfd: Text) -> None:
    assert run(["unset", str(model), "-i", "x.flag", "general.name"]) == 0
    with gc.open(model) as opened:
        assert "x.flag" not in opened.metadata
    assert run(["unset", str(model), "-i", "x.flag"]) == 2
    assert run(["unset", str(model), "-i", "x.flag", "--missing-ok"]) == 0


def test_repeated_keys_are_removed_by_number(tmp_path: Path, capfd: Text) -> None:
    twice = [b.Pair(b"x.twice", b.Value(b.UINT8, n)) for n in (1, 2)]
    path = write_vocabulary_model(tmp_path, *twice)
    assert run(["set", str(path), "-i", "x.twice=3"]) == 2
    assert "2 times" in capfd.readouterr().err
    assert run(["unset", str(path), "-i", "x.twice", "--occurrence", "0"]) == 0
    assert _value(path, "x.twice") == ("uint8", 2)

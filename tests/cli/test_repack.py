"""``repack``: the canonical layout."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import gguf_construct as gc
from gguf_construct.cli.main import run
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


def test_repack(tmp_path: Path, capfd: Text) -> None:
    path = write_vocabulary_model(tmp_path, tail=b"trailing")
    before = _tensors(path)
    assert run(["repack", str(path), "-i", "--alignment", "64"]) == 0
    assert "8 bytes" in capfd.readouterr().err
    assert _tensors(path) == before
    assert path.stat().st_size % 64 == 0

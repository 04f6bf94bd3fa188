"""``rename``: place and bytes stay."""

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


def test_rename_keeps_place_and_bytes(model: Path) -> None:
    with gc.open(model) as opened:
        at = list(opened.metadata).index("x.flag")
    assert run(["rename", str(model), "-i", "x.flag", "x.other"]) == 0
    with gc.open(model) as opened:
        assert list(opened.metadata).index("x.other") == at
        assert opened.metadata.field("x.other").raw == b"\2"
    assert run(["rename", str(model), "-i", "x.other", "general.name"]) == 2
    assert run(["rename", str(model), "-i", "x.gone", "x.y"]) == 2

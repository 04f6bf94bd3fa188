"""Real files: saved without edits, encoded anew, edited and set back, they stay the same bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gguf_construct.core.codec import build, build_header
from gguf_construct.model import open_model
from tests.support.shared import fixture_files, needs_shared

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = needs_shared

FILES = fixture_files()


def _names(path: Path) -> str:
    return path.name


@pytest.mark.parametrize("path", FILES, ids=_names)
def test_saved_and_encoded_anew(path: Path, tmp_path: Path) -> None:
    data = path.read_bytes()
    out = tmp_path / "out.gguf"
    with open_model(path) as model:
        model.save(out)
        assert out.read_bytes() == data
        assert build_header(model) == data[: model.header_end]


@pytest.mark.parametrize("path", FILES, ids=_names)
def test_set_and_set_back(path: Path) -> None:
    data = path.read_bytes()
    model = open_model(data)
    tensors = [tensor.raw for tensor in model.tensors.all]
    old = {field.key: field.value for field in model.metadata.fields() if len(field.raw) < 10_000}
    for key in old:
        model.metadata.set(key, "another value", "string")
    assert build(model) != data
    changed = open_model(model.to_bytes())
    assert [tensor.raw for tensor in changed.tensors.all] == tensors
    original = open_model(data)
    for key, value in old.items():
        model.metadata.set(key, value, original.metadata.field(key).type)
    assert model.to_bytes() == data

"""Validation by file name, as Python users call it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import gguf_construct as gc
from gguf_construct.errors import ValidationError
from tools.samples import sample_model

if TYPE_CHECKING:
    from pathlib import Path


def test_a_sound_model(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(sample_model())
    report = gc.validate(path)
    assert report.ok
    report.raise_for_errors()


def test_problems_are_told_not_raised() -> None:
    report = gc.validate(sample_model()[:-1000])
    assert not report.ok
    assert "data-truncated" in report.codes
    with pytest.raises(ValidationError) as caught:
        report.raise_for_errors()
    assert caught.value.report is report
    assert caught.value.offset is not None


def test_other_files_are_named(tmp_path: Path) -> None:
    assert gc.validate(b"PK\3\4 some archive").codes == {"not-gguf-packed"}
    with pytest.raises(OSError, match="No such file"):
        gc.validate(tmp_path / "none.gguf")
    with pytest.raises(ValueError, match="no profile"):
        gc.validate(sample_model(), profile="mine")

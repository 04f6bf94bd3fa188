"""Inputs made after public reports: the cause is named, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from gguf_construct import validate
from tests.support.shared import shared_path

_SHARED = shared_path()
REPORTS = (_SHARED or Path()) / "fixtures" / "reports"

pytestmark = pytest.mark.skipif(_SHARED is None, reason="the shared fixtures are not here")

ERRORS = {
    "names-inner-dot.gguf": set(),
    "scores-int32.gguf": set(),
    "control-vector.gguf": set(),
    "mmproj-audio-only.gguf": set(),
    "mmproj-clip-vision.gguf": set(),
    "lora-half-missing.gguf": {"adapter-tensors"},
    "mmproj-unknown-projector.gguf": {"projector-type"},
    "dimension-damaged.gguf": {"tensor-shape"},
    "split-keys-stale.gguf": {"split-left-behind"},
    "vision-tensors-inside.gguf": {"tensor-unexpected"},
    "shard-emptied/Hermes-00001-of-00003.gguf": {"split-shard-unreadable"},
}


@pytest.mark.parametrize("name", ERRORS)
def test_the_errors_are_those_of_the_cause(name: str) -> None:
    report = validate(REPORTS / name)
    found = [one.code for one in report.problems if one.severity == "error"]
    assert set(found) == ERRORS[name]
    assert len(found) == len(ERRORS[name])


def test_an_overflow_behind_a_dimension_of_0_is_an_error() -> None:
    report = validate(REPORTS / "dims-zero-overflow.gguf")
    assert {"tensor-elements-overflow"} <= {
        one.code for one in report.problems if one.severity == "error"
    }


def test_zeros_at_the_end_are_a_warning_and_an_error_once_they_are_read() -> None:
    path = REPORTS / "zero-tail.gguf"
    assert [(one.code, one.severity) for one in validate(path).problems] == [
        ("data-zero-tail", "warning")
    ]
    errors = [one.code for one in validate(path, data=True).problems if one.severity == "error"]
    assert errors == ["data-unwritten"]

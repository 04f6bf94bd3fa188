"""Exit codes by error, and the verdict so far."""

from __future__ import annotations

import pytest

from gguf_construct import errors
from gguf_construct.cli.shared.exit_codes import (
    FAILED,
    FINDINGS,
    FINE,
    MALFORMED,
    REFUSED,
    code_of,
    decide,
    verdict,
)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.ParseError("x"), 3),
        (errors.NotGGUFError("x"), 3),
        (errors.TruncatedError("x"), 3),
        (errors.WriteError("x"), 4),
        (errors.LockedError("x"), 4),
        (errors.ValidationError("x"), 1),
        (errors.TemplateError("x"), 1),
        (errors.EditError("x"), 2),
        (errors.BuildError("x"), 2),
        (errors.GGUFError("x"), 2),
        (OSError(), 4),
        (KeyError(), None),
        (KeyboardInterrupt(), None),
    ],
)
def test_codes_of_errors(error: BaseException, code: int | None) -> None:
    assert code_of(error) == code


def test_numbers_are_those_of_the_documentation() -> None:
    assert (FINE, FINDINGS, REFUSED, MALFORMED, FAILED) == (0, 1, 2, 3, 4)


def test_the_last_verdict_counts() -> None:
    before = verdict()
    try:
        assert decide(FINDINGS) == FINDINGS
        assert verdict() == FINDINGS
        assert decide(FINE) == FINE
        assert verdict() == FINE
    finally:
        decide(before)

"""The hierarchy of errors: what they say, what they are, and that they travel."""

from __future__ import annotations

import copy
import pickle

import pytest

from gguf_construct import errors
from gguf_construct.errors import (
    GGUFError,
    InvalidFieldError,
    KeyNotFoundError,
    LimitExceededError,
    ParseError,
    TemplateError,
    TruncatedError,
    TypeConflictError,
    WriteError,
)

KINDS = [getattr(errors, name) for name in errors.__all__ if not name.endswith("Warning")]


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ({}, "it is wrong"),
        ({"path": "a.b"}, "a.b: it is wrong"),
        ({"offset": 255}, "at 0xff: it is wrong"),
        ({"offset": 0}, "at 0x0: it is wrong"),
        ({"path": "a.b", "offset": 16}, "a.b at 0x10: it is wrong"),
        ({"path": ""}, "it is wrong"),
    ],
)
def test_a_message_says_where(place: dict[str, object], text: str) -> None:
    error = GGUFError("it is wrong", **place)  # type: ignore[arg-type]
    assert str(error) == text
    assert error.message == "it is wrong"
    assert (error.hint, error.file) == (None, None)


@pytest.mark.parametrize("kind", KINDS)
def test_errors_can_be_copied_and_sent(kind: type[GGUFError]) -> None:
    error = kind("why", offset=7, path="p", hint="do it", file="f", more=[1])
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert type(twin) is kind
        assert str(twin) == "p at 0x7: why"
        assert twin.__dict__ == error.__dict__
        assert vars(twin)["more"] == [1]


@pytest.mark.parametrize("kind", KINDS)
def test_all_are_ours_and_described(kind: type[GGUFError]) -> None:
    assert issubclass(kind, GGUFError)
    assert kind.__doc__
    for name in ("GGUFError", "ParseError", "BuildError", "EditError", "WriteError"):
        assert getattr(errors, name).__module__ == "gguf_construct"


@pytest.mark.parametrize(
    ("kind", "builtin"),
    [
        (ParseError, ValueError),
        (TruncatedError, EOFError),
        (KeyNotFoundError, KeyError),
        (TypeConflictError, TypeError),
        (TemplateError, ValueError),
        (errors.RefusedError, ValueError),
        (errors.BuildError, ValueError),
    ],
)
def test_they_are_what_a_caller_would_catch(
    kind: type[Exception], builtin: type[Exception]
) -> None:
    assert issubclass(kind, builtin)


def test_an_error_of_writing_is_not_one_of_reading() -> None:
    assert not issubclass(WriteError, ValueError)


def test_details_have_defaults() -> None:
    assert (TruncatedError("x").needed, TruncatedError("x").available) == (0, 0)
    assert (InvalidFieldError("x").expected, InvalidFieldError("x").actual) == (None, None)
    assert LimitExceededError("x").limit == ""
    assert KeyNotFoundError("x").matches == ()
    assert (TemplateError("x").line, TemplateError("x").reason) == (None, "error")
    assert TruncatedError("x", needed=5).needed == 5

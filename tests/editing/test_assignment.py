"""Values and assignments as people type them."""

from __future__ import annotations

import math

import pytest

from gguf_construct.editing.assignment import (
    Assignment,
    parse_assignment,
    parse_float,
    parse_value,
)
from gguf_construct.errors import EditError, TypeConflictError

ASSIGNMENTS = [
    ("a=b", (), ("a", None, "b", False)),
    ("a=", (), ("a", None, "", False)),
    ("a=b=c", (), ("a", None, "b=c", False)),
    ("a:u32=5", (), ("a", "uint32", "5", False)),
    ("a:[str]=[]", (), ("a", "[string]", "[]", False)),
    ("a=@file", (), ("a", None, "file", True)),
    ("a=@-", (), ("a", None, "-", True)),
    ("a=@@x", (), ("a", None, "@x", False)),
    ("a=@", (), ("a", None, "", True)),
    ("a:u8=@f", (), ("a", "uint8", "f", True)),
    # What follows a colon may be part of a key: of a known one, or when it is no name of a type.
    ("a:u32=5", ("a:u32",), ("a:u32", None, "5", False)),
    ("a:b.c=5", (), ("a:b.c", None, "5", False)),
    ("a: b=5", (), ("a: b", None, "5", False)),
    (":u32=5", (), (":u32", None, "5", False)),
    # A known key may hold an equals sign.
    ("a=b=c", ("a=b",), ("a=b", None, "c", False)),
    ("a=b:u8=5", ("a=b",), ("a=b", "uint8", "5", False)),
    ("a=bc", ("a=b",), ("a", None, "bc", False)),
    ("a=b=c", ("a", "a=b"), ("a", None, "b=c", False)),
]


@pytest.mark.parametrize(("text", "known", "parts"), ASSIGNMENTS)
def test_assignments(
    text: str, known: tuple[str, ...], parts: tuple[str, str | None, str, bool]
) -> None:
    assert parse_assignment(text, known) == Assignment(*parts)


@pytest.mark.parametrize("text", ["", "a", "=b", "a:u32"])
def test_what_is_no_assignment(text: str) -> None:
    with pytest.raises(EditError, match="is not KEY=VALUE") as caught:
        parse_assignment(text)
    assert caught.value.hint == "write KEY=VALUE or KEY:TYPE=VALUE"


@pytest.mark.parametrize("text", ["a:u33=5", "a:[u33]=5", "a:number=5"])
def test_what_looks_like_a_type_must_be_one(text: str) -> None:
    with pytest.raises(TypeConflictError, match="is not a value type"):
        parse_assignment(text)


VALUES: list[tuple[str | bytes, str, object]] = [
    (" a ", "string", " a "),
    (b"\xff", "string", b"\xff"),
    ("5", "uint8", 5),
    (b" 5\n", "uint8", 5),
    ("0x10", "int32", 16),
    ("-0b11", "int32", -3),
    ("1_000", "uint64", 1000),
    ("1e-5", "float32", 1e-5),
    ("inf", "float64", math.inf),
    ("-Infinity", "float64", -math.inf),
    ("true", "bool", True),
    ("YES", "bool", True),
    ("1", "bool", True),
    ("on", "bool", True),
    ("False", "bool", False),
    ("no", "bool", False),
    ("0", "bool", False),
    ("off", "bool", False),
    ("[1, 2]", "[uint8]", [1, 2]),
    ('["a", "b"]', "[string]", ["a", "b"]),
    ('[{"base64": "/w=="}, "a"]', "[string]", [b"\xff", "a"]),
    ('["Infinity", 1.5, "-inf"]', "[float32]", [math.inf, 1.5, -math.inf]),
    ("[Infinity]", "[float32]", [math.inf]),
    ("[[1], []]", "[[uint8]]", [[1], []]),
    ("[true, false]", "[bool]", [True, False]),
    ("[]", "[uint8]", []),
]


@pytest.mark.parametrize(("text", "spec", "value"), VALUES)
def test_values(text: str | bytes, spec: str, value: object) -> None:
    found = parse_value(text, spec)
    assert found == value
    assert type(found) is type(value)


def test_no_number() -> None:
    assert math.isnan(parse_value("nan", "float32"))
    assert math.isnan(parse_value('["NaN"]', "[float64]")[0])


ARRAY_HINT = "write arrays as JSON, such as [1, 2]"
WRONG: list[tuple[str | bytes, str, str | None]] = [
    ("x", "uint8", None),
    ("1.5", "uint8", None),
    ("", "int64", None),
    ("maybe", "bool", None),
    ("2", "bool", None),
    ("x", "float32", None),
    (b"\xff", "uint8", None),
    ("5", "[uint8]", ARRAY_HINT),
    ("[1", "[uint8]", ARRAY_HINT),
    ('{"a": 1}', "[uint8]", ARRAY_HINT),
    ("[1, [2]]", "[[uint8]]", ARRAY_HINT),
    ('["x"]', "[float32]", ARRAY_HINT),
    ('[{"base64": "/w==", "more": 1}]', "[string]", ARRAY_HINT),
    ('[{"text": "a"}]', "[string]", ARRAY_HINT),
    ('[{"base64": "?"}]', "[string]", ARRAY_HINT),
    ("[" * 100_000, "[uint8]", ARRAY_HINT),
]


@pytest.mark.parametrize(("text", "spec", "hint"), WRONG, ids=lambda one: str(one)[:20])
def test_what_is_no_value(text: str | bytes, spec: str, hint: str | None) -> None:
    with pytest.raises(TypeConflictError, match="is not a valid ") as caught:
        parse_value(text, spec, "a.key")
    error = caught.value
    assert (error.path, error.expected, error.hint) == ("a.key", spec, hint)
    assert error.actual == str(text[:60])


@pytest.mark.parametrize(
    ("text", "spec"), [("1e400", "float64"), ("-1e400", "float32"), ("[1e400]", "[float64]")]
)
def test_what_no_float_holds(text: str, spec: str) -> None:
    with pytest.raises(TypeConflictError, match="1e400 is outside the range of") as caught:
        parse_value(text, spec)
    assert caught.value.hint == "write inf for infinity, or Infinity in arrays"


def test_floats() -> None:
    assert parse_float("1e308", "float64") == 1e308
    with pytest.raises(ValueError, match="could not convert"):
        parse_float("x", "float64")

"""Type specs as people type them."""

from __future__ import annotations

import pytest

from gguf_construct._generated.types import ValueType
from gguf_construct.core.type_names import SCALARS, parse_spec, scalar_spec, value_type_of
from gguf_construct.errors import TypeConflictError
from gguf_construct.model import open_model
from tests.support.builders import build
from tests.support.cases_valid import base

SPECS = [
    ("uint32", "uint32"),
    (" UINT32 ", "uint32"),
    ("u8", "uint8"),
    ("i64", "int64"),
    ("f32", "float32"),
    ("u", "uint"),
    ("str", "string"),
    ("String", "string"),
    ("bool", "bool"),
    ("array", "array"),
    ("[string]", "[string]"),
    ("[ str ]", "[string]"),
    ("array[u16]", "[uint16]"),
    ("string[]", "[string]"),
    ("[[i32]]", "[[int32]]"),
    ("i32[][]", "[[int32]]"),
    ("array[array[bool]]", "[[bool]]"),
]


@pytest.mark.parametrize(("text", "spec"), SPECS)
def test_specs(text: str, spec: str) -> None:
    if spec == "uint":  # a letter without a width is no type
        with pytest.raises(TypeConflictError, match="'u' is not a value type"):
            parse_spec(text)
        return
    assert parse_spec(text) == spec


@pytest.mark.parametrize(
    "text", ["", "[", "]", "[]", "[u8", "u8]", "array[u8", "u7", "x32", "u32x"]
)
def test_what_is_no_spec(text: str) -> None:
    with pytest.raises(TypeConflictError, match="not a value type") as caught:
        parse_spec(text)
    assert caught.value.hint is not None
    assert "uint8, int8" in caught.value.hint
    assert " array," not in caught.value.hint


def test_a_hundred_characters_are_enough() -> None:
    assert parse_spec("[" * 47 + "uint8" + "]" * 47 + " ") == "[" * 47 + "uint8" + "]" * 47
    with pytest.raises(TypeConflictError, match=r"\.\.\.' is not a value type"):
        parse_spec("[" * 48 + "uint8" + "]" * 48)


@pytest.mark.parametrize("value_type", list(ValueType))
def test_every_value_type_has_a_spec(value_type: ValueType) -> None:
    spec = scalar_spec(int(value_type))
    assert SCALARS[spec] is value_type
    assert value_type_of(spec) is value_type
    assert value_type_of(f"[{spec}]") is ValueType.ARRAY


@pytest.mark.parametrize(
    "spec", ["[" * 5000 + "uint8" + "]" * 5000, "array[" * 3000 + "]" * 3000, "uint8" + "[]" * 4000]
)
def test_absurd_specs_are_refused(spec: str) -> None:
    with pytest.raises(TypeConflictError, match="not a value type"):
        parse_spec(spec)


def test_types_are_text() -> None:
    metadata = open_model(build(base()).data).metadata
    with pytest.raises(TypeConflictError, match="not a value type"):
        metadata.set("key", 1, 5)  # type: ignore[arg-type]

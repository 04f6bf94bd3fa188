"""Values as YAML: exactly, in both directions; types from tags, from the key, from the look."""

from __future__ import annotations

import struct

import pytest

from gguf_construct._generated.types import Array, ValueType
from gguf_construct.errors import BuildError
from gguf_construct.manifest.yaml_read import Node, parse_yaml
from gguf_construct.manifest.yaml_values import (
    bool_text,
    first_scalar,
    pair_lines,
    parse_key,
    parse_node,
    parse_number,
    tagged_yaml,
    value_yaml,
)
from gguf_construct.model import open_model
from gguf_construct.runtime.views import NaN
from tests.support import builders as b
from tests.support.cases_valid import LIMITS, base


def value_of(text: str) -> Node:
    root = parse_yaml(text)
    assert root is not None
    return root.pairs[0][1]


@pytest.mark.parametrize("type_id", list(LIMITS))
def test_every_number_comes_back(type_id: int) -> None:
    for bits in LIMITS[type_id]:
        value: float = bits
        if type_id in (ValueType.FLOAT32, ValueType.FLOAT64):
            width = 4 if type_id == ValueType.FLOAT32 else 8
            forms = {4: ("<I", "<f"), 8: ("<Q", "<d")}[width]
            value = struct.unpack(forms[1], struct.pack(forms[0], bits))[0]
            value = value if value == value else NaN(bits, width)
        kind, found = parse_node(value_of(f"k: {value_yaml(type_id, value)}\n"))
        assert kind == type_id
        assert repr(found) == repr(value)
        assert getattr(found, "bits", None) == getattr(value, "bits", None)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("1", "type of this value"),
        ("[1, 2]", "type of this value"),
        ("[]", "type of this value"),
        ("!uint8 256", "range"),
        ("!uint8 x", "not a valid uint8"),
        ("!int9 1", "not a value type"),
        ("!float32 nan(0x1)", "not a valid float32"),
        ("!float32 1e39", "range"),
        ("!float64 1e400", "1e400 is outside the range of float64"),
        ("!float32 [0.5, -1e400]", "-1e400 is outside the range of float32"),
        ("!bool 256", "range"),
        ("!uint8 [[1]]", "list of uint8"),
        ("!uint8 [!uint16 1]", "uint16"),
        ("!array [1]", "lists"),
        ("!array 1", "lists"),
        ("{a: 1}", "map"),
        ("!bytes '\\'", "backslash"),
        ("!uint32 " + "9" * 10_000, "uint32"),
    ],
)
def test_what_is_no_value_is_refused(text: str, why: str) -> None:
    with pytest.raises(BuildError, match=why) as caught:
        parse_node(value_of(f"\nk: {text}\n"))
    assert caught.value.path == "line 2"


READ: list[tuple[str, tuple[str, ...], int, object]] = [
    ("text", (), ValueType.STRING, b"text"),
    ("'5'", (), ValueType.STRING, b"5"),
    ("'true'", (), ValueType.STRING, b"true"),
    ("true", (), ValueType.BOOL, 1),
    ("false", (), ValueType.BOOL, 0),
    ("!bool 2", (), ValueType.BOOL, 2),
    ("!string 5", (), ValueType.STRING, b"5"),
    ("!bytes 'a\\xff'", (), ValueType.STRING, b"a\xff"),
    ("5", ("uint32",), ValueType.UINT32, 5),
    ("5", ("[uint32]", "uint32"), ValueType.UINT32, 5),
    ("'5'", ("uint32",), ValueType.STRING, b"5"),
    ("0x10", ("int8",), ValueType.INT8, 16),
    ("1", ("float32",), ValueType.FLOAT32, 1.0),
    ("-inf", ("float32",), ValueType.FLOAT32, float("-inf")),
    (".inf", ("float64",), ValueType.FLOAT64, float("inf")),
    ("5", ("string",), ValueType.STRING, b"5"),
    ("true", ("bool",), ValueType.BOOL, 1),
]


@pytest.mark.parametrize(("text", "specs", "kind", "value"), READ)
def test_types_from_the_tag_the_key_or_the_look(
    text: str, specs: tuple[str, ...], kind: int, value: object
) -> None:
    if (text, specs) == ("5", ("string",)):
        # A key that holds text wants it in quotes, if it looks like a number.
        assert parse_node(value_of(f"k: {text}"), specs) == (kind, value)
        return
    assert parse_node(value_of(f"k: {text}"), specs) == (kind, value)


LISTS: list[tuple[str, tuple[str, ...], int, list[object]]] = [
    ("!int32 [1, 2]", (), ValueType.INT32, [1, 2]),
    ("[1, 2]", ("[uint16]",), ValueType.UINT16, [1, 2]),
    ("[1, 2]", ("uint32", "[uint16]"), ValueType.UINT16, [1, 2]),
    ("[a, '2']", (), ValueType.STRING, [b"a", b"2"]),
    ("[true, false]", (), ValueType.BOOL, [1, 0]),
    ("!string []", (), ValueType.STRING, []),
    ("!string [!bytes '\\xff', a, !string b]", (), ValueType.STRING, [b"\xff", b"a", b"b"]),
    ("!bool [2, true]", (), ValueType.BOOL, [2, 1]),
]


@pytest.mark.parametrize(("text", "specs", "kind", "items"), LISTS)
def test_lists(text: str, specs: tuple[str, ...], kind: int, items: list[object]) -> None:
    found = parse_node(value_of(f"k: {text}"), specs)
    assert found == (ValueType.ARRAY, Array(kind, len(items), items))


def test_lists_of_lists() -> None:
    for text, specs in (
        ("!array [!int8 [1], [a]]", ()),
        ("[!int8 [1], [a]]", ()),
        ("[!int8 [1], [a]]", ("[[int8]]",)),
    ):
        _, found = parse_node(value_of(f"k: {text}"), specs)
        assert found.element_type == ValueType.ARRAY
        assert [one.element_type for one in found.elements] == [ValueType.INT8, ValueType.STRING]


@pytest.mark.parametrize(
    ("text", "specs", "why"),
    [
        ("5", ("[uint32]",), "this key holds a list .*, not '5'"),
        ("x", ("uint32",), "'x' is not a valid uint32"),
        ("!array [x]", (), "this list holds lists"),
        ("[1, a]", (), "type of this value is not known"),
        ("[[a], b]", (), "a list in a list of string"),
        ("[true, a]", (), "type of this value is not known"),
        ("!int8 [!bytes 'a']", (), "bytes in a list of int8"),
        ("!int8 [{a: 1}]", (), "a map in a list of int8"),
        ("!float32 nan(0x100000000)", (), "is not a valid float32"),
    ],
)
def test_more_that_is_no_value(text: str, specs: tuple[str, ...], why: str) -> None:
    with pytest.raises(BuildError, match=why):
        parse_node(value_of(f"k: {text}"), specs)


def test_names() -> None:
    assert parse_key(value_of("k: name")) == b"name"
    assert parse_key(value_of("k: !bytes 'a\\xff'")) == b"a\xff"
    with pytest.raises(BuildError, match="a name cannot be !uint8"):
        parse_key(value_of("k: !uint8 5"))


def test_what_is_written() -> None:
    nan = NaN(0x7FC12345, 4)
    for kind, value, text in [
        (ValueType.UINT8, 5, "!uint8 5"),
        (ValueType.BOOL, 1, "true"),
        (ValueType.BOOL, 2, "!bool 2"),
        (ValueType.FLOAT32, 0.10000000149011612, "!float32 0.1"),
        (ValueType.FLOAT64, 0.1, "!float64 0.1"),
        (ValueType.FLOAT32, nan, "!float32 nan(0x7fc12345)"),
        (ValueType.FLOAT32, NaN(0x7FC00000, 4), "!float32 nan"),
        (ValueType.FLOAT64, float("-inf"), "!float64 -inf"),
        (ValueType.STRING, b"a", "a"),
        (ValueType.STRING, b"a\xff", "!bytes 'a\\xff'"),
        (ValueType.ARRAY, Array(ValueType.BOOL, 3, [0, 1, 2]), "!bool [false, true, 2]"),
    ]:
        assert value_yaml(kind, value) == text
    assert value_yaml(ValueType.UINT8, 5, is_tagged=False) == "5"
    assert [bool_text(byte) for byte in (0, 1, 2)] == ["false", "true", "2"]


def test_long_keys_are_marked() -> None:
    assert pair_lines(b"k", "v", "  ") == ["  k: v"]
    assert pair_lines(b"k" * 498, "v", "  ") == [f'  "{"k" * 498}": v']
    assert pair_lines(b"k" * 499, "v", "- ") == [f'- ? "{"k" * 499}"', "  : v"]


def test_a_text_where_a_number_is_expected_is_tagged() -> None:
    pairs = (b.Pair(b"llama.context_length", b.text("many")), b.Pair(b"x", b.text("many")))
    model = open_model(b.build(base(*pairs)).data)
    assert tagged_yaml(model.metadata.field("llama.context_length"), "llama") == "!string many"
    assert tagged_yaml(model.metadata.field("x"), "llama") == "many"
    assert tagged_yaml(model.metadata.field("general.architecture"), "llama") == "llama"


def test_the_first_scalar() -> None:
    assert first_scalar(("[uint32]", "uint32", "int8")) == "uint32"
    assert first_scalar(("[uint32]", "[int8]")) == "[uint32]"


def test_numbers() -> None:
    assert parse_number("true", ValueType.BOOL) == 1
    assert parse_number(".nan", ValueType.FLOAT64).bits == 0x7FF8000000000000
    with pytest.raises(ValueError, match="not the bits of a NaN"):
        parse_number("nan(0x1)", ValueType.FLOAT32)
    with pytest.raises(ValueError, match="too many bits"):
        parse_number("nan(0x17fc00000)", ValueType.FLOAT32)

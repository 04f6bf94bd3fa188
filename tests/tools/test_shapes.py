"""How a type of the schema is represented: a number, a text or a record."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tools.emit.layout import has_lists, is_record_list, min_nbytes, switch_cases
from tools.emit.shapes import (
    Number,
    Record,
    Text,
    body_type,
    count_fields,
    is_marker,
    magic,
    reachable_types,
    shape_of,
)
from tools.generate import SPEC
from tools.ksy.errors import SchemaError
from tools.ksy.load import load
from tools.ksy.nodes import UserType
from tools.ksy.resolve import resolve

if TYPE_CHECKING:
    from tools.emit.shapes import Shape
    from tools.ksy.nodes import Schema, Type


def schema_of(old: str = "", new: str = "") -> Schema:
    def read(name: str) -> str:
        text = (SPEC / f"{name}.ksy").read_text(encoding="utf-8")
        return text.replace(old, new, 1) if old and name == "gguf" else text

    return resolve(load("gguf", read))


def type_of(schema: Schema, id: str) -> Type:
    return next(one for one in schema.root.walk() if one.id == id)


def shape(id: str) -> Shape:
    type = type_of(schema_of(), id)
    return shape_of(UserType(id, (), type))


def test_a_type_of_one_number_is_that_number() -> None:
    assert shape("scalar_uint8") == Number(((None, "u", 1),))
    assert shape("scalar_float64") == Number(((None, "f", 8),))
    assert shape("scalar_bool") == Number(((None, "u", 1),), is_bool=True)
    size = shape("size")
    assert isinstance(size, Number)
    assert [size.of(version) for version in (1, 2, 3, 9)] == [("u", 4), *[("u", 8)] * 3]
    assert size.is_versioned
    assert shape("dimension") == size


def test_a_length_and_as_many_bytes_are_a_text() -> None:
    text = shape("string")
    assert isinstance(text, Text)
    assert (text.type_id, text.len_id, text.data_id) == ("string", "len_value", "value")
    assert text.limit == "max_string_nbytes"


@pytest.mark.parametrize("id", ["array", "metadata_kv", "tensor_info", "body"])
def test_all_else_is_a_record(id: str) -> None:
    assert shape(id) == Record(id)


def test_the_body_and_what_it_is_made_of() -> None:
    schema = schema_of()
    body = body_type(schema)
    assert body.id == "body"
    assert magic(schema) == b"GGUF"
    ids = [one.id for one in reachable_types(body)]
    assert ids[-1] == "body"
    assert len(ids) == len(set(ids))
    assert ids.index("string") < ids.index("array") < ids.index("metadata_kv")
    assert ids.index("dimension") < ids.index("tensor_info")
    assert count_fields(body) == {"num_metadata": "metadata", "num_tensors": "tensor_infos"}
    assert [one.id for one in body.seq if is_marker(one)] == ["header_end"]


def test_lists_of_records() -> None:
    schema = schema_of()
    body, info = type_of(schema, "body"), type_of(schema, "tensor_info")
    assert [one.id for one in body.seq if is_record_list(one)] == ["metadata", "tensor_infos"]
    assert has_lists(body)
    assert not has_lists(info)  # dims are numbers
    assert not has_lists(type_of(schema, "array"))  # its elements may be anything


@pytest.mark.parametrize(
    ("id", "sizes"),
    [
        ("string", (4, 8, 8)),
        ("metadata_kv", (9, 13, 13)),  # an empty key, a type, one byte
        ("array", (8, 12, 12)),
        ("tensor_info", (20, 24, 24)),
        ("scalar_int16", (2, 2, 2)),
        ("body", (12, 20, 20)),
    ],
)
def test_the_fewest_bytes_of_a_type(id: str, sizes: tuple[int, ...]) -> None:
    schema = schema_of()
    found = tuple(min_nbytes(schema, type_of(schema, id), version) for version in (1, 2, 3))
    assert found == sizes


def test_a_switch_sorts_its_cases_by_shape() -> None:
    schema = schema_of()
    pair = type_of(schema, "metadata_kv")
    cases = switch_cases(schema, pair, pair.seq[-1])
    assert cases.on == "value_type"
    assert sorted(cases.numbers) == [0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 12]
    assert {number: type.id for number, (_, type) in cases.texts.items()} == {8: "string"}
    assert {number: type.id for number, (_, type) in cases.records.items()} == {9: "array"}


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("value_type::uint8: scalar_uint8", "0: scalar_uint8", "an enum member and a type"),
        ("value_type::uint8: scalar_uint8", "value_type::uint8: u1", "an enum member and a type"),
        ("value_type::uint8: scalar_uint8", "value_type::uint8: dimension(1)", "take arguments"),
        ("value_type::uint8: scalar_uint8", "value_type::uint8: size", "depend on the version"),
        ("switch-on: value_type\n", "switch-on: key.len_value\n", "on a field beside it"),
    ],
)
def test_cases_that_no_emitter_can_follow(old: str, new: str, words: str) -> None:
    schema = schema_of(old, new)
    pair = type_of(schema, "metadata_kv")
    with pytest.raises(SchemaError, match=rf"gguf\.ksy:\d+: .*{words}"):
        switch_cases(schema, pair, pair.seq[-1])

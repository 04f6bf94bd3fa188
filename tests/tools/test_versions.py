"""Fields that only some versions have, and functions that versions share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tools.emit import render_all
from tools.emit.versions import default_of, settle, suffix, supported_versions
from tools.generate import SPEC
from tools.ksy.errors import SchemaError
from tools.ksy.load import load
from tools.ksy.resolve import resolve

if TYPE_CHECKING:
    from tools.ksy.nodes import Schema, Type

Edit = tuple[str, str]
VERSION_4 = ("any-of: [1, 2, 3]", "any-of: [1, 2, 3, 4]")
AFTER_VERSION = "      - id: num_tensors\n"
AFTER_OFFSET = "            -orig-id: offset\n"
AFTER_KEY = "          - id: value_type\n            type: u4\n"


def header_field(lines: str = "type: u4", condition: str = "version >= 4") -> Edit:
    """A field behind the version."""
    text = f"      - id: flags\n        if: {condition}\n"
    text += "".join(f"        {line}\n" for line in lines.split("\n"))
    return AFTER_VERSION, text + AFTER_VERSION


def pair_field(condition: str) -> Edit:
    """A field of every metadata pair, behind the key."""
    text = f"          - id: scope\n            if: {condition}\n            type: u2\n"
    return AFTER_KEY, text + AFTER_KEY


def schema_of(*edits: Edit) -> Schema:
    """The schema with some texts replaced."""

    def read(name: str) -> str:
        text = (SPEC / f"{name}.ksy").read_text(encoding="utf-8")
        for old, new in edits if name == "gguf" else ():
            assert old in text, old
            text = text.replace(old, new, 1)
        return text

    return resolve(load("gguf", read))


def rendered(*edits: Edit) -> dict[str, str]:
    """What the emitters make of it."""

    def read(name: str) -> str:
        text = (SPEC / name).read_text(encoding="utf-8")
        for old, new in edits if name == "gguf.ksy" else ():
            assert old in text, old
            text = text.replace(old, new, 1)
        return text

    return render_all(read, lambda *_: "x")


def type_of(schema: Schema, id: str) -> Type:
    return next(one for one in schema.root.walk() if one.id == id)


def suffixes(schema: Schema, id: str) -> list[str]:
    """What the functions of a type end in, version by version."""
    return [suffix(schema, type_of(schema, id), one) for one in supported_versions(schema)]


def test_today_two_sets_of_functions_serve_three_versions() -> None:
    for id in ("string", "array", "metadata_kv", "tensor_info", "body"):
        assert suffixes(schema_of(), id) == ["_v1", "_v2", "_v2"]
    assert suffixes(schema_of(), "scalar_uint8") == ["_v1", "_v1", "_v1"]


def test_a_field_of_the_header_needs_no_new_function() -> None:
    schema = schema_of(VERSION_4, header_field())
    assert suffixes(schema, "body") == ["_v1", "_v2", "_v2", "_v2"]


@pytest.mark.parametrize("order", ["le", "be"])
def test_a_field_of_the_header_makes_a_codec_little_longer(order: str) -> None:
    name = f"codec_{order}.py"
    before = rendered()[name].count("\n")
    after = rendered(VERSION_4, header_field())[name].count("\n")
    assert before < after < before * 1.1


def test_a_field_of_every_pair_needs_functions_for_what_holds_pairs() -> None:
    schema = schema_of(VERSION_4, pair_field("_root.version >= 4"))
    assert suffixes(schema, "string") == ["_v1", "_v2", "_v2", "_v2"]
    assert suffixes(schema, "tensor_info") == ["_v1", "_v2", "_v2", "_v2"]
    assert suffixes(schema, "metadata_kv") == ["_v1", "_v2", "_v2", "_v4"]
    assert suffixes(schema, "body") == ["_v1", "_v2", "_v2", "_v4"]


def test_a_value_that_uses_the_version_needs_a_function_for_each() -> None:
    value = "        value: (ofs_header_end + alignment - 1) / alignment * alignment\n"
    longer = value.replace("ofs_header_end +", "ofs_header_end + _root.version +")
    assert suffixes(schema_of((value, longer)), "body") == ["_v1", "_v2", "_v3"]
    assert suffixes(schema_of((value, longer)), "array") == ["_v1", "_v2", "_v2"]


@pytest.mark.parametrize(
    ("condition", "has"),
    [
        ("_root.version >= 4", [False, False, False, True]),
        ("_root.version > 2", [False, False, True, True]),
        ("_root.version < 2", [True, False, False, False]),
        ("_root.version == 2 or _root.version == 4", [False, True, False, True]),
        ("not (_root.version <= 1)", [False, True, True, True]),
        ("_root.version != 3 and true", [True, True, False, True]),
    ],
)
def test_which_versions_have_a_field(condition: str, has: list[bool]) -> None:
    schema = schema_of(VERSION_4, pair_field(condition))
    type = type_of(schema, "metadata_kv")
    found = []
    for version in supported_versions(schema):
        field = next(one for one in settle(schema, type, version) if one.id == "scope")
        found.append(field.condition is None)
    assert found == has


@pytest.mark.parametrize(
    ("lines", "default"),
    [
        ("type: u4", 0),
        ("type: u4\n-default: 7", 7),
        ("type: s2\n-default: -1", -1),
        ("type: size\n-default: 3", 3),
        ("type: string", b""),
        ("type: string\n-default: none", b"none"),
    ],
)
def test_what_stands_for_a_field_that_is_not_there(lines: str, default: int | bytes) -> None:
    schema = schema_of(VERSION_4, header_field(lines))
    body = type_of(schema, "body")
    field = next(one for one in body.seq if one.id == "flags")
    assert default_of(schema, body, field) == default
    text = rendered(VERSION_4, header_field(lines))["types.py"]
    assert f"OPTIONAL_FIELDS: dict[str, dict[str, int | bytes]] = {{\n    'body': {{'flags': {default!r}}},\n" in text  # fmt: skip  # noqa: E501


REFUSED = [
    (header_field(condition="num_tensors.value > 0"), 'only compare the version'),
    (header_field(condition="version + 1 == 5"), "only compare the version"),
    (header_field("type: u4\nrepeat: expr\nrepeat-expr: version"), "a number or a text"),
    (header_field("size: 4"), "a number or a text"),
    (header_field("type: tensor_info"), "a number or a text"),
    (header_field("type: u4\n-default: x"), "is not a value of this field"),
    (header_field("type: u4\n-default: true"), "is not a value of this field"),
    (header_field("type: string\n-default: 5"), "is not a value of this field"),
    (pair_field("alignment_before == 4"), "only compare the version"),
    ((AFTER_VERSION, f"{AFTER_VERSION}        if: version >= 2\n"), "count nothing"),
    ((AFTER_VERSION, "      - id: span\n        type: u4\n" + AFTER_VERSION), "something else"),
]  # fmt: skip


@pytest.mark.parametrize(("edit", "words"), REFUSED)
def test_what_no_emitter_knows_is_refused_with_its_line(edit: Edit, words: str) -> None:
    with pytest.raises(SchemaError, match=rf"^gguf\.ksy:\d+: .*{words}"):
        rendered(VERSION_4, edit)


FACT = "  written_version:\n    value: 3\n"
ODD_FACTS = [
    ("  written_version:\n    value: 9\n", "9 is not a supported version"),
    ("  written_version:\n    value: x\n", "'x' is not a number"),
    ("  written_order:\n    value: me\n", "'me' is not a byte order"),
    ("  written:\n    value: 3\n", "a fact is a version"),
    ("  written_version:\n    value: 3\n    odd: 1\n", "key 'odd' is not known"),
]


@pytest.mark.parametrize(("text", "words"), ODD_FACTS)
def test_a_fact_that_is_none_is_refused_with_its_line(text: str, words: str) -> None:
    with pytest.raises(SchemaError, match=rf"^gguf\.ksy:\d+: .*{words}"):
        rendered((FACT, text))


def test_facts_reach_the_code_by_name() -> None:
    text = rendered(VERSION_4, (FACT, "  written_version:\n    value: 4\n"))["types.py"]
    assert "VERSIONS = (1, 2, 3, 4)\nWRITTEN_VERSION = 4\n" in text
    assert "BIG_ENDIAN_VERSION = 3\n" in text
    assert "CANONICAL_ORDER = '<'\n" in text
    assert "VALUE_TYPE_SINCE: dict[int, int] = {10: 2, 11: 2, 12: 2}" in text

"""Loading and resolving: each mistake in a schema stops the generator with file and line."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

import pytest

from tools.generate import SPEC
from tools.ksy.errors import SchemaError
from tools.ksy.load import load
from tools.ksy.resolve import fixed_nbytes, resolve

if TYPE_CHECKING:
    from tools.ksy.nodes import Field, Instance, Param, Schema

HEAD = "meta:\n  id: t\n"
BYTE = "  - id: a\n    type: u1\n"


def _load(text: str, **others: str) -> Schema:
    texts = {"t": text, **others}
    return resolve(load("t", texts.__getitem__))


MISTAKES = [
    ("unknown key", HEAD + "seq:\n  - id: a\n    type: u1\n    pad-right: 0\n", 6, "pad-right"),
    ("unknown own key", HEAD + "seq:\n  - id: a\n    type: u1\n    -limt: x\n", 6, "-limt"),
    ("duplicate key", HEAD + "seq:\n  - id: a\n    type: u1\n    type: u2\n", 6, "duplicate"),
    ("duplicate type", HEAD + "types:\n  a:\n    seq: []\n  a:\n    seq: []\n", 6, "duplicate"),
    ("duplicate field", HEAD + "seq:\n" + BYTE + BYTE, 6, "used"),
    ("unknown type", HEAD + "seq:\n  - id: a\n    type: nowhere\n", 4, "nowhere"),
    ("unknown construct", HEAD + "seq:\n  - id: a\n    type: u1\n    repeat: eos\n", 6, "repeat"),
    ("unknown enum", HEAD + "seq:\n  - id: a\n    type: u1\n    enum: e\n", 4, "enum"),
    ("unknown limit", HEAD + "seq:\n  - id: a\n    type: u1\n    -limit: m\n", 4, "limit"),
    ("bad expression", HEAD + "seq:\n  - id: a\n    size: 1 +\n", 5, "unexpected"),
    ("wrong arguments", HEAD + (
        "seq:\n  - id: a\n    type: b(1)\ntypes:\n  b:\n    seq: []\n"
    ), 4, "0 arg"),
    ("no id", HEAD + "seq:\n  - type: u1\n", 4, "id"),
    ("not YAML", HEAD + "seq: [\n", 4, "YAML"),
    ("no character", HEAD + "doc: a\x00b\n", 3, "character"),
    ("no base 64", HEAD + "-orig-id: !!binary x\n", 3, "plain value"),
    ("no such float", HEAD + "seq:\n  - id: a\n    type: f2\n", 4, "f2"),
    ("empty id", HEAD + "seq:\n  - id:\n    type: u1\n", 4, "not an id"),
    ("upper case id", HEAD + "seq:\n  - id: Magic\n    type: u1\n", 4, "not an id"),
    ("word of Python", HEAD + "seq:\n  - id: class\n    type: u1\n", 4, "Python"),
    ("odd parameter", HEAD + "params:\n  - id: 5\n    type: u1\n", 4, "not an id"),
    ("odd type name", HEAD + "types:\n  a-b:\n    seq: []\n", 4, "not an id"),
    ("odd member", HEAD + "enums:\n  e:\n    0: ''\n", 5, "not an id"),
    ("same number", HEAD + "enums:\n  e:\n    2: a\n    0x2: b\n", 6, "value 2 occurs twice"),
    ("same member", HEAD + "enums:\n  e:\n    2: a\n    3: a\n", 6, "member 'a' occurs twice"),
    ("negative limit", HEAD + "-limits:\n  m:\n    value: -1\n", 5, "negative"),
    ("no byte", HEAD + "seq:\n  - id: a\n    contents: [300]\n", 5, "bytes"),
    ("no byte order", HEAD + (
        "types:\n  a:\n    meta:\n      endian:\n        switch-on: 1\n        cases:\n"
        "          1: me\n"
    ), 9, "byte order"),
    ("missing meta", "seq: []\n", 1, "meta"),
    ("list as key", HEAD + "? [a]\n: 1\n", 3, "plain value"),
    ("deep", HEAD + "doc: " + "[" * 3000 + "\n", 3, "too deeply"),
    ("list as limit", HEAD + "seq:\n  - id: a\n    type: u1\n    -limit: [m]\n", 6, "plain value"),
    ("no byte", HEAD + "seq:\n  - id: a\n    contents: !!bool x\n", 5, "plain value"),
    ("long number", HEAD + "seq:\n  - id: a\n    contents: " + "9" * 5000 + "\n", 5, "plain"),
    ("unknown order", HEAD + "  endian: me\n", 3, "byte order"),
    ("odd meaning", HEAD + "seq:\n  - id: a\n    type: u1\n    -type: f3\n", 6, "-type"),
    ("odd truth", HEAD + "seq:\n  - id: a\n    type: u1\n    -lazy: maybe\n", 6, "true or false"),
    ("version true", HEAD + (
        "seq:\n  - id: a\n    type: u1\n    valid:\n      any-of: [true]\n"
    ), 7, "numbers"),
    ("in no enum", HEAD + (
        "seq:\n  - id: a\n    type: u1\n    valid:\n      in-enum: true\n"
    ), 7, "goes with 'enum'"),
    ("odd in-enum", HEAD + (
        "seq:\n  - id: a\n    type: u1\n    enum: e\n    valid:\n      in-enum: 1\n"
    ), 8, "true or false"),
    ("import of a path", HEAD + "  imports: [../x]\n", 3, "not the name of a schema"),
    ("type of parameter", HEAD + "params:\n  - id: a\n    type: x\n", 4, "parameter"),
    ("enum of parameter", HEAD + "params:\n  - id: a\n    type: u1\n    enum: x\n", 4, "enum"),
    ("same case", HEAD + (
        "seq:\n  - id: a\n    type:\n      switch-on: 1\n      cases:\n"
        "        1: u1\n        0x1: u2\n"
    ), 4, "the same"),
    ("type in itself", HEAD + (
        "types:\n  a:\n    seq:\n      - id: b\n        type: b\n"
        "  b:\n    seq:\n      - id: a\n        type: a\n"
    ), 6, "holds itself"),
    *((text, HEAD + f"instances:\n  a:\n    value: {text}\n", 5, words) for text, words in (
        ("nowhere + 1", "nowhere"),
        ("a.b", "'b'"),
        ("_root.b", "'b'"),
        ("_root.a.b", "'b'"),
        ("_io.eof", "'eof'"),
        ("a.as<x>", "'x'"),
        ("e::x == 1", "enum"),
    )),
    *((text[:9], HEAD + f"instances:\n  a:\n    value: {text}\n", 5, words) for text, words in (
        ("08 + 1", "number"),
        ("9" * 5000, "number"),
        ("a.", "name"),
        ("a.(", "name"),
        ("'[1 2]'", "','"),
        ("(" * 500 + "1" + ")" * 500, "deeply"),
        ("1" + "+1" * 500, "deeply"),
        ("not " * 500 + "1", "deeply"),
        ("a" + ".a" * 500, "deeply"),
    )),
    ("unknown member", HEAD + (
        "seq:\n  - id: a\n    type: u1\n    enum: e\n  - id: b\n    type:\n      switch-on: a\n"
        "      cases:\n        e::no: c\nenums:\n  e:\n    0: yes\ntypes:\n  c:\n    seq: []\n"
    ), 7, "no member"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "line", "words"), [m[1:] for m in MISTAKES], ids=[m[0] for m in MISTAKES]
)
def test_mistakes_name_their_line(text: str, line: int, words: str) -> None:
    with pytest.raises(SchemaError) as caught:
        _load(text)
    assert caught.value.place.file == "t.ksy"
    assert caught.value.place.line == line, str(caught.value)
    assert words in str(caught.value)


def test_a_mistake_in_an_import_names_that_file() -> None:
    with pytest.raises(SchemaError, match=r"other\.ksy:3: key 'sqe'"):
        _load(HEAD + "  imports: [other]\nseq: []\n", other="meta:\n  id: other\nsqe: []\n")


def test_a_missing_import_names_the_line_that_wants_it() -> None:
    def read(name: str) -> str:
        if name == "t":
            return HEAD + "  imports:\n    - other\n"
        raise FileNotFoundError(name)

    with pytest.raises(SchemaError, match=r"t\.ksy:3: other\.ksy is imported"):
        load("t", read)


def test_a_list_of_its_own_type_ends() -> None:
    schema = _load(
        HEAD + "seq:\n  - {id: n, type: u1}\n"
        "  - {id: a, type: b, repeat: expr, repeat-expr: n}\ntypes:\n  b:\n    seq:\n"
        "      - {id: n, type: u1}\n      - {id: c, type: b, repeat: expr, repeat-expr: n}\n"
    )
    assert fixed_nbytes(schema.root) is None


def test_fixed_sizes() -> None:
    schema = _load(
        HEAD + "seq:\n  - {id: a, type: u2}\n  - {id: b, size: 16}\n"
        "  - {id: c, type: s4, repeat: expr, repeat-expr: 3}\n"
    )
    assert fixed_nbytes(schema.root) == 30


def test_everything_in_the_schema_is_documented() -> None:
    schema = load("gguf", lambda name: (SPEC / f"{name}.ksy").read_text(encoding="utf-8"))
    roots = [schema.root, *schema.imports.values()]
    for type in chain.from_iterable(root.walk() for root in roots):
        assert type.doc, type.place
        members: list[Param | Field | Instance] = [*type.params, *type.seq, *type.instances]
        for node in members:
            assert node.doc, node.place
        for enum in type.enums.values():
            assert all(item.doc for item in enum.items), enum.place
    assert all(limit.doc for limit in schema.limits)

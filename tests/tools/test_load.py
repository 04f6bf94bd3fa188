"""Loading and resolving: each mistake in a schema stops the generator with file and line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tools.ksy.errors import SchemaError
from tools.ksy.load import load
from tools.ksy.resolve import fixed_nbytes, resolve

if TYPE_CHECKING:
    from tools.ksy.nodes import Schema

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
    ("missing meta", "seq: []\n", 1, "meta"),
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


def test_fixed_sizes() -> None:
    schema = _load(
        HEAD + "seq:\n  - {id: a, type: u2}\n  - {id: b, size: 16}\n"
        "  - {id: c, type: s4, repeat: expr, repeat-expr: 3}\n"
    )
    assert fixed_nbytes(schema.root) == 30

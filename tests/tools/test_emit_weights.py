"""spec/weights.yaml and the emitter of generated/weights.py."""

from __future__ import annotations

from pathlib import Path

import pytest

from gguf_construct._generated.keys import ARCHITECTURES
from gguf_construct._generated.weights import WEIGHTS
from gguf_construct.core.partial import salvage
from gguf_construct.validation.rules.context import Context
from gguf_construct.validation.rules.weights import sizes
from gguf_construct.validation.rules.weights_table import WEIGHTS as SHAPES
from tests.support.builders import build
from tests.support.cases_model import sound
from tools.emit.weights import emit_weights, load_weights
from tools.ksy.errors import SchemaError

SPEC = Path(__file__).resolve().parents[2] / "spec" / "weights.yaml"
SMALL = """\
groups:
  - architectures: [one, two]
    whole: token_embd(embd,vocab) output?
    block: >-
      attn_q(embd,q) attn_q.bias?
      ssm_a.
  - architectures: [three]
    encoder: attn_o
    complete: false
"""


def test_a_small_file() -> None:
    one, three = load_weights(SMALL)
    assert one.architectures == ("one", "two")
    assert one.block == "attn_q(embd,q) attn_q.bias? ssm_a."
    assert (three.encoder, three.is_complete) == ("attn_o", False)
    names: dict[str, object] = {}
    text = emit_weights(SMALL, "hash").replace("from __future__ import annotations\n", "")
    exec(text, names)
    table = names["WEIGHTS"]
    assert isinstance(table, dict)
    assert list(table) == ["one", "two", "three"]
    assert table["one"] is table["two"]
    assert table["one"].whole == one.whole
    assert table["three"].is_complete is False


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("three", "two", 7),
        ("complete", "finished", 9),
        ("attn_q.bias?", "attn_q?", 4),
        ("architectures: [one, two]", "whole: x", 3),
        ("groups", "models", 1),
        ("groups:", "groups: 5\nmore:", 1),
        ("three]", "three, 3]", 7),
        ("[three]", "three", 7),
        ("[three]", "[three, three]", 7),
        ("complete: false", "complete: maybe", 9),
        ("encoder: attn_o", "encoder: [attn_o]", 8),
        ("encoder: attn_o", "encoder: attn_o(3", 8),
        ("encoder: attn_o", "encoder: a\n    encoder: b", 9),
        ("encoder: attn_o", "encoder: *nowhere", 8),
        ("encoder: attn_o", "\tencoder: attn_o", 8),
        ("[three]", "[three", 8),
        ("three", "thr\x00ee", 7),
        ("three", "[" * 3000, 7),
    ],
    ids=lambda value: str(value)[:30],
)
def test_mistakes_are_named_with_their_line(old: str, new: str, line: int) -> None:
    with pytest.raises(SchemaError) as caught:
        load_weights(SMALL.replace(old, new))
    assert str(caught.value.place) == f"weights.yaml:{line}"


def test_architectures_are_those_of_the_registry() -> None:
    assert set(WEIGHTS) <= set(ARCHITECTURES)
    assert set(SHAPES) <= set(WEIGHTS)


def test_shapes_are_made_of_known_numbers() -> None:
    document = salvage(build(sound()).data).document
    assert document is not None
    known = set(sizes(Context(document, "llama.cpp"))) | {"_", "1"}
    for group in load_weights(SPEC.read_text(encoding="utf-8")):
        for entry in f"{group.whole} {group.block} {group.encoder}".split():
            shape = entry.partition("(")[2].rstrip("?)")
            assert not shape or known.issuperset(shape.split(",")), entry


def test_both_tables_agree() -> None:
    """The tensors that each file of an architecture needs are needed in either table."""
    for name, table in SHAPES.items():
        listed = WEIGHTS[name]
        for part, shapes in ((listed.whole, table.whole), (listed.block, table.block)):
            needed = {one.partition("(")[0] for one in part.split() if not one.endswith("?")}
            known = {one.rstrip("?").removesuffix(".weight") for one in shapes}
            assert needed <= known, name

"""spec/weights.yaml and the emitter of generated/weights.py."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from gguf_construct._generated.keys import ARCHITECTURES
from gguf_construct._generated.weights import LOADERS, SCALED
from gguf_construct.validation.loading import Replay
from tools.emit.weights import emit_weights, load_weights
from tools.emit.weights_expr import ATTRIBUTES, METHODS
from tools.emit.weights_tensors import split_tensors, whole_name
from tools.ksy.errors import Place, SchemaError

SPEC = Path(__file__).resolve().parents[2] / "spec" / "weights.yaml"
SMALL = """\
common:
  - set: embd = u32("embedding_length")
scaled: attn_q
scaled_by_expert: ffn_up_exps
groups:
  - architectures: [one, two]
    steps:
      - read: f32? some.epsilon
      - set: rank = u32("some.rank", 4)
      - demand: rank > 0
      - tensors: token_embd(embd, vocab) output(embd, vocab)?@output
      - when: not has_output
        do:
        - each: i in range(layers())
          do:
          - tensors: .attn_q(embd, 2 * rank) .ssm_a.(rank)
            mode: OPTIONAL
          - qkv: embd, embd, k(i), v(i)
  - architectures: [three]
    steps:
      - tensors: shortconv.conv(7, max(embd, context))
"""


def test_a_small_file() -> None:
    weights = load_weights(SMALL)
    assert weights.common == ("    m.embd = m.u32('embedding_length')",)
    one, three = weights.groups
    assert one.architectures == ("one", "two")
    assert one.body == (
        "    m.f32('some.epsilon', 0.0)",
        "    rank = m.u32('some.rank', 4)",
        "    m.demand(rank > 0, 'rank > 0', '')",
        '    m.add("token_embd.weight", 0, m.embd, m.vocab)',
        '    has_output = m.add("output.weight", OPTIONAL, m.embd, m.vocab)',
        "    if not has_output:",
        "        for i in range(m.layers()):",
        "            m.add(f'blk.{i}.attn_q.weight', OPTIONAL, m.embd, 2 * rank)",
        "            m.add(f'blk.{i}.ssm_a', OPTIONAL, rank)",
        "            m.qkv(i, m.embd, m.embd, m.k(i), m.v(i), 0)",
    )
    assert three.body == ('    m.add("shortconv.conv.weight", 0, 7, max(m.embd, m.context))',)
    names: dict[str, object] = {}
    text = emit_weights(SMALL, "hash").replace("from __future__ import annotations\n", "")
    exec(text.replace("-> None", "").replace(": Callable[[Loader], None]", ""), names)
    assert names["SCALED"] == ("attn_q",)
    table = names["LOADERS"]
    assert isinstance(table, dict)
    assert list(table) == ["one", "two", "three"]
    assert table["one"] is table["two"]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("[three]", "[two]", 19),
        ("[three]", "[three, 3]", 19),
        ("[three]", "three", 19),
        ("[three]", "[three, three]", 19),
        ("[three]", "[three", 20),
        ("[three]", "[thr\x00ee]", 19),
        ("groups:", "groups: 5\nmore:", 5),
        ("common:", "commons:", 1),
        ("rank > 0", "nothing > 0", 10),
        ("rank > 0", "rank >", 10),
        ("rank > 0", "rank.real > 0", 10),
        ("rank > 0", "(lambda: rank)()", 10),
        ("f32? some", "f33? some", 8),
        ("set: rank =", "set: rank:", 9),
        ("2 * rank)", "2 * rank", 16),
        ("tensors: token_embd(embd, vocab)", "tensors: token_embd", 11),
        ("tensors: token_embd", "tensors: .token_embd", 11),
        ("mode: OPTIONAL", "mode: PERHAPS", 17),
        ("i in range(layers())", "i of layers()", 14),
        ("demand:", "demands:", 10),
        ("read: f32? some.epsilon", "read: f32? some.epsilon\n        as: x", 9),
    ],
    ids=lambda value: str(value)[:30],
)
def test_mistakes_are_named_with_their_line(old: str, new: str, line: int) -> None:
    with pytest.raises(SchemaError) as caught:
        load_weights(SMALL.replace(old, new))
    assert str(caught.value.place) == f"weights.yaml:{line}"


def test_no_groups_are_a_mistake() -> None:
    with pytest.raises(SchemaError, match="the key groups"):
        load_weights(SMALL.partition("groups:")[0])


@pytest.mark.parametrize(
    ("written", "whole"),
    [
        ("attn_q", "attn_q.weight"),
        ("attn_q.bias", "attn_q.bias"),
        ("shortconv.conv", "shortconv.conv.weight"),
        ("nextn.eh_proj", "nextn.eh_proj.weight"),
        ("indexer.k_norm.bias", "indexer.k_norm.bias"),
        ("ssm_a.", "ssm_a"),
        ("attn_q.lora_a", "attn_q.lora_a"),
    ],
)
def test_names_with_inner_dots_have_a_suffix(written: str, whole: str) -> None:
    assert whole_name(written) == whole


def test_tensors_are_split_outside_of_brackets() -> None:
    place = Place("weights.yaml", 1)
    assert split_tensors("a(max(x, y), z)?  b.bias()\n c(1)@c", place) == [
        "a(max(x, y), z)?",
        "b.bias()",
        "c(1)@c",
    ]


def test_architectures_are_those_of_the_registry() -> None:
    assert set(LOADERS) <= set(ARCHITECTURES)
    assert "attn_output" in SCALED


def test_the_loader_answers_what_it_is_asked() -> None:
    one = Replay("llama", {}, {}, None)
    assert all(hasattr(one, name) for name in ATTRIBUTES)
    for name, signature in METHODS.items():
        wanted = signature.partition(" -> ")[0].removeprefix(name)
        have = str(inspect.signature(getattr(Replay, name))).partition(" -> ")[0]
        assert have.replace("'", "").replace("_T", "") == wanted.replace("*dims", "*dims"), name

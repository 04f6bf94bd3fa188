"""What a new value would do to the model: reasons to refuse, notes, and how to insist."""

from __future__ import annotations

import re
from typing import Any

import pytest

import gguf_construct as gc
from gguf_construct.editing.changes import set_value
from gguf_construct.errors import RefusedError
from tests.support import builders as b
from tests.support.cases_valid import base

TOKENS = b.Pair(b"tokenizer.ggml.tokens", b.array(b.STRING, b"<s>", b"a", b"<x>", b"<y>"))
TYPES = b.Pair(b"tokenizer.ggml.token_type", b.array(b.INT32, 3, 1, 6, 5))
EOS = "tokenizer.ggml.eos_token_id"


def opened(*pairs: b.Pair) -> gc.Model:
    return gc.open(b.build(base(*pairs)).data)


REFUSED: list[tuple[str, Any, str | None, str]] = [
    (EOS, 4, None, "token 4 does not exist: the vocabulary has 4 tokens, 0 to 3"),
    (EOS, 2**32 - 1, None, "token 4294967295 does not exist"),
    ("tokenizer.ggml.token_type", [1, 1], "[int32]", "2 elements for a vocabulary of 4 tokens"),
    ("tokenizer.ggml.scores", [0.0] * 5, "[float32]", "5 elements for a vocabulary of 4 tokens"),
    ("tokenizer.chat_template", "{{ x", None, "the chat template cannot be parsed: line 1: "),
    ("tokenizer.chat_template.tool", "{% if %}", None, "the chat template cannot be parsed"),
    ("general.alignment", 0, None, "0 is not a power of two, as every reader requires"),
    ("general.alignment", 24, None, "24 is not a power of two"),
    ("general.alignment", 16, None, "llama.cpp needs an alignment of at least 32"),
    ("general.alignment", 1 << 21, None, "an alignment of 2097152 pads every tensor"),
]


@pytest.mark.parametrize(("key", "value", "spec", "words"), REFUSED)
def test_refused_unless_insisted(key: str, value: Any, spec: str | None, words: str) -> None:
    model = opened(TOKENS, TYPES)
    before = model.to_bytes()
    with pytest.raises(RefusedError, match=re.escape(words)) as caught:
        set_value(model, key, value, spec)
    assert caught.value.path == key
    assert "--force-value" in str(caught.value.hint)
    assert model.to_bytes() == before
    change = set_value(model, key, value, spec, force=True)
    assert any(words in note for note in change.notes)
    assert change.action == "set"


ACCEPTED: list[tuple[str, Any, str | None, tuple[str, ...]]] = [
    (EOS, 0, None, ()),
    (EOS, 1, None, ("token 1 ('a') is marked normal, not control: its text may be printed",)),
    (EOS, 2, None, ("token 2 ('<x>') is marked byte, not control: its text may be printed",)),
    (EOS, 3, None, ("token 3 ('<y>') is marked unused, not control: its text may be printed",)),
    ("tokenizer.ggml.scores", [0.0] * 4, "[float32]", ()),
    ("tokenizer.chat_template", "{{ x }}", None, ()),
    ("general.alignment", 32, None, ()),
    ("general.alignment", 64, None, ()),
    ("general.alignment", 1 << 20, None, ()),
    ("x.nested", [[1]], "[[uint8]]", ("llama.cpp refuses files with arrays inside arrays",)),
    (
        "x.float",
        0.1,
        "float32",
        ("float32 cannot hold 0.1 exactly: stored as 0.10000000149011612",),
    ),
    ("x.float", 0.5, "float32", ()),
    ("x.float", float("nan"), "float32", ()),
    ("x.float", 0.1, "float64", ()),
    ("x.text", b"\xff", "string", ("the text is not valid UTF-8",)),
    ("x.text", "naïve 🦙", "string", ()),
    ("x.text", "", "string", ()),
    (
        "x.text",
        "a\u202eb",
        "string",
        ("the text contains U+202E RIGHT-TO-LEFT OVERRIDE (bidirectional)",),
    ),
    ("x\u200b", 1, "uint8", ("the key contains U+200B ZERO WIDTH SPACE (invisible)",)),
    ("x" * 65535, 1, "uint8", ()),
    ("x" * 65536, 1, "uint8", ("the key has 65536 bytes, the specification allows 65535",)),
]


@pytest.mark.parametrize(("key", "value", "spec", "notes"), ACCEPTED, ids=lambda one: str(one)[:30])
def test_notes(key: str, value: Any, spec: str | None, notes: tuple[str, ...]) -> None:
    assert set_value(opened(TOKENS, TYPES), key, value, spec).notes == notes


def test_without_a_vocabulary_every_id_will_do() -> None:
    assert set_value(opened(), EOS, 900).notes == ()
    assert set_value(opened(TYPES), EOS, 900).notes == ()


def test_without_types_no_token_is_wrongly_marked() -> None:
    assert set_value(opened(TOKENS), EOS, 1).notes == ()
    short = b.Pair(b"tokenizer.ggml.token_type", b.array(b.INT32, 3))
    assert set_value(opened(TOKENS, short), EOS, 1).notes == ()


def test_a_new_vocabulary_notes_the_arrays_that_no_longer_fit() -> None:
    scores = b.Pair(b"tokenizer.ggml.scores", b.array(b.FLOAT32, 0, 0, 0))
    model = opened(TOKENS, TYPES, scores)
    change = set_value(model, "tokenizer.ggml.tokens", ["a", "b", "c"])
    assert change.notes == ("tokenizer.ggml.token_type has 4 elements, not 3",)
    assert set_value(model, "tokenizer.ggml.tokens", ["a", "b", "d", "e"]).notes == (
        "tokenizer.ggml.scores has 3 elements, not 4",
    )


def test_a_template_that_is_no_text_is_not_parsed() -> None:
    change = set_value(
        opened(), "tokenizer.chat_template", ["{{"], "[string]", force=True, force_type=True
    )
    assert change.type == "[string]"

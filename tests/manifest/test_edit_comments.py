"""What stands beside a key for whoever edits it."""

from __future__ import annotations

import pytest

from gguf_construct.manifest.edit_comments import comment_on, summary_of
from gguf_construct.model import Model, open_model
from tests.support import builders as b
from tests.support.builders import Pair, build
from tests.support.cases_valid import base

PAIRS = (
    Pair(b"tokenizer.ggml.tokens", b.array(b.STRING, b"<s>", b"\xff", b"x" * 50, b"d", b"e")),
    Pair(b"tokenizer.ggml.bos_token_id", b.u32(0)),
    Pair(b"tokenizer.ggml.eos_token_id", b.u32(2)),
    Pair(b"tokenizer.ggml.unknown_token_id", b.u32(5)),
    Pair(b"general.file_type", b.u32(2)),
    Pair(b"own.key", b.u32(2)),
    Pair(b"own.numbers", b.array(b.INT32, 1, 2, 3, 4)),
    Pair(b"own.more", b.array(b.INT32, 1, 2, 3, 4, 5)),
    Pair(b"own.nested", b.array(b.ARRAY, b.Array(b.UINT8, (1,)))),
    Pair(b"own.text", b.text("abc")),
)


@pytest.fixture(scope="module")
def model() -> Model:
    return open_model(build(base(*PAIRS)).data)


@pytest.mark.parametrize(
    ("key", "comment"),
    [
        ("tokenizer.ggml.bos_token_id", "'<s>'"),
        ("tokenizer.ggml.eos_token_id", f"'{'x' * 40}'"),
        ("tokenizer.ggml.unknown_token_id", "not in the vocabulary"),
        ("own.key", ""),
    ],
)
def test_comments(model: Model, key: str, comment: str) -> None:
    found = comment_on(model, model.metadata.field(key))
    assert found.replace('"', "'") == comment


def test_numbers_with_names_show_them(model: Model) -> None:
    assert "Q4_0" in comment_on(model, model.metadata.field("general.file_type"))


def test_a_key_is_explained_in_a_line(model: Model) -> None:
    found = comment_on(model, model.metadata.field("llama.block_count"))
    assert 0 < len(found) <= 70


@pytest.mark.parametrize(
    ("key", "summary"),
    [
        ("own.numbers", "[int32], 4 elements: 1, 2, 3, 4"),
        ("own.more", "[int32], 5 elements: 1, 2, 3, 4, ..."),
        ("own.nested", "[[uint8]]"),
        ("own.text", "3 bytes of text"),
        ("own.key", "uint32"),
    ],
)
def test_summaries(model: Model, key: str, summary: str) -> None:
    assert summary_of(model.metadata.field(key)) == summary


def test_summaries_of_texts_are_cut(model: Model) -> None:
    found = summary_of(model.metadata.field("tokenizer.ggml.tokens"))
    assert found.startswith("[string], 5 elements: ")
    assert found.endswith(", ...")
    assert "x" * 40 in found
    assert "x" * 41 not in found
    assert "\udcff" not in found


def test_without_a_vocabulary_no_token_is_found() -> None:
    model = open_model(build(base(Pair(b"tokenizer.ggml.bos_token_id", b.u32(0)))).data)
    field = model.metadata.field("tokenizer.ggml.bos_token_id")
    assert comment_on(model, field) == "not in the vocabulary"

"""The special tokens that a file names, and those that llama.cpp assumes or finds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import gguf_construct as gc
from gguf_construct.errors import EditError
from gguf_construct.tokens.special import template_variables
from tests.support import builders as b
from tests.support.builders import Model, Pair, build
from tests.support.llama import inspect_many, needs_llama
from tests.tokens.token_data import open_vocabulary, token_id
from tools.samples import sample_model

if TYPE_CHECKING:
    from pathlib import Path


def rows(model: gc.Model) -> dict[str, tuple[int | None, str]]:
    return {row.role: (row.id, row.source) for row in gc.special_tokens(model)}


def test_the_file_comes_before_what_llama_assumes() -> None:
    model = open_vocabulary("llama", token_id(b"eos", 7))
    assert rows(model) == {
        "bos": (1, "default"),
        "eos": (7, "file"),
        "eot": (7, "text"),
        "unk": (0, "default"),
    }


def test_rows_carry_token_and_flag() -> None:
    flag = Pair(b"tokenizer.ggml.add_bos_token", b.boolean(0))
    model = open_vocabulary("llama", token_id(b"bos", 1), flag)
    bos = gc.special_tokens(model)[0]
    assert bos.token is not None
    assert (bos.token.text, bos.token.type, bos.add) == ("<s>", "control", False)


def test_an_id_outside_the_vocabulary_is_noted() -> None:
    (row,) = [
        row
        for row in gc.special_tokens(open_vocabulary("llama", token_id(b"padding", 99)))
        if row.role == "pad"
    ]
    assert (row.id, row.token) == (99, None)
    assert "outside the vocabulary of 11 tokens" in row.note


@pytest.mark.parametrize("value", [b.text("7"), b.boolean(1), b.array(b.UINT32, 1), b.f32(1.0)])
def test_a_value_that_is_no_id_is_noted(value: b.Value) -> None:
    model = open_vocabulary("llama", Pair(b"tokenizer.ggml.eos_token_id", value))
    (row,) = [row for row in gc.special_tokens(model) if row.role == "eos"]
    assert (row.id, row.note) == (None, "the value is not a token id")


def test_a_key_that_llama_does_not_read_is_noted() -> None:
    model = open_vocabulary("llama", token_id(b"separator", 2))
    (row,) = [row for row in gc.special_tokens(model) if row.role == "sep"]
    assert "it reads tokenizer.ggml.seperator_token_id" in row.note


def test_a_former_name_counts() -> None:
    model = open_vocabulary("llama", token_id(b"prefix", 5))
    (row,) = [row for row in gc.special_tokens(model) if row.role == "fim_pre"]
    assert (row.id, row.key, row.note) == (5, "tokenizer.ggml.prefix_token_id", "")


def test_a_file_without_vocabulary_still_lists_its_ids() -> None:
    model = gc.open(build(Model((token_id(b"eos", 2),))).data)
    assert rows(model) == {"eos": (2, "file")}
    with pytest.raises(EditError, match="no vocabulary"):
        gc.stop_tokens(model)


def test_templates_see_texts_of_the_usual_roles() -> None:
    model = open_vocabulary("llama", token_id(b"eos", 7), token_id(b"eot", 2))
    assert template_variables(model) == {
        "bos_token": "<s>",
        "eos_token": "<|im_end|>",
        "unk_token": "<unk>",
    }


TEXTS = (
    ("<|end|>",),
    ("<|end|>", "<|return|>"),
    ("<|end|>", "<|return|>", "<|call|>"),
    ("<|end|>", "<|calls|>", "<|flush|>"),
    ("<|tool_response>",),
    ("<|fim_pad|>", "<|fim_repo|>", "<|file_sep|>", "<|fim_prefix|>"),
    ("<eos>", "[EOT]", "<turn|>", "<|eom_id|>"),
)


@needs_llama
@pytest.mark.engine
def test_llama_stops_where_we_say(tmp_path: Path) -> None:
    """Tokens of the sample model get texts that llama.cpp knows."""
    paths, ours = [], []
    for number, texts in enumerate(TEXTS):
        with gc.open(sample_model()) as model:
            tokens = list(model.metadata["tokenizer.ggml.tokens"])
            tokens[40 : 40 + len(texts)] = texts
            model.metadata["tokenizer.ggml.tokens"] = tokens
            gc.set_token(model, "eom", 60)
            ours.append([token.id for token in gc.stop_tokens(model)])
            path = tmp_path / f"{number}.gguf"
            model.save(path)
        paths.append(path)
    assert [found.stops for found in inspect_many(paths)] == ours

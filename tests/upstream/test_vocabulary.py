"""The vocabulary of a repository, from whatever file has it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gguf_construct.upstream.repository import Repository, parse_repository
from gguf_construct.upstream.vocabulary import their_vocabulary
from tests.upstream.test_sentencepiece import PIECES


def read(**files: object) -> Repository:
    return parse_repository(
        {
            name.replace("__", "."): one if isinstance(one, bytes) else json.dumps(one).encode()
            for name, one in files.items()
        }
    )


def test_tokenizer_json_counts_before_a_sentencepiece_model() -> None:
    tokenizer = {"model": {"type": "BPE", "vocab": {"a": 0}, "merges": ["a b", ["c", " d"]]}}
    found = their_vocabulary(read(tokenizer__json=tokenizer, tokenizer__model=PIECES))
    assert (found.kind, found.ids, found.merges) == ("BPE", {"a": 0}, ["a b", "c \u0120d"])


def test_pieces_have_types_and_scores() -> None:
    found = their_vocabulary(read(tokenizer__model=PIECES))
    assert [token.types[0] for token in found.tokens.values()] == [
        *("unknown", "control", "normal", "byte"),
    ]
    assert found.tokens[2].score == -1.5


def test_files_of_older_tokenizers() -> None:
    merges = b"#version: 0.2\na b\n\nodd\n"
    found = their_vocabulary(read(vocab__json={"a": 0, "b": 1}, merges__txt=merges))
    assert (found.ids, found.merges, found.where) == ({"a": 0, "b": 1}, ["a b"], "vocab.json")
    found = their_vocabulary(read(vocab__txt=b"[PAD]\nhi\n##ing\n"))
    assert [token.texts[0] for token in found.tokens.values()] == ["[PAD]", "\u2581hi", "ing"]


@pytest.mark.parametrize(
    ("entry", "kinds", "texts"),
    [
        ({"content": "<x>", "special": True}, ("control",), ("<x>",)),
        ({"content": "<x>", "special": False}, ("user_defined",), ("<x>",)),
        ({"content": "<|x|>", "special": False}, ("control", "user_defined"), ("<|x|>",)),
        ({"content": "\u2581\u2581", "special": False}, ("user_defined",), ("\u2581\u2581", "  ")),
    ],
)
def test_added_tokens(
    entry: dict[str, Any], kinds: tuple[str, ...], texts: tuple[str, ...]
) -> None:
    for files in (
        {"tokenizer__json": {"added_tokens": [{"id": 5, **entry}]}},
        {"tokenizer_config__json": {"added_tokens_decoder": {"5": entry}}},
    ):
        token = their_vocabulary(read(**files)).tokens[5]
        assert (token.types, token.texts) == (kinds, texts)


def test_added_tokens_alone_are_not_the_whole_vocabulary() -> None:
    found = their_vocabulary(read(added_tokens__json={"<x>": 7}))
    assert not found.has_all
    assert found.ids == {"<x>": 7}

"""Which `tokenizer.ggml.pre` fits a pre-tokenizer."""

from __future__ import annotations

from typing import Any

import pytest

from gguf_construct.tokens.pre_tokenizer_names import PRE_TOKENIZERS
from gguf_construct.upstream import pretokenizers
from gguf_construct.upstream.pretokenizers import (
    ADDS_BOS,
    ADDS_SEP,
    fitting,
    is_plain,
    steps_of,
)
from tests.upstream.pair import QWEN

BYTES = {"type": "ByteLevel", "use_regex": False}
PLAIN = {"type": "ByteLevel", "add_prefix_space": False}


def split(*patterns: str) -> dict[str, Any]:
    steps = [{"type": "Split", "pattern": {"Regex": one}} for one in patterns]
    return {"type": "Sequence", "pretokenizers": [*steps, BYTES]}


@pytest.mark.parametrize(
    ("pre_tokenizer", "first", "others"),
    [
        (PLAIN, "gpt-2", ("phi-2", "mpt")),
        (split(QWEN), "qwen2", ("stablelm2",)),
        (split(QWEN.replace(r"\r", "\r").replace(r"\n", "\n")), "qwen2", ("stablelm2",)),
        (split(QWEN.replace(r"\p{N}|", r"\p{N}{1,3}|")), "llama-bpe", ("glm4", "falcon3")),
        (
            {
                "type": "Sequence",
                "pretokenizers": [{"type": "Digits", "individual_digits": True}, PLAIN],
            },
            "starcoder",
            ("smollm", "command-r"),
        ),
        (split("[a-z]+"), None, ()),
        ({"type": "Whitespace"}, None, ()),
        (None, None, ()),
        ("x", None, ()),
        ({"type": "Sequence", "pretokenizers": 3}, None, ()),
    ],
)
def test_names_that_fit(pre_tokenizer: object, first: str | None, others: tuple[str, ...]) -> None:
    found = fitting({"pre_tokenizer": pre_tokenizer})
    assert (found[0] if found else None) == first
    assert {*others} <= {*found}


def test_only_the_split_of_gpt2_is_plain() -> None:
    assert is_plain({"pre_tokenizer": PLAIN})
    assert not is_plain({"pre_tokenizer": split(QWEN)})


def test_nested_sequences_end() -> None:
    node: dict[str, Any] = dict(PLAIN)
    for _ in range(1000):
        node = {"type": "Sequence", "pretokenizers": [node]}
    assert steps_of(node) == ""


def test_llama_knows_every_name() -> None:
    names = {name for listed in pretokenizers._TABLE.values() for name in listed}
    assert names <= PRE_TOKENIZERS
    assert ADDS_BOS | ADDS_SEP <= PRE_TOKENIZERS

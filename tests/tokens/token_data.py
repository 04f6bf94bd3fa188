"""Small vocabularies by hand, in the spelling of each kind of tokenizer."""

from __future__ import annotations

from typing import TYPE_CHECKING

import gguf_construct as gc
from tests.support import builders as b
from tests.support.builders import Model, Pair, build

if TYPE_CHECKING:
    from gguf_construct.model import Model as OpenModel

NORMAL, UNKNOWN, CONTROL, USER, UNUSED, BYTE = 1, 2, 3, 4, 5, 6

SENTENCEPIECE = (
    ("<unk>", UNKNOWN),
    ("<s>", CONTROL),
    ("</s>", CONTROL),
    ("<0x0A>", BYTE),
    ("▁the", NORMAL),
    ("the", NORMAL),
    ("<|im_start|>", CONTROL),
    ("<|im_end|>", NORMAL),
    ("twice", NORMAL),
    ("twice", NORMAL),
    ("7", NORMAL),
)
BYTE_LEVEL = (
    ("!", NORMAL),
    ("Ċ", NORMAL),
    ("Ġthe", NORMAL),
    ("the", NORMAL),
    ("Ã©", NORMAL),
    ("<|endoftext|>", CONTROL),
    ("<|im_end|>", CONTROL),
    ("  ", USER),
)
WORDPIECE = (
    ("[PAD]", CONTROL),
    ("[CLS]", CONTROL),
    ("▁hello", NORMAL),
    ("ing", NORMAL),
    ("▁ing", NORMAL),
)
TOKENS = {"llama": SENTENCEPIECE, "gpt2": BYTE_LEVEL, "bert": WORDPIECE}


def vocabulary_file(
    tokenizer: str = "llama",
    *more: Pair,
    byte_order: b.ByteOrder = b.LITTLE,
    element_type: int = b.INT32,
) -> bytes:
    """A file with only a vocabulary, and the pairs `more` behind it."""
    tokens = TOKENS[tokenizer]
    pairs = (
        Pair(b"general.architecture", b.text("llama")),
        Pair(b"tokenizer.ggml.model", b.text(tokenizer)),
        Pair(b"tokenizer.ggml.tokens", b.array(b.STRING, *(text.encode() for text, _ in tokens))),
        Pair(b"tokenizer.ggml.token_type", b.array(element_type, *(kind for _, kind in tokens))),
        *more,
    )
    return build(Model(pairs, byte_order=byte_order)).data


def open_vocabulary(tokenizer: str = "llama", *more: Pair) -> OpenModel:
    """The same, opened."""
    return gc.open(vocabulary_file(tokenizer, *more))


def token_id(role: bytes, id: int) -> Pair:
    """The pair that gives a token a role, as its key names it."""
    return Pair(b"tokenizer.ggml." + role + b"_token_id", b.u32(id))

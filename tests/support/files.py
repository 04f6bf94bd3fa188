"""Hand-made files for the tests of the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support import builders as b
from tests.support.cases_valid import base

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["TOKENS", "write_vocabulary_model"]

TOKENS = (b"<unk>", b"<s>", b"</s>", b"hello", b"\xff\xfe")


def write_vocabulary_model(folder: Path, *pairs: b.Pair, tail: bytes = b"") -> Path:
    """A little model with a vocabulary of five tokens (the last one is not UTF-8)."""
    model = base(
        b.Pair(b"general.name", b.Value(b.STRING, b"Ann\xc3\xa9")),
        b.Pair(b"tokenizer.ggml.tokens", b.array(b.STRING, *TOKENS)),
        b.Pair(b"tokenizer.ggml.token_type", b.array(b.INT32, 2, 3, 3, 1, 1)),
        b.Pair(b"tokenizer.ggml.eos_token_id", b.Value(b.UINT32, 1)),
        b.Pair(b"x.flag", b.Value(b.BOOL, 2)),
        *pairs,
        tail=tail,
    )
    path = folder / "model.gguf"
    path.write_bytes(b.build(model).data)
    return path

"""Names that llama.cpp knows."""

from __future__ import annotations

from gguf_construct.tokens.pre_tokenizer_names import NO_MERGES_PRE, PRE_TOKENIZERS


def test_names_are_those_of_llama() -> None:
    assert {"default", "llama-bpe", "gpt-2", "qwen2", "tekken", "kimi-k2"} <= PRE_TOKENIZERS
    assert all(name == name.strip() and " " not in name for name in PRE_TOKENIZERS)


def test_those_without_merges_are_among_them() -> None:
    assert PRE_TOKENIZERS > NO_MERGES_PRE

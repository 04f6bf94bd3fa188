"""Rows of a comparison with an upstream repository."""

from __future__ import annotations

import pytest

from gguf_construct.upstream.results import UpstreamRow


@pytest.mark.parametrize(
    ("key", "verdict", "is_difference"),
    [
        ("llama.context_length", "same", False),
        ("llama.context_length", "differs", True),
        ("llama.context_length", "missing there", False),
        ("llama.context_length", "not comparable", False),
        ("tokenizer.ggml.eos_token_id", "missing here", True),
        ("tokenizer.ggml.eos_token_id", "missing there", False),
        ("tokenizer.ggml.eos_token_id", "same", False),
    ],
)
def test_what_would_change_the_model(key: str, verdict: str, is_difference: bool) -> None:
    assert UpstreamRow(key, 1, 2, "there", verdict).is_difference is is_difference

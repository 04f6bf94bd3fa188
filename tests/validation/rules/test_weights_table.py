"""The table of tensors: its names and shapes are such as the rules understand."""

from __future__ import annotations

import re

import pytest

from gguf_construct.core.registry import is_known_architecture
from gguf_construct.validation.rules.weights_table import WEIGHTS

SIZES = {
    *("embd", "vocab", "q", "k", "v", "qkv", "head", "ff", "twice_ff", "half_rot"),
    *("expert", "ff_shared", "any"),
}


@pytest.mark.parametrize("architecture", sorted(WEIGHTS))
def test_rows(architecture: str) -> None:
    assert is_known_architecture(architecture)
    table = WEIGHTS[architecture]
    assert table.whole["token_embd.weight"] == ("embd", "vocab")
    assert table.whole["output_norm.weight"] == ("embd",)
    assert table.block["attn_output.weight"] == ("q", "embd")
    assert bool(table.dense) == bool(table.experts)
    for shapes in table:
        for name, shape in shapes.items():
            assert re.fullmatch(r"[a-z0-9_]+(\.[a-z_]+)*\.(weight|bias)\??", name)
            assert set(shape) <= SIZES
            assert 1 <= len(shape) <= 3
            if name.rstrip("?").endswith(".bias"):
                assert len(shape) == 1

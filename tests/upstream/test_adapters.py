"""LoRA adapters against adapter_config.json."""

from __future__ import annotations

import json
from typing import Any

import pytest

import gguf_construct as gc
from gguf_construct.upstream.compare import compare_upstream
from gguf_construct.upstream.repository import parse_repository
from tests.support import builders as b
from tests.support.builders import Model, Pair, Tensor, build

ALPHA, RANK = "adapter.lora.alpha", "adapter.lora.rank"


def verdicts(config: dict[str, Any], alpha: float | None = 8.0, rank: int = 4) -> dict[str, str]:
    pairs = [
        Pair(b"general.architecture", b.text("llama")),
        Pair(b"general.type", b.text("adapter")),
        Pair(b"adapter.type", b.text("lora")),
    ]
    if alpha is not None:
        pairs.append(Pair(b"adapter.lora.alpha", b.f32(alpha)))
    name = b"blk.0.attn_q.weight.lora_"
    tensors = (
        Tensor(name + b"a", (16, rank), 0, bytes(64 * rank)),
        Tensor(name + b"b", (rank, 8), 0, bytes(32 * rank)),
    )
    there = parse_repository({"adapter_config.json": json.dumps(config).encode()})
    with gc.open(build(Model(tuple(pairs), tensors)).data) as model:
        return {row.key: row.verdict for row in compare_upstream(model, there)}


@pytest.mark.parametrize(
    ("config", "alpha", "verdict"),
    [
        ({"lora_alpha": 8}, 8.0, "same"),
        ({"lora_alpha": 16}, 8.0, "differs"),
        ({"lora_alpha": 8, "use_rslora": True}, 16.0, "same"),
        ({"lora_alpha": 8, "use_rslora": True}, 8.0, "not comparable"),
        ({"lora_alpha": 8, "use_rslora": True}, 9.0, "differs"),
        ({"lora_alpha": 4}, None, "same"),
        ({"lora_alpha": 4}, 0.0, "same"),
        ({"lora_alpha": 8}, None, "missing here"),
    ],
)
def test_the_scale(config: dict[str, Any], alpha: float | None, verdict: str) -> None:
    assert verdicts({"r": 4, **config}, alpha)[ALPHA] == verdict


@pytest.mark.parametrize(
    ("config", "verdict"),
    [
        ({"r": 4}, "same"),
        ({"r": 8}, "differs"),
        ({"r": 8, "rank_pattern": {"q_proj": 4}}, "same"),
    ],
)
def test_the_rank_of_the_tensors(config: dict[str, Any], verdict: str) -> None:
    assert verdicts({"lora_alpha": 8, **config})[RANK] == verdict

"""Each single fault is exactly one difference: the row of the key at fault."""

from __future__ import annotations

import json
from typing import Any

import pytest

import gguf_construct as gc
from gguf_construct.upstream.compare import compare_upstream
from gguf_construct.upstream.repository import FILES, Repository, parse_repository
from tests.support import builders as b
from tests.support.builders import Model, Pair, Value, build
from tests.upstream.pair import PAIRS, STORED, TEMPLATE, TYPES, files


def repository(changed: dict[str, dict[str, Any]] | None = None) -> Repository:
    parts = {FILES[name]: json.dumps(one).encode() for name, one in (changed or files()).items()}
    return parse_repository({**parts, "chat_template.jinja": TEMPLATE.encode()})


def differences(changes: dict[str, Value | None], there: Repository) -> list[str]:
    pairs = {**PAIRS, **changes}
    made = [Pair(key.encode(), value) for key, value in pairs.items() if value is not None]
    with gc.open(build(Model(tuple(made))).data) as model:
        return [row.key for row in compare_upstream(model, there) if row.is_difference]


def test_the_pair_agrees() -> None:
    assert differences({}, repository()) == []


def typed(at: int, number: int) -> Value:
    return b.array(b.INT32, *TYPES[:at], number, *TYPES[at + 1 :])


def texts(*stored: str) -> Value:
    return b.array(b.STRING, *(text.encode() for text in stored))


ARCH = "qwen3moe."
HERE: list[tuple[str, Value | None]] = [
    (ARCH + "block_count", b.u32(3)),
    (ARCH + "block_count", None),
    (ARCH + "context_length", b.u32(2048)),
    (ARCH + "embedding_length", b.u32(65)),
    (ARCH + "feed_forward_length", b.u32(64)),
    (ARCH + "attention.head_count", b.u32(8)),
    (ARCH + "attention.head_count_kv", b.u32(4)),
    (ARCH + "attention.head_count_kv", None),
    (ARCH + "attention.key_length", b.u32(16)),
    (ARCH + "attention.key_length", None),
    (ARCH + "attention.value_length", b.u32(64)),
    (ARCH + "attention.layer_norm_rms_epsilon", b.f32(1e-5)),
    (ARCH + "attention.layer_norm_rms_epsilon", None),
    (ARCH + "attention.sliding_window", b.u32(513)),
    (ARCH + "rope.dimension_count", b.u32(16)),
    (ARCH + "rope.dimension_sections", b.array(b.INT32, 8, 8, 0, 0)),
    (ARCH + "rope.freq_base", b.f32(1e4)),
    (ARCH + "rope.freq_base", None),
    (ARCH + "rope.scaling.type", b.text("linear")),
    (ARCH + "rope.scaling.factor", b.f32(8.0)),
    (ARCH + "rope.scaling.original_context_length", b.u32(4096)),
    (ARCH + "rope.scaling.yarn_log_multiplier", b.f32(0.1)),
    (ARCH + "expert_count", b.u32(4)),
    (ARCH + "expert_count", None),
    (ARCH + "expert_used_count", b.u32(3)),
    (ARCH + "expert_feed_forward_length", b.u32(64)),
    (ARCH + "expert_shared_count", b.u32(1)),
    (ARCH + "expert_shared_feed_forward_length", b.u32(48)),
    (ARCH + "expert_weights_norm", b.boolean(0)),
    (ARCH + "expert_weights_scale", b.f32(1.0)),
    (ARCH + "ssm.conv_kernel", b.u32(3)),
    (ARCH + "ssm.state_size", b.u32(8)),
    (ARCH + "ssm.inner_size", b.u32(128)),
    (ARCH + "ssm.group_count", b.u32(1)),
    (ARCH + "ssm.time_step_rank", b.u32(8)),
    (ARCH + "attention.indexer.head_count", b.u32(1)),
    (ARCH + "attention.indexer.key_length", b.u32(8)),
    (ARCH + "attention.indexer.top_k", b.u32(6)),
    ("tokenizer.ggml.model", b.text("llama")),
    ("tokenizer.ggml.model", None),
    ("tokenizer.ggml.pre", b.text("llama-bpe")),
    ("tokenizer.ggml.pre", None),
    ("tokenizer.ggml.tokens", texts(*STORED[:4], "A", *STORED[5:])),
    ("tokenizer.ggml.tokens", texts(*STORED[:-1])),
    ("tokenizer.ggml.tokens", None),
    ("tokenizer.ggml.token_type", typed(3, 1)),
    ("tokenizer.ggml.token_type", typed(4, 3)),
    ("tokenizer.ggml.token_type", typed(7, 1)),
    ("tokenizer.ggml.token_type", None),
    ("tokenizer.ggml.merges", texts("b a")),
    ("tokenizer.ggml.merges", None),
    ("tokenizer.ggml.bos_token_id", b.u32(2)),
    ("tokenizer.ggml.eos_token_id", b.u32(2)),
    ("tokenizer.ggml.eos_token_id", None),
    ("tokenizer.ggml.eot_token_id", b.u32(5)),
    ("tokenizer.ggml.unknown_token_id", b.u32(1)),
    ("tokenizer.ggml.unknown_token_id", None),
    ("tokenizer.ggml.padding_token_id", b.u32(3)),
    ("tokenizer.ggml.padding_token_id", None),
    ("tokenizer.ggml.add_bos_token", b.boolean(0)),
    ("tokenizer.ggml.add_bos_token", None),
    ("tokenizer.ggml.add_eos_token", b.boolean(1)),
    ("tokenizer.chat_template", b.text(TEMPLATE + " ")),
    ("tokenizer.chat_template", None),
]


@pytest.mark.parametrize(("key", "value"), HERE, ids=lambda one: one if str(one) == one else "")
def test_a_fault_here_is_one_row(key: str, value: Value | None) -> None:
    assert differences({key: value}, repository()) == [key]


THERE: list[tuple[str, str, object, str]] = [
    ("config", "max_position_embeddings", 8192, ARCH + "context_length"),
    ("config", "head_dim", 16, ARCH + "attention.key_length"),
    ("config", "num_experts_per_tok", 4, ARCH + "expert_used_count"),
    ("config", "rms_norm_eps", 1e-5, ARCH + "attention.layer_norm_rms_epsilon"),
    ("config", "index_topk", 2048, ARCH + "attention.indexer.top_k"),
    ("config", "vocab_size", 9, ARCH + "vocab_size"),
    ("tokenizer_config", "eos_token", "</s>", "tokenizer.ggml.eos_token_id"),
    ("tokenizer", "post_processor", {"type": "ByteLevel"}, "tokenizer.ggml.add_bos_token"),
]


@pytest.mark.parametrize(("file", "name", "value", "key"), THERE)
def test_another_value_there_shows_at_its_key(
    file: str, name: str, value: object, key: str
) -> None:
    changed = files()
    changed[file][name] = value
    assert key in differences({}, repository(changed))


@pytest.mark.parametrize(
    ("changes", "config"),
    [
        ({ARCH + "rope.freq_base": None}, {"rope_theta": 10000.0, "rope_parameters": None}),
        ({ARCH + "attention.key_length": None}, {"head_dim": 16}),
        ({ARCH + "attention.head_count_kv": None}, {"num_key_value_heads": 4}),
        ({ARCH + "expert_count": None}, {"num_experts": 0}),
    ],
)
def test_absent_and_equal_to_the_default_is_the_same(
    changes: dict[str, Value | None], config: dict[str, Any]
) -> None:
    changed = files()
    changed["config"].update(config)
    (key,) = changes
    assert key not in differences(changes, repository(changed))

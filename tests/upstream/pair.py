"""A model and its repository, made by hand, that agree in everything."""

from __future__ import annotations

from copy import deepcopy
from typing import TYPE_CHECKING, Any

from tests.support import builders as b

if TYPE_CHECKING:
    from tests.support.builders import Value

QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
TEXTS = ("<unk>", "<s>", "</s>", "<|im_end|>", "a", "b", "ab", "\u2581\u2581x")
# Converters write spaces for the space sign in user-defined tokens.
STORED = (*TEXTS[:-1], "  x")
TYPES = (2, 3, 3, 3, 1, 1, 1, 4)
TEMPLATE = "{% for m in messages %}{{ m.content }}<|im_end|>{% endfor %}"

PAIRS: dict[str, Value] = {
    "general.architecture": b.text("qwen3moe"),
    "qwen3moe.block_count": b.u32(2),
    "qwen3moe.context_length": b.u32(4096),
    "qwen3moe.embedding_length": b.u32(64),
    "qwen3moe.feed_forward_length": b.u32(128),
    "qwen3moe.attention.head_count": b.u32(4),
    "qwen3moe.attention.head_count_kv": b.u32(2),
    "qwen3moe.attention.key_length": b.u32(32),
    "qwen3moe.attention.value_length": b.u32(32),
    "qwen3moe.attention.layer_norm_rms_epsilon": b.f32(1e-6),
    "qwen3moe.attention.sliding_window": b.u32(512),
    "qwen3moe.rope.dimension_count": b.u32(32),
    "qwen3moe.rope.dimension_sections": b.array(b.INT32, 8, 4, 4, 0),
    "qwen3moe.rope.freq_base": b.f32(1e6),
    "qwen3moe.rope.scaling.type": b.text("yarn"),
    "qwen3moe.rope.scaling.factor": b.f32(4.0),
    "qwen3moe.rope.scaling.original_context_length": b.u32(1024),
    "qwen3moe.rope.scaling.yarn_log_multiplier": b.f32(0.07),
    "qwen3moe.expert_count": b.u32(8),
    "qwen3moe.expert_used_count": b.u32(2),
    "qwen3moe.expert_feed_forward_length": b.u32(48),
    "qwen3moe.expert_shared_count": b.u32(2),
    "qwen3moe.expert_shared_feed_forward_length": b.u32(96),
    "qwen3moe.expert_weights_norm": b.boolean(1),
    "qwen3moe.expert_weights_scale": b.f32(2.5),
    "qwen3moe.ssm.conv_kernel": b.u32(4),
    "qwen3moe.ssm.state_size": b.u32(16),
    "qwen3moe.ssm.inner_size": b.u32(64),
    "qwen3moe.ssm.group_count": b.u32(2),
    "qwen3moe.ssm.time_step_rank": b.u32(4),
    "qwen3moe.attention.indexer.head_count": b.u32(2),
    "qwen3moe.attention.indexer.key_length": b.u32(16),
    "qwen3moe.attention.indexer.top_k": b.u32(5),
    "tokenizer.ggml.model": b.text("gpt2"),
    "tokenizer.ggml.pre": b.text("qwen2"),
    "tokenizer.ggml.tokens": b.array(b.STRING, *(text.encode() for text in STORED)),
    "tokenizer.ggml.token_type": b.array(b.INT32, *TYPES),
    "tokenizer.ggml.merges": b.array(b.STRING, b"a b"),
    "tokenizer.ggml.bos_token_id": b.u32(1),
    "tokenizer.ggml.eos_token_id": b.u32(3),
    "tokenizer.ggml.eot_token_id": b.u32(3),
    "tokenizer.ggml.unknown_token_id": b.u32(0),
    "tokenizer.ggml.padding_token_id": b.u32(2),
    "tokenizer.ggml.add_bos_token": b.boolean(1),
    "tokenizer.ggml.add_eos_token": b.boolean(0),
    "tokenizer.chat_template": b.text(TEMPLATE),
}

_CONFIG: dict[str, Any] = {
    "architectures": ["Qwen3MoeForCausalLM"],
    "num_hidden_layers": 2,
    "max_position_embeddings": 4096,
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "head_dim": 32,
    "rms_norm_eps": 1e-6,
    "sliding_window": 512,
    "rope_parameters": {
        "rope_type": "yarn",
        "rope_theta": 1e6,
        "factor": 4.0,
        "original_max_position_embeddings": 1024,
        "mrope_section": [8, 4, 4],
        "mscale_all_dim": 0.7,
    },
    "num_experts": 8,
    "num_experts_per_tok": 2,
    "moe_intermediate_size": 48,
    "num_shared_experts": 2,
    "norm_topk_prob": True,
    "routed_scaling_factor": 2.5,
    "linear_conv_kernel_dim": 4,
    "linear_key_head_dim": 16,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "linear_value_head_dim": 16,
    "index_n_heads": 2,
    "index_head_dim": 16,
    "index_topk": 5,
    "vocab_size": len(TEXTS),
    "bos_token_id": 1,
    "eos_token_id": [3, 2],
}


def _added(at: int, special: bool) -> dict[str, Any]:
    return {"id": at, "content": TEXTS[at], "special": special}


_FILES: dict[str, dict[str, Any]] = {
    "config": _CONFIG,
    "tokenizer": {
        "model": {
            "type": "BPE",
            "vocab": {text: at for at, text in enumerate(TEXTS)},
            "merges": [["a", "b"]],
            "unk_token": "<unk>",
        },
        "added_tokens": [*(_added(at, True) for at in range(4)), _added(7, False)],
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "Split", "pattern": {"Regex": QWEN}},
                {"type": "ByteLevel", "use_regex": False},
            ],
        },
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [{"SpecialToken": {"id": "<s>"}}, {"Sequence": {"id": "A"}}],
        },
    },
    "tokenizer_config": {
        "bos_token": "<s>",
        "eos_token": {"content": "<|im_end|>"},
        "unk_token": "<unk>",
        "pad_token": "</s>",
        "add_eos_token": False,
    },
    "generation_config": {"eos_token_id": [3, 2]},
}


def files() -> dict[str, dict[str, Any]]:
    """The repository's files by the names that the registry has for them; a copy to change."""
    return deepcopy(_FILES)

"""Tiny models of every architecture, made from spec/weights.yaml alone.

Strategy: a large set of plausible small numbers stands ready; the loader's replay says which of
them an architecture reads and which tensors follow.  The numbers are such as llama.cpp's own test
of its architectures uses: small, and different where they could be confused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gguf_construct._generated.types import Array as Row
from gguf_construct._generated.types import MetadataKv
from gguf_construct.validation.loading import Replay, replay

from .builders import (
    ARRAY,
    FLOAT32,
    INT32,
    UINT32,
    UINT64,
    Array,
    Model,
    Pair,
    Tensor,
    Value,
    boolean,
    f32,
    text,
    u32,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["largest", "smallest"]

VOCAB = 96
_LAYERS = {"llama4": 4, "gemma3n": 22, "gemma4": 5, "deepseek4": 4, "hrm_text": 6, "nemotron_h": 3}
_LAYERS |= {"nemotron_h_moe": 3, "kimi-k3": 4, "eagle3": 1}
_HYBRID = frozenset(
    (
        *("plamo2", "jamba", "granitehybrid", "lfm2", "lfm2moe", "kimi-linear", "bailingmoe3"),
        *("kimi-k3", "glm5-next", "nemotron_h", "nemotron_h_moe"),
    )
)
_PATTERNS = frozenset(
    (
        *("cohere2moe", "mimo2", "step35", "spark2_5", "muse-glimmer", "granite_swa", "dots3note"),
        *("maple", "gemma4", "gemma4-assistant", "dflash"),
    )
)


_NUMBERS = """\
context_length=32 embedding_length=64 features_length=64 vocab_size=96 feed_forward_length=96
attention.head_count=4 attention.head_count_kv=2 attention.layer_norm_epsilon=1e-05
attention.layer_norm_rms_epsilon=1e-05 attention.group_norm_epsilon=1e-05
attention.group_norm_groups=8 attention.clamp_kqv=1.0 attention.max_alibi_bias=8.0 logit_scale=1.0
attention.q_lora_rank=24 attention.kv_lora_rank=20 residual_scale=1.5
attention.relative_buckets_count=8 attention.sliding_window=8 attention.key_length_swa=16
attention.value_length_swa=16 rope.dimension_count=16 rope.freq_base_swa=10000.0
rope.freq_base=10000.0 embedding_scale=1.5 expert_gating_func=2 use_parallel_residual=false
ssm.inner_size=128 ssm.conv_kernel=4 ssm.state_size=32 ssm.time_step_rank=4 ssm.group_count=2
kda.head_dim=24 kda.safe_gate=true kda.gate_lower_bound=-5.0 wkv.head_size=16
time_mix_extra_dim=12 time_decay_extra_dim=20 shortconv.l_cache=3 attention.decay_lora_rank=12
attention.iclr_lora_rank=12 attention.value_residual_mix_lora_rank=12 attention.gate_lora_rank=20
posnet.embedding_length=48 convnext.embedding_length=48 attention.indexer.head_count=4
attention.indexer.key_length=24 attention.indexer.top_k=8 attention.indexer.block_size=4
attention.indexer.local_blocks=1 attention.indexer.kpool=4 hyper_connection.count=4
hyper_connection.low_rank=8 hyper_connection.sinkhorn_iterations=2 hyper_connection.epsilon=1e-06
hyper_connection.magnitude=2.0 attention.output_group_count=4 attention.output_lora_rank=12
attention.compress_rope_freq_base=100000.0 hash_layer_count=0 hrm.layers_per_stack=1
hrm.h_cycles=2 hrm.l_cycles=2 adapters.count=2 adapters.lora_rank=4 attn_res.block_size=2
embedding_length_per_layer_input=12 attention.shared_kv_layers=0 altup.num_inputs=4
altup.active_idx=0 full_attention_interval=2 /xielu.alpha_n=1.0 /xielu.alpha_p=1.0 /xielu.beta=1.0
/xielu.eps=1e-07 activation.situ_beta=4.0 activation.situ_linear_beta=25.0
attention.key_length_mla=24 attention.value_length_mla=20 attention.kv_lora_rank_swa=20
attention.key_length_mla_swa=24 attention.value_length_mla_swa=20 swiglu_clamp_exp=7.0
ple.ngram_size=3 ple.heads_per_ngram=2 ple.conv_kernel=4 ple.eos_token_id=0
leading_dense_block_count=1 expert_weights_norm=true expert_shared_feed_forward_length=40
expert_weights_scale=1.0 expert_chunk_feed_forward_length=24 interleave_moe_layer_step=2
moe_every_n_layers=2 expert_latent_length=28 experts_per_group=2 expert_group_scale=1.0
expert_shared_count=1 target_hidden_size=64
"""


def _number(text: str) -> tuple[str, Any]:
    key, _, value = text.partition("=")
    if value in ("true", "false"):
        return key, value == "true"
    return key, float(value) if "." in value or "e" in value else int(value)


# Tensors of which one or the other must be there.
_EITHER_OR: dict[str, dict[str, tuple[int, ...]]] = {
    "rwkv6": {f"blk.{i}.time_mix_lerp_fused.weight": (64, 1, 1, 5) for i in range(2)},
}


def _ints(*numbers: int, kind: int = UINT32) -> Value:
    return Value(ARRAY, Array(kind, numbers))


def _numbers(architecture: str, experts: bool) -> dict[str, Value]:
    """Values by what follows the architecture in the key."""
    layers = _LAYERS.get(architecture, 2)
    plain: dict[str, Any] = dict(map(_number, _NUMBERS.split()))
    plain |= {"block_count": layers, "posnet.block_count": layers, "convnext.block_count": layers}
    rows: dict[str, Value] = {
        "rope.dimension_sections": _ints(2, 2, 2, 2, kind=INT32),
        "attention.compress_ratios": _ints(*([0, 0, 4, 128] if layers == 4 else [4] * layers)),
        "attention.indexer.types": _ints(*(1 - i % 2 for i in range(layers))),
        "target_layers": _ints(0, 1, 2, kind=INT32),
        "adapters.token_ids_activate": _ints(1, 2, kind=INT32),
        "adapters.token_ids_substitute": _ints(3, 4, kind=INT32),
        "ple.layers": _ints(0),
        "ple.layer_multipliers": _ints(1, 3, 5, kind=UINT64),
        "ple.head_offsets": _ints(0, 96, 192, 288, kind=UINT64),
        "ple.head_vocab_sizes": _ints(96, 96, 96, 96, kind=UINT64),
    }
    if experts:
        plain |= {"expert_feed_forward_length": 56, "expert_count": 4, "expert_used_count": 2}
    found = {key: _value(value) for key, value in plain.items()} | rows
    return found | _special(architecture, layers)


def _special(architecture: str, layers: int) -> dict[str, Value]:
    """What some architectures want otherwise."""
    found: dict[str, Value] = {}
    if architecture in _HYBRID:
        each = [0 if layer == 1 else 4 for layer in range(layers)]
        found["attention.head_count_kv"] = _ints(*each)
        if architecture not in ("glm5-next", "lfm2", "lfm2moe"):
            found["attention.head_count"] = _ints(*each)
    if architecture.startswith("nemotron_h"):
        found["feed_forward_length"] = _ints(0, 0, *[96] * (layers - 2))
    if architecture in _PATTERNS:
        pattern = [layer % 2 for layer in range(layers)]
        found["attention.sliding_window_pattern"] = _ints(*pattern)
    if architecture == "deepseek4":
        found |= {"expert_gating_func": u32(4), "attention.head_count_kv": u32(1)}
    if architecture == "dflash":
        found["hyper_connection.count"] = u32(0)
    if architecture == "plamo2":
        found["ssm.group_count"] = u32(0)
    if architecture.startswith("wavtokenizer"):
        found["embedding_length"] = u32(72)
    if architecture in ("gemma4-assistant", "eagle3"):
        found["embedding_length_out"] = u32(128)
        found["nextn_predict_layers"] = u32(0)
    return found


def _value(value: Any) -> Value:
    if isinstance(value, bool):
        return boolean(value)
    return f32(value) if isinstance(value, float) else u32(value)


def _record(key: bytes, value: Value) -> MetadataKv:
    """A pair as the library's readers give it."""
    payload = value.payload
    if value.type == ARRAY:
        return MetadataKv(key, ARRAY, Row(payload.type, len(payload.items), payload.items))
    if value.type == FLOAT32:
        import struct

        payload = struct.unpack("<f", struct.pack("<I", payload))[0]
    return MetadataKv(key, value.type, payload)


class _Maker:
    def __init__(self, architecture: str, experts: bool, changes: Mapping[str, Value]) -> None:
        self.architecture = architecture
        numbers = {**_numbers(architecture, experts), **changes}
        whole = {
            key[1:] if key.startswith("/") else f"{architecture}.{key}": value
            for key, value in numbers.items()
        }
        whole["tokenizer.ggml.model"] = text("none")
        whole["tokenizer.ggml.token_type_count"] = u32(2)
        self.values = whole

    def replay(self, tensors: Mapping[str, tuple[int, ...]]) -> Replay:
        records = {key: _record(key.encode(), value) for key, value in self.values.items()}
        found = replay(self.architecture, records, tensors, VOCAB)
        assert found is not None, self.architecture
        return found

    def needed(self) -> dict[str, tuple[int, ...]]:
        """The tensors without which the replay is not content."""
        tensors = dict(_EITHER_OR.get(self.architecture, {}))
        while True:
            found = self.replay(tensors)
            assert not found.missing_keys, (self.architecture, found.missing_keys)
            assert not found.wrong_types, (self.architecture, found.wrong_types)
            assert not found.demands, (self.architecture, found.demands)
            if not found.missing:
                return tensors
            tensors |= {name: found.asked[name] for name in found.missing}

    def with_optional(self, tensors: dict[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
        """As many more as go together."""
        for name, dims in self.replay(tensors).asked.items():
            if name in tensors or not dims or min(dims) <= 0:
                continue
            more = {**tensors, name: dims}
            found = self.replay(more)
            is_content = found.is_complete and not found.missing and not found.misfits
            if is_content and set(more) <= set(found.asked) and not name.endswith("scale"):
                tensors = more
        return tensors

    def build(self, tensors: Mapping[str, tuple[int, ...]]) -> Model:
        asked = self.replay(tensors).read
        head = {"general.architecture": text(self.architecture)}
        pairs = {key: value for key, value in self.values.items() if key in asked}
        pairs |= {key: value for key, value in self.values.items() if key.startswith("tok")}
        pairs[f"{self.architecture}.vocab_size"] = u32(VOCAB)
        whole = {**head, **pairs}
        return Model(
            tuple(Pair(key.encode(), value) for key, value in whole.items()),
            tuple(_tensor(name, dims) for name, dims in tensors.items()),
        )


def _tensor(name: str, dims: tuple[int, ...]) -> Tensor:
    count = 1
    for dim in dims:
        count *= dim
    return Tensor(name.encode(), dims, 0, bytes(4 * count))


def smallest(
    architecture: str, *, experts: bool = True, changes: Mapping[str, Value] | None = None
) -> Model:
    """A model with the tensors that must be there."""
    maker = _Maker(architecture, experts, changes or {})
    return maker.build(maker.needed())


def largest(
    architecture: str, *, experts: bool = True, changes: Mapping[str, Value] | None = None
) -> Model:
    """A model with the tensors that may be there, as far as they go together."""
    maker = _Maker(architecture, experts, changes or {})
    return maker.build(maker.with_optional(maker.needed()))

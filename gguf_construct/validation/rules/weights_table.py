"""Which tensors some architectures consist of, with their shapes.

Source: load_arch_tensors in models/*.cpp of llama.cpp, as vendored by llama-cpp-python 0.3.36.
A name with ``?`` may be missing.  Shapes are in file order; their names are those of `sizes` in
`rules.weights`.  `q k v` may also come fused as attn_qkv.
"""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["WEIGHTS", "Weights"]

Shapes = dict[str, tuple[str, ...]]


class Weights(NamedTuple):
    """The tensors of an architecture: those of the whole, and those of each block."""

    whole: Shapes
    block: Shapes
    dense: Shapes
    experts: Shapes


_EMBEDDING: Shapes = {"token_embd.weight": ("embd", "vocab"), "output_norm.weight": ("embd",)}
_WHOLE: Shapes = {**_EMBEDDING, "output.weight?": ("embd", "vocab")}
_QKV: Shapes = {
    "attn_norm.weight": ("embd",),
    "attn_q.weight": ("embd", "q"),
    "attn_k.weight": ("embd", "k"),
    "attn_v.weight": ("embd", "v"),
    "attn_qkv.weight?": ("embd", "qkv"),
    "attn_q.bias?": ("q",),
    "attn_k.bias?": ("k",),
    "attn_v.bias?": ("v",),
    "attn_qkv.bias?": ("qkv",),
    "attn_output.weight": ("q", "embd"),
    "ffn_norm.weight": ("embd",),
}
_FFN: Shapes = {
    "ffn_gate.weight": ("embd", "ff"),
    "ffn_down.weight": ("ff", "embd"),
    "ffn_up.weight": ("embd", "ff"),
}
_HEAD_NORMS: Shapes = {"attn_q_norm.weight": ("head",), "attn_k_norm.weight": ("head",)}
_POST_NORMS: Shapes = {"post_attention_norm.weight": ("embd",), "post_ffw_norm.weight": ("embd",)}
_ROPE_FACTORS: Shapes = {
    "rope_factors_long.weight?": ("half_rot",),
    "rope_factors_short.weight?": ("half_rot",),
}


def _plain(whole: Shapes, block: Shapes) -> Weights:
    """An architecture whose blocks are all of one kind."""
    return Weights(whole, block, {}, {})


WEIGHTS: dict[str, Weights] = {
    "llama": Weights(
        {**_WHOLE, **_ROPE_FACTORS, "rope_freqs.weight?": ("half_rot",)},
        {**_QKV, "attn_output.bias?": ("embd",)},
        {
            **_FFN,
            "ffn_gate.bias?": ("ff",),
            "ffn_down.bias?": ("embd",),
            "ffn_up.bias?": ("ff",),
        },
        {
            "ffn_gate_inp.weight": ("embd", "expert"),
            "ffn_gate_exps.weight?": ("embd", "ff", "expert"),
            "ffn_down_exps.weight": ("ff", "embd", "expert"),
            "ffn_up_exps.weight": ("embd", "ff", "expert"),
            "ffn_gate_shexp.weight?": ("embd", "ff_shared"),
            "ffn_down_shexp.weight?": ("ff_shared", "embd"),
            "ffn_up_shexp.weight?": ("embd", "ff_shared"),
        },
    ),
    "qwen2": _plain({**_WHOLE, "output.bias?": ("vocab",)}, {**_QKV, **_FFN}),
    "qwen3": _plain(
        {**_WHOLE, "cls.output.weight?": ("embd", "any")}, {**_QKV, **_HEAD_NORMS, **_FFN}
    ),
    "gemma": _plain(_EMBEDDING, {**_QKV, **_FFN}),
    "gemma2": _plain(_EMBEDDING, {**_QKV, **_POST_NORMS, **_FFN}),
    "gemma3": _plain(
        {**_WHOLE, "dense_2.weight?": ("embd", "any"), "dense_3.weight?": ("any", "embd")},
        {**_QKV, **_HEAD_NORMS, **_POST_NORMS, **_FFN},
    ),
    "phi3": _plain(
        {**_WHOLE, **_ROPE_FACTORS},
        {**_QKV, "ffn_down.weight": ("ff", "embd"), "ffn_up.weight": ("embd", "twice_ff")},
    ),
}

"""Values that a faithful conversion computes, where config.json does not have them as they are.

Strategy: a rule for each key of the architecture gives the values that converters and readers
make of a configuration, the likeliest first; the places that the registry lists follow.  A rule
that does not apply gives nothing.

Source: the `set_gguf_parameters` methods of llama.cpp's convert_hf_to_gguf.py (conversion/*.py),
run on the default configurations of transformers' model classes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .derived_rope import ROPE_RULES
from .facts import Candidate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .facts import Facts

_UNLIMITED = 1 << 20  # what converters write for models whose state has a fixed size


def derived(facts: Facts, suffix: str) -> list[Candidate]:
    """The computed values of the key ``{arch}.suffix``, the likeliest first."""
    rule = _RULES.get(suffix) if facts.config else None
    found = rule(facts) if rule is not None else iter(())
    return [one for one in found if one.value is not None]


def _context_length(f: Facts) -> Iterator[Candidate]:
    positions = f.number("max_position_embeddings")
    padding = f.number("pad_token_id")
    names = f.get("architectures")
    if isinstance(names, list) and any(_counts_from_padding(str(one)) for one in names):
        if positions is not None and padding is not None:
            yield Candidate(
                positions - padding - 1, "config.json max_position_embeddings - pad_token_id - 1"
            )
        return
    if f.architecture == "falcon":
        yield Candidate(2048, "2048, as converters store it")
    if f.is_stateful and f.ours("context_length") == _UNLIMITED:
        yield Candidate(_UNLIMITED, "unlimited, as converters store it")


def _counts_from_padding(name: str) -> bool:
    """RoBERTa's positions begin after the id of the padding token."""
    return "Roberta" in name or name.startswith("Camembert")


def _vocab_size(f: Facts) -> Iterator[Candidate]:
    """Mamba's converters pad the embedding, and the vocabulary with it."""
    size, unit = f.number("vocab_size"), f.number("pad_vocab_size_multiple")
    if size is not None and (unit or f.architecture == "mamba2"):
        unit = unit or 16
        yield Candidate(-(-size // unit) * unit, f"config.json vocab_size, padded to {unit}")


def _block_count(f: Facts) -> Iterator[Candidate]:
    blocks, more = f.num_blocks, _further(f)
    if blocks is not None and more and f.ours("nextn_predict_layers"):
        yield Candidate(blocks + more, "config.json num_hidden_layers + num_nextn_predict_layers")
        return
    pattern = f.get("hybrid_override_pattern", "layers_block_type")
    if blocks is None and isinstance(pattern, (str, list)):
        yield Candidate(len(pattern), "config.json, length of the pattern of layers")


def _further(f: Facts) -> int | None:
    found = f.number("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules")
    return found if found is None or 0 <= found < 1000 else None


def _feed_forward(f: Facts) -> Iterator[Candidate]:
    width, inner = f.width, f.number("intermediate_size", "block_ff_dim")
    if not f.has_attention:
        yield Candidate(0, "no attention, no feed-forward")
    blocks = f.num_blocks
    if f.get("use_double_wide_mlp") and inner is not None and blocks and blocks < _MOST_BLOCKS:
        plain = blocks - (f.number("num_kv_shared_layers") or 0)
        listed = [inner if at < plain else 2 * inner for at in range(blocks)]
        yield Candidate(listed, "config.json intermediate_size, doubled where KV is shared")
    if inner is not None and (f.get("block_auto_adjust_ff_dim") or "lfm2" in f.architecture):
        yield from _adjusted(f, inner)
    experts = f.number("moe_intermediate_size")
    yield from _by_kind(f, {"other": inner}, f"{_NAME} by the kind of layer", experts)
    stated = f.get("intermediate_size", "n_inner", "ffn_dim", "d_ff")
    if width is not None and stated is None and f.architecture in _FOUR_TIMES:
        yield Candidate(4 * width, "4 times the width")


_NAME = "config.json intermediate_size"
_MOST_BLOCKS = 10_000
_FOUR_TIMES = (
    "gpt2",
    "bloom",
    "falcon",
    "starcoder",
    "codeshell",
    "phi2",
    "mpt",
    "chatglm",
    "gptj",
)


def _adjusted(f: Facts, inner: int) -> Iterator[Candidate]:
    """LFM2 takes two thirds, times a factor, rounded up."""
    size = 2 * inner // 3
    factor = f.get("block_ffn_dim_multiplier", "block_multiplier")
    if isinstance(factor, (int, float)):
        size = f.times(size, factor) or 0
    unit = f.number("block_multiple_of") or 256
    if unit > 0:
        yield Candidate(unit * -(-size // unit), f"{_NAME}, adjusted to a multiple of {unit}")


def _by_kind(
    f: Facts, sizes: dict[str, int | None], where: str, also: int | None = None
) -> Iterator[Candidate]:
    """One value for each block, by its kind; 0 in those of another kind."""
    kinds = f.kinds()
    if kinds is None or set(kinds).isdisjoint(sizes):
        return
    for size in dict.fromkeys([*sizes.values(), also]):
        if size is not None:
            yield Candidate([size if kind in sizes else 0 for kind in kinds], where)


_KV_NAMES = (
    *("num_key_value_heads", "n_kv_heads", "num_kv_heads", "n_head_kv", "num_query_groups"),
    *("multi_query_group_num", "attn_config.kv_n_heads", "multi_query"),
)


def _heads_kv(f: Facts) -> Iterator[Candidate]:
    stated = f.number("num_key_value_heads", "n_kv_heads", "num_kv_heads", "n_head_kv") or f.heads
    if f.is_latent and "kv_lora_rank" in str(f.config) and _is_scalar(f, "attention.head_count_kv"):
        yield Candidate(1, "1: latent attention")
        return
    if f.get("multi_query") is True and not f.get("new_decoder_architecture"):
        yield Candidate(1, "1: config.json multi_query")
    if f.is_latent:
        stated = 1
    elif f.get(*_KV_NAMES) is None and f.has_attention:
        yield Candidate(f.heads, "as many as query heads")
    full = f.number("num_global_key_value_heads")
    kinds = f.kinds()
    if kinds is not None and stated is not None and "recurrent" in [*kinds, "recurrent"]:
        of_kind = {"attention": full or stated, "sliding": stated}
        listed = [of_kind.get(kind, 0) for kind in kinds]
        further = _further(f) or 0
        where = "config.json num_key_value_heads by the kind of layer"
        yield Candidate(listed, where)
        if further:
            yield Candidate([*listed, *[stated] * further], where)
    if not f.has_attention:
        yield Candidate(0, "0: no attention")


def _is_scalar(f: Facts, suffix: str) -> bool:
    return not isinstance(f.ours(suffix), (list, tuple))


def _head_count(f: Facts) -> Iterator[Candidate]:
    if not f.has_attention:
        yield Candidate(0, "0: no attention")


def _key_length(f: Facts) -> Iterator[Candidate]:
    rank, rotary = f.number("kv_lora_rank"), f.number("qk_rope_head_dim")
    if f.is_latent and rank is not None and rotary is not None:
        yield Candidate(rank + rotary, "config.json kv_lora_rank + qk_rope_head_dim")
        return
    yield from _latent_key(f)
    yield Candidate(f.full_head_size, "config.json head_dim of full attention")
    yield from _computed_head(f)


def _latent_key(f: Facts) -> Iterator[Candidate]:
    plain, rotary = f.number("qk_nope_head_dim"), f.number("qk_rope_head_dim")
    if plain is not None and rotary is not None:
        yield Candidate(plain + rotary, "config.json qk_nope_head_dim + qk_rope_head_dim")


def _computed_head(f: Facts) -> Iterator[Candidate]:
    if f.number("head_dim", "kv_channels", "d_kv") is None:
        yield Candidate(f.head_size, "config.json hidden_size / num_attention_heads")


def _value_length(f: Facts) -> Iterator[Candidate]:
    if f.is_latent and f.number("kv_lora_rank") is not None:
        yield Candidate(f.number("kv_lora_rank"), "config.json kv_lora_rank")
        return
    yield Candidate(f.number("v_head_dim"), "config.json v_head_dim")
    yield Candidate(f.full_head_size, "config.json head_dim of full attention")
    yield from _computed_head(f)


def _sliding_pattern(f: Facts) -> Iterator[Candidate]:
    kinds, where = f.kinds(), "config.json layer_types"
    if kinds is not None:
        yield Candidate([kind == "sliding" for kind in kinds], where)
        return
    pattern, blocks = f.get("sliding_window_pattern"), f.num_blocks
    if blocks is None or not 0 < blocks < 10_000:
        return
    if isinstance(pattern, str) and pattern:
        repeated = [pattern[at % len(pattern)] == "L" for at in range(blocks)]
        yield Candidate(repeated, "config.json sliding_window_pattern, repeated")
    elif isinstance(pattern, int) and pattern:
        repeated = [(at + 1) % pattern != 0 for at in range(blocks)]
        yield Candidate(repeated, "config.json sliding_window_pattern, repeated")
    yield Candidate(f.get("global_attn_every_n_layers"), "config.json global_attn_every_n_layers")


def _causal(f: Facts) -> Iterator[Candidate]:
    names = f.get("architectures")
    if any(word in str(names) for word in _BOTH_WAYS):
        yield Candidate(False, "config.json architectures: it looks both ways")


_BOTH_WAYS = ("Bert", "BERT", "LLaDA", "Dream")


def _sliding_window(f: Facts) -> Iterator[Candidate]:
    is_off = "sliding_window" in f.config and f.config["sliding_window"] is None
    if is_off or f.get("use_sliding_window") is False:
        yield Candidate(0, "config.json sliding_window: none")


def _head_size(f: Facts) -> Iterator[Candidate]:
    yield Candidate(f.head_size, "config.json head_dim")


def _key_mla(f: Facts) -> Iterator[Candidate]:
    yield from _latent_key(f)


def _inner_size(f: Facts) -> Iterator[Candidate]:
    width = f.width
    for heads, size in (
        ("linear_num_value_heads", "linear_value_head_dim"),
        ("mamba_num_heads", "mamba_head_dim"),
        ("mamba_n_heads", "mamba_d_head"),
    ):
        count, each = f.number(heads), f.number(size)
        if count is not None and each is not None:
            yield Candidate(count * each, f"config.json {heads} * {size}")
    yield Candidate(f.number("mamba_d_ssm"), "config.json mamba_d_ssm")
    factor = f.get("mamba_expand", "expand")
    if width is not None and isinstance(factor, (int, float)):
        yield Candidate(f.times(width, factor), "config.json expand * hidden_size")


def _time_step_rank(f: Facts) -> Iterator[Candidate]:
    width, factor = f.width, f.get("mamba_expand", "expand")
    size = f.number("mamba_d_head", "mamba_head_dim", "head_dim")
    is_second = "mamba2" in f.architecture or f.number("mamba_n_heads", "mamba_num_heads")
    if is_second and width and size and isinstance(factor, (int, float)):
        yield Candidate((f.times(width, factor) or 0) // size, "inner size / head size")
    if f.architecture == "mamba2":
        yield Candidate(f.number("num_heads"), "config.json num_heads")
    if width is not None:
        yield Candidate(-(-width // 16), "config.json hidden_size / 16")


def _shared_width(f: Facts) -> Iterator[Candidate]:
    width, count = f.number("moe_intermediate_size", "moe_ffn_hidden_size"), None
    count = f.number("n_shared_experts", "num_shared_experts", "moe_num_shared_experts")
    if width is not None:
        yield Candidate(width * (count or 1), "config.json moe_intermediate_size * shared experts")
    inner, heads = f.number("intermediate_size"), f.number("num_key_value_heads")
    if f.get("moe_num_shared_experts") is not None and inner is not None and heads:
        yield Candidate(inner // heads, "config.json intermediate_size / num_key_value_heads")
    yield Candidate(f.number("moe_shared_expert_intermediate_size"), "config.json")
    if inner is not None and count:
        yield Candidate(inner * count, "config.json intermediate_size * shared experts")


def _leading_dense(f: Facts) -> Iterator[Candidate]:
    listed = f.get("mlp_layer_types")
    if isinstance(listed, list):
        yield Candidate(_leading(listed, "dense"), "config.json mlp_layer_types")
    flags = f.get("moe_layer_freq", "is_moe_layer")
    if isinstance(flags, list):
        yield Candidate(_leading(flags, 0), "config.json moe_layer_freq")
    experts = ("n_routed_experts", "num_experts", "num_local_experts", "moe_num_experts")
    if f.get(*experts) is None:
        yield Candidate(f.num_blocks, "config.json num_hidden_layers: no experts")


def _leading(listed: list[Any], word: Any) -> int:
    return next((at for at, one in enumerate(listed) if one != word), len(listed))


def _recurrent_layers(f: Facts) -> Iterator[Candidate]:
    kinds = f.kinds()
    if kinds is not None:
        yield Candidate([kind == "recurrent" for kind in kinds], "config.json layer_types")


def _attention_scale(f: Facts) -> Iterator[Candidate]:
    scalar = f.factor(f.get("query_pre_attn_scalar"))
    if scalar is not None and scalar > 0:
        yield Candidate(scalar**-0.5, "config.json query_pre_attn_scalar ** -0.5")


def _scale_of_width(f: Facts) -> Iterator[Candidate]:
    if f.width:
        yield Candidate(f.width**0.5, "config.json hidden_size ** 0.5")


_RULES: dict[str, Callable[[Facts], Iterator[Candidate]]] = {
    **ROPE_RULES,
    "context_length": _context_length,
    "vocab_size": _vocab_size,
    "block_count": _block_count,
    "feed_forward_length": _feed_forward,
    "attention.head_count": _head_count,
    "attention.head_count_kv": _heads_kv,
    "attention.key_length": _key_length,
    "attention.value_length": _value_length,
    "attention.key_length_mla": _key_mla,
    "attention.causal": _causal,
    "attention.sliding_window": _sliding_window,
    "attention.key_length_swa": _head_size,
    "attention.value_length_swa": _head_size,
    "attention.sliding_window_pattern": _sliding_pattern,
    "attention.recurrent_layers": _recurrent_layers,
    "attention.scale": _attention_scale,
    "embedding_scale": _scale_of_width,
    "ssm.inner_size": _inner_size,
    "ssm.time_step_rank": _time_step_rank,
    "expert_shared_feed_forward_length": _shared_width,
    "leading_dense_block_count": _leading_dense,
}

"""Values of RoPE that a faithful conversion computes from a configuration.

Source: `TextModel.set_gguf_parameters` and the classes below it in llama.cpp's converter.
"""

from __future__ import annotations

from math import log, sqrt
from typing import TYPE_CHECKING

from .facts import Candidate

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .facts import Facts

# Architectures whose converter rotates the whole head, whatever the configuration says.
_WHOLE_HEAD = ("granitehybrid",)


def _rope_dimensions(f: Facts) -> Iterator[Candidate]:
    if f.number("qk_rope_head_dim") is not None:
        yield Candidate(f.number("qk_rope_head_dim"), "config.json qk_rope_head_dim")
        return
    yield Candidate(f.number("rotary_dim"), "config.json rotary_dim")
    size = f.full_head_size or f.head_size
    part = f.rope("partial_rotary_factor")
    names = ("partial_rotary_factor", "rotary_pct", "rope_pct", "rope_percent", "rotary_factor")
    part = f.get(*names) if part is None else part
    if size is None:
        return
    if isinstance(part, (int, float)) and f.rope("rope_type") != "proportional":
        yield Candidate(f.times(size, part), "config.json head_dim * partial_rotary_factor")
        if f.number("head_dim") is not None and f.width and f.heads:
            yield Candidate(f.times(f.width // f.heads, part), "hidden_size / heads * factor")
        if f.architecture in _WHOLE_HEAD:
            yield Candidate(size, "the whole head")
        return
    yield Candidate(size, "the whole head")
    if "glm" in f.architecture:
        yield Candidate(size // 2, "half of the head")
        yield Candidate((f.number("attention_dim") or 0) // 2 or None, "config.json attention_dim")


def _sliding_dimensions(f: Facts) -> Iterator[Candidate]:
    size = f.number("swa_head_dim") or f.head_size
    part = f.get("rope_parameters.sliding_attention.partial_rotary_factor")
    if size is not None:
        factor = part if isinstance(part, (int, float)) else 1.0
        yield Candidate(f.times(size, factor), "config.json head_dim of sliding layers")


def _freq_base(f: Facts) -> Iterator[Candidate]:
    ratio = f.factor(f.get("rope_ratio"))
    if ratio is not None:
        yield Candidate(10000.0 * ratio, "10000 * config.json rope_ratio")


def _sections(f: Facts) -> Iterator[Candidate]:
    places = ("rope_parameters.mrope_section", "rope_scaling.mrope_section", "mrope_section")
    sections = f.get(*places)
    if isinstance(sections, list) and len(sections) < 4:
        padded = [*sections, *[0] * (4 - len(sections))]
        yield Candidate(padded, "config.json mrope_section, padded to four")


def _log_multiplier(f: Facts) -> Iterator[Candidate]:
    value = f.factor(f.rope("mscale_all_dim"))
    if value is not None:
        yield Candidate(0.1 * value, "0.1 * config.json mscale_all_dim")


def _attention_factor(f: Facts) -> Iterator[Candidate]:
    """LongRoPE: sqrt(1 + ln(scale) / ln(original)), see phi.py of the converter."""
    name = "original_max_position_embeddings"
    original = f.factor(f.number(name) or f.rope(name))
    longest = f.number("max_position_embeddings")
    if original is not None and original > 1 and longest and longest > 0:
        scale = longest / original
        value = 1.0 if scale <= 1.0 else sqrt(1 + log(scale) / log(original))
        yield Candidate(value, "sqrt(1 + ln(scale) / ln(original length))")


def _original_length(f: Facts) -> Iterator[Candidate]:
    yield Candidate(
        f.rope("original_max_position_embeddings"),
        "config.json original_max_position_embeddings",
    )


ROPE_RULES: dict[str, Callable[[Facts], Iterator[Candidate]]] = {
    "rope.dimension_count": _rope_dimensions,
    "rope.dimension_count_swa": _sliding_dimensions,
    "rope.dimension_sections": _sections,
    "rope.freq_base": _freq_base,
    "rope.scaling.yarn_log_multiplier": _log_multiplier,
    "rope.scaling.attn_factor": _attention_factor,
    "rope.scaling.original_context_length": _original_length,
}
"""Rules by the key without its architecture."""

"""A LoRA adapter against adapter_config.json.

Strategy: llama.cpp scales an adapter by alpha / rank.  PEFT does so too, but for rank-stabilised
adapters (use_rslora), which it scales by alpha / sqrt(rank): there a file must hold
alpha * sqrt(rank) to do the same.  llama.cpp's converter stores the plain alpha for them as well.
Such a file is a faithful conversion that acts weaker than upstream: a note says so.

Source: llama_adapter_lora_weight::get_scale of llama.cpp; LoraLayer.update_layer of PEFT.
"""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

from ..core.registry import keys_with_role
from .results import UpstreamRow
from .values import equal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .facts import Facts

_ALPHA = "adapter.lora.alpha"
_RANK = "adapter.lora.rank"
_MOST = 1e30


def adapter_rows(facts: Facts) -> Iterator[UpstreamRow]:
    """The scale and the rank of an adapter, and the tokens that activate it."""
    config = facts.repository.files.get("adapter_config", {})
    rank, alpha = config.get("r"), config.get("lora_alpha")
    ranks = sorted(_ranks(facts))
    if isinstance(rank, int) and ranks:
        more = config.get("rank_pattern")
        wanted = {rank, *(more.values() if isinstance(more, dict) else ())}
        verdict = "same" if wanted.issuperset(ranks) else "differs"
        shown = ranks[0] if len(ranks) == 1 else ranks
        note = "the rank of the tensors"
        yield UpstreamRow(_RANK, shown, rank, "adapter_config.json r", verdict, note)
    metadata = facts.document.metadata
    stored = metadata.get(_ALPHA)
    if isinstance(alpha, (int, float)) and not isinstance(alpha, bool) and abs(alpha) < _MOST:
        where, note, plain = "adapter_config.json lora_alpha", "", alpha
        if config.get("use_rslora") is True and isinstance(rank, int) and 0 < rank < 1 << 31:
            alpha *= sqrt(rank)
            where += " * sqrt(r)"
            note = (
                "use_rslora: upstream scales by alpha / sqrt(r), llama.cpp by alpha / r; to act "
                f"alike, set {_ALPHA}={alpha:g}"
            )
        if not stored:
            # Absent or 0: llama.cpp scales by 1, as an alpha as large as the rank would.
            is_same = len(ranks) == 1 and equal(float(ranks[0]), alpha)
            note = note or "not stored: llama.cpp scales by 1"
            verdict = "same" if is_same else "missing here"
        else:
            verdict = "same" if equal(stored, alpha) else "differs"
            if verdict == "differs" and equal(stored, plain):
                verdict = "not comparable"
        yield UpstreamRow(_ALPHA, stored, alpha, where, verdict, note)
    yield from _tokens(facts, config.get("alora_invocation_tokens"))


def _ranks(facts: Facts) -> set[int]:
    """The ranks of the tensors; those of lookups and plain weights are left out."""
    return {
        int(tensor.shape[0])
        for tensor in facts.document.tensors.values()
        if tensor.name.endswith(".lora_a") and "token_embd" not in tensor.name and tensor.shape
    }


def _tokens(facts: Facts, theirs: object) -> Iterator[UpstreamRow]:
    for info in keys_with_role("token_ref"):
        if not info.hf or not info.hf[0].startswith("adapter_config:") or theirs is None:
            continue
        key, ours = facts.key(info)
        where = "adapter_config.json alora_invocation_tokens"
        listed = None if ours is None else list(ours)
        verdict = "missing here" if ours is None else "same" if listed == theirs else "differs"
        yield UpstreamRow(key, listed, theirs, where, verdict)

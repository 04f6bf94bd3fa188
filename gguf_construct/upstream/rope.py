"""How RoPE is scaled: by keys, or by tensors of factors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .results import UpstreamRow

if TYPE_CHECKING:
    from .._generated.keys import KeyInfo
    from .facts import Facts

_NONE = frozenset({"default", "none", "mrope", "dynamic"})
_SHORT_LONG = ("rope_factors_short.weight", "rope_factors_long.weight")
# Kinds of scaling that files hold as tensors, and the tensors.
_BY_TENSORS = {
    "llama3": ("rope_freqs.weight",),
    "longrope": _SHORT_LONG,
    "su": _SHORT_LONG,
    "proportional": (),
}
_WHERE = "config.json rope_type"


def kind_there(facts: Facts) -> str:
    """The kind of scaling there; "none" if the configuration says nothing of it."""
    kind = facts.rope("rope_type") or facts.rope("type")
    if not isinstance(kind, str):
        return "none"
    factor = facts.rope("factor")
    if kind in ("linear", "yarn") and factor is None:
        return "none"  # without a factor there is nothing to scale by
    return "none" if kind in _NONE else kind


def is_scaled_by_keys(facts: Facts) -> bool:
    """Whether the factor and its companions are keys here, not tensors."""
    return kind_there(facts) in ("linear", "yarn")


def scaling_row(facts: Facts, info: KeyInfo) -> UpstreamRow | None:
    """The row of ``rope.scaling.type``; tensors of factors count as what they stand for."""
    key, stored = facts.key(info)
    theirs = kind_there(facts)
    if stored is None and not {"rope_parameters", "rope_scaling"} & facts.config.keys():
        return None
    ours, note = (theirs, "") if stored == theirs else _kind_here(facts, stored)
    if theirs in _BY_TENSORS:
        wanted = _BY_TENSORS[theirs]
        lost = [name for name in wanted if name not in _tensor_names(facts)]
        if not facts.document.tensors:
            note = f"{theirs} scaling is stored in tensors, and this file has none"
            return UpstreamRow(key, ours, theirs, _WHERE, "not comparable", note)
        if lost:
            note = f"the tensor {lost[0]} is missing here"
            return UpstreamRow(key, ours, theirs, _WHERE, "differs", note)
        is_same = ours in ("none", "longrope")
        note = f"by tensors: {', '.join(wanted)}" if wanted else "by tensors"
        return UpstreamRow(key, ours, theirs, _WHERE, "same" if is_same else "differs", note)
    if stored is None and theirs == "none":
        return UpstreamRow(key, ours, theirs, _WHERE, "same", note)
    return UpstreamRow(key, ours, theirs, _WHERE, "same" if ours == theirs else "differs", note)


def _kind_here(facts: Facts, stored: object) -> tuple[str, str]:
    if stored is None:
        return "none", "not stored: no scaling"
    factor = facts.ours("rope.scaling.factor")
    if stored == "linear" and factor in (None, 0.0, 1.0):
        return "none", "linear with a factor of 1: no scaling"
    return str(stored), ""


def _tensor_names(facts: Facts) -> set[str]:
    """Names of tensors; those of each block count without it."""
    found = set(facts.tensor_names)
    found.update(name.split(".", 2)[2] for name in found.copy() if name.startswith("blk."))
    return found

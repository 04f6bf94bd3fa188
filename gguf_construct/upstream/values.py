"""Compare one setting of a model with the same setting of its upstream repository."""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Any

from ..core.registry import concrete
from ..core.token_arrays import token_arrays

if TYPE_CHECKING:
    from ..core.document import Document
    from ..core.registry import KeyInfo

__all__ = ["compare", "normalize"]

_FLOAT32 = Struct("<f")
_NO_SCALING = frozenset({"default", "none"})
_BY_TENSORS = frozenset({"llama3", "longrope", "proportional", "su"})
_SLIDING = "sliding_attention"


def normalize(document: Document, info: KeyInfo, ours: Any) -> tuple[Any, str]:
    """Our value, or what readers assume where the key is absent, and a note that says so."""
    if ours is not None:
        return ours, ""
    metadata = document.metadata

    def value(suffix: str) -> Any:
        key = concrete("{arch}." + suffix, metadata.architecture or "")
        return metadata.field(key).plain_value if key in metadata else None

    name = info.key.removeprefix("{arch}.")
    if name == "vocab_size":
        texts = token_arrays(metadata).texts
        if texts is not None:
            return texts.array_length, "the number of tokens"
    elif name in ("attention.key_length", "attention.value_length"):
        width, heads = value("embedding_length"), value("attention.head_count")
        if isinstance(width, int) and isinstance(heads, int) and heads:
            return width // heads, "not stored: width divided by heads"
    elif name == "attention.head_count_kv":
        return value("attention.head_count"), "not stored: as many as heads"
    elif name == "rope.scaling.type":
        return "none", "not stored: no scaling"
    elif name == "attention.causal":
        return True, "not stored: causal"
    return None, ""


def compare(info: KeyInfo, ours: Any, theirs: Any) -> tuple[str, str]:
    """(verdict, note)."""
    if info.roles == ("architecture",):
        return "not comparable", info.hf_note
    name = info.key.removeprefix("{arch}.")
    if name == "rope.scaling.type":
        return _scaling(str(ours), str(theirs))
    if name == "rope.scaling.yarn_log_multiplier" and isinstance(theirs, (int, float)):
        return _verdict(_equal(ours, theirs) or _equal(ours, theirs * 0.1)), info.hf_note
    if name == "attention.sliding_window_pattern" and isinstance(theirs, list):
        theirs = [kind == _SLIDING for kind in theirs]
        if not isinstance(ours, list):
            return "not comparable", "a period here, a list there"
        ours = [bool(one) for one in ours]
    if name == "classifier.output_labels" and isinstance(theirs, dict):
        theirs = list(theirs.values())
    if info.values and isinstance(ours, int):
        names = {known: text for known, text in info.values if text}
        if isinstance(theirs, str):
            ours = names.get(ours, ours)
            return _verdict(str(ours).lower() == theirs.lower()), ""
    if isinstance(ours, (list, tuple)) and not isinstance(theirs, list):
        return _verdict(all(_equal(one, theirs) for one in ours)), "one value per layer here"
    if isinstance(theirs, list) and not isinstance(ours, (list, tuple)):
        return _verdict(all(_equal(ours, one) for one in theirs)), "one value per layer there"
    if isinstance(theirs, dict):
        return "not comparable", info.hf_note
    return _verdict(_equal(ours, theirs)), ""


def _verdict(is_same: bool) -> str:
    return "same" if is_same else "differs"


def _scaling(ours: str, theirs: str) -> tuple[str, str]:
    if theirs in _NO_SCALING:
        return _verdict(ours in _NO_SCALING), ""
    if ours == theirs:
        return "same", ""
    if theirs in ("llama3", "longrope", "su", "proportional") and ours in (
        *_NO_SCALING,
        "longrope",
    ):
        return "not comparable", f"{theirs} scaling is stored in tensors of factors"
    return "differs", ""


def _equal(ours: Any, theirs: Any) -> bool:
    if isinstance(ours, (list, tuple)) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(_equal, ours, theirs))
    if isinstance(ours, bool) or isinstance(theirs, bool):
        return isinstance(theirs, (bool, int)) and bool(ours) == bool(theirs)
    if isinstance(ours, float) and isinstance(theirs, (int, float)):
        return ours == theirs or ours == _as_float32(theirs)
    return bool(ours == theirs)


def _as_float32(value: float) -> float | None:
    try:
        stored: float = _FLOAT32.unpack(_FLOAT32.pack(value))[0]
    except (OverflowError, ValueError):
        return None
    return stored

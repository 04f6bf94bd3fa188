"""Whether two values of a setting are the same, as the key's type stores them."""

from __future__ import annotations

from struct import Struct
from struct import error as StructError
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .._generated.keys import KeyInfo

_FLOAT32 = Struct("<f")
_PER_LAYER = frozenset({"per_layer"})


def is_same(info: KeyInfo, ours: Any, theirs: Any) -> bool:
    """Whether a document's value is what a repository says.

    Floats are compared in 32 bits, one number with a list of equal ones for all layers, and
    numbers that stand for names (gating functions, pooling) with the names.
    """
    if isinstance(theirs, dict):
        theirs = list(theirs.values())
    if info.values and isinstance(ours, int) and isinstance(theirs, str):
        names = {known: text for known, text in info.values if text}
        return _plain(str(names.get(ours, ours))) == _plain(theirs)
    here, there = isinstance(ours, (list, tuple)), isinstance(theirs, list)
    if here and not there and not _PER_LAYER.isdisjoint(info.roles):
        # A number for all layers; converters store 0 for layers of another kind.
        return any(ours) and all(not one or equal(one, theirs) for one in ours)
    if there and not here and not isinstance(ours, (str, dict)):
        return bool(theirs) and all(equal(ours, one) for one in theirs)
    return equal(ours, theirs)


def _plain(name: str) -> str:
    return name.lower().replace("_", "")


def equal(ours: Any, theirs: Any) -> bool:
    """Whether two plain values are equal once they are stored."""
    if isinstance(ours, (list, tuple)) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(equal, ours, theirs))
    if isinstance(ours, bool) or isinstance(theirs, bool):
        return isinstance(theirs, (bool, int)) and bool(ours) == bool(theirs)
    if isinstance(ours, float) and isinstance(theirs, (int, float)):
        return ours == theirs or ours == _as_float32(theirs)
    return bool(ours == theirs)


def _as_float32(value: float) -> float | None:
    try:
        stored: float = _FLOAT32.unpack(_FLOAT32.pack(value))[0]
    except (OverflowError, ValueError, StructError):
        return None
    return stored

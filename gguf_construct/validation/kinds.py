"""What a file is, told by its tensors and keys together: one missing key does not change it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ..core.registry import is_known_architecture

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_STATED = {
    "adapter": "adapter",
    "imatrix": "imatrix",
    "mmproj": "mmproj",
    "clip-vision": "mmproj",
}
_ADAPTER_NAME = re.compile(r".*\.lora_[ab]", re.DOTALL)
_IMATRIX_NAME = re.compile(r".*\.(in_sum2|counts)", re.DOTALL)
_DIRECTION_NAME = re.compile(r"direction\..*", re.DOTALL)
_PROJECTOR_NAME = re.compile(r"(v|a|mm|resampler)\..*", re.DOTALL)
_MODEL_NAME = re.compile(r"token_embd\.weight|(enc\.|dec\.)?blk\.\d+\..*", re.DOTALL)
_MODEL_KEYS = (".block_count", ".context_length", ".embedding_length")


class Evidence(NamedTuple):
    """What a file is judged by.

    Attributes:
        architecture, general_type: the values of those keys, None where absent.
        keys: the keys that are there.
        names: the names of the tensors.
        num_shards, shard: the numbers of split.count and split.no; 1 and 0 for a whole file.
    """

    architecture: str | None
    general_type: str | None
    keys: Collection[str]
    names: Sequence[str]
    num_shards: int = 1
    shard: int = 0


def kinds_of(found: Evidence) -> frozenset[str]:
    """What a file is, in the terms of the key registry.

    One of model, vocab, adapter, imatrix, mmproj, controlvector, other (tensors that are not a
    model of llama.cpp, by their names and keys), and "shard" if it is one; a shard that is not the
    first has nothing but its number, so it is a shard only.
    """
    shard = frozenset({"shard"} if found.num_shards > 1 else ())
    if shard and found.shard > 0:
        return shard
    if not found.names and not shard and "tokenizer.ggml.tokens" in found.keys:
        return frozenset({"vocab"})
    return shard | {_by_names(found) or _by_keys(found)}


def _any(pattern: re.Pattern[str], names: Sequence[str]) -> bool:
    return any(pattern.fullmatch(name) for name in names)


def _by_names(found: Evidence) -> str:
    """What the names of the tensors say; empty where they fit a model, or nothing."""
    names = found.names
    # A model may bring adapters inside (graniteswitch).
    if _any(_ADAPTER_NAME, names) and "token_embd.weight" not in names:
        return "adapter"
    if _any(_IMATRIX_NAME, names):
        return "imatrix"
    if names and all(_DIRECTION_NAME.fullmatch(name) for name in names):
        return "controlvector"
    if found.architecture == "clip":
        return "mmproj"
    if _any(_MODEL_NAME, names):
        return ""
    has_keys = any(key.startswith("clip.") for key in found.keys)
    # `a.` and `v.` begin other names, too.
    if names and (has_keys or found.architecture is None):
        strangers = sum(not _PROJECTOR_NAME.fullmatch(name) for name in names)
        return "mmproj" if strangers < len(names) and (has_keys or not strangers) else ""
    return ""


def _by_keys(found: Evidence) -> str:
    """What the keys say."""
    if _any(_MODEL_NAME, found.names):
        return "model"
    stated = _STATED.get(found.general_type or "")
    if stated is not None:
        return stated
    if found.architecture == "controlvector":
        return found.architecture
    if "adapter.type" in found.keys:
        return "adapter"
    if any(key.startswith("clip.") for key in found.keys):
        return "mmproj"
    return "model" if _has_model_keys(found) else "other"


def _has_model_keys(found: Evidence) -> bool:
    """Whether the keys are those of a model, whatever its tensors are called."""
    if is_known_architecture(found.architecture or ""):
        return True
    if found.architecture is None and not found.names:
        return True
    return any(key.startswith("tokenizer.") or key.endswith(_MODEL_KEYS) for key in found.keys)

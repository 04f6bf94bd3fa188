"""The loader of llama.cpp replayed over a file, for the rules that speak of what it finds."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from .tokenizer import num_tokens

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..loading import Replay
    from .context import Context

Dims = tuple[int, ...]


def loaded(c: Context) -> Replay | None:
    """What the loader finds in a whole model; None where that is not known or does not apply."""
    if "replay" not in c.memo:
        c.memo["replay"] = _replay(c)
    return cast("Replay | None", c.memo["replay"])


def _replay(c: Context) -> Replay | None:
    if "model" not in c.kinds or c.document.order != "<" or not c.all_metadata:
        return None
    tensors = all_tensors(c)
    if c.architecture is None or not tensors:
        return None
    from ..loading import replay  # loads what is known of all architectures

    records = {key: record for key, (_, record) in c.records.items()}
    return replay(c.architecture, records, tensors, _vocabulary(c))


def _vocabulary(c: Context) -> int | None:
    if c.text("tokenizer.ggml.model") in ("none", "no_vocab"):
        return c.integer(c.arch("vocab_size")) or 0
    return num_tokens(c)


def all_tensors(c: Context) -> Mapping[str, Dims]:
    """Dimensions of the tensors of all shards; empty when not all of them are known."""
    known = c.memo.get("all tensors")
    if isinstance(known, dict):
        return known
    found: dict[str, Dims] = {}
    if c.all_tensors:
        for tensor in c.tensors:
            found.setdefault(tensor.name, tensor.dims)
    if c.num_shards > 1 and found:
        found = _with_siblings(c, found)
    c.memo["all tensors"] = found
    return found


def _with_siblings(c: Context, found: dict[str, Dims]) -> dict[str, Dims]:
    others = [one for one in (c.siblings or {}).values() if not isinstance(one, Exception)]
    if c.siblings is None or len(others) < c.num_shards - 1:
        return {}
    for other in others:
        for tensor in other.tensors.all:
            found.setdefault(tensor.name, tensor.dims)
    return found

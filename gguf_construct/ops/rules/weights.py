"""Rules about the set of tensors that a model consists of.

Strategy: for the architectures in `weights_table` every name and shape is known.  For the others
only what holds for all: a tensor belongs to a block that exists, each block has tensors, the
embedding has a row for each token.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .base import Finding, rule
from .layers import per_layer
from .tokenizer import num_tokens
from .weights_table import WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ...core.tensors import TensorInfo
    from .context import Context

_CREATE = "create_tensor, done_getting_tensors in llama-model-loader.cpp"
_BLOCK = re.compile(r"blk\.(\d+)\.(.+)", re.DOTALL)
_MAX_BLOCKS = 512
# Blocks of these have other names, or may be empty.
_NO_BLOCKS = frozenset({"t5", "t5encoder", "wavtokenizer-dec", "qwen3tts", "pockettts", "clip"})
_EMPTY_BLOCKS = frozenset({"deci"})
_OTHER_EMBEDDING = frozenset({"eagle3", "wavtokenizer-dec", "gemma3n"})
_EMBEDDING = "token_embd.weight"
_SCALES = (".scale", ".input_scale")

Expected = dict[str, tuple["int | None", ...]]


def sizes(c: Context, block: int) -> dict[str, int | None]:
    """The numbers that shapes are made of, for one block; None where unknown."""
    width = _number(c, "embedding_length", block, None)
    heads = _number(c, "attention.head_count", block, 0)
    groups = _number(c, "attention.head_count_kv", block, heads)
    usual = None if width is None or heads is None else width // heads if heads > 0 else 0
    head = _number(c, "attention.key_length", block, usual)
    value = _number(c, "attention.value_length", block, usual)
    q, k, v = _times(head, heads), _times(head, groups), _times(value, groups)
    rotary = _number(c, "rope.dimension_count", block, head)
    feed = _number(c, "feed_forward_length", block, 0)
    return {
        "any": None,
        "embd": width,
        "vocab": _vocabulary(c),
        "q": q,
        "k": k,
        "v": v,
        "qkv": None if q is None or k is None or v is None else q + k + v,
        "head": head,
        "ff": feed,
        "twice_ff": _times(feed, 2),
        "ff_shared": _number(c, "expert_shared_feed_forward_length", block, None),
        "expert": _number(c, "expert_count", block, 0),
        "half_rot": None if rotary is None else rotary // 2,
    }


def _times(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one * other


def _number(c: Context, suffix: str, block: int, default: int | None) -> int | None:
    """What a key says for a block; the default where it is absent, None where it is no number."""
    key = c.arch(suffix)
    if key not in c.records:
        return default
    numbers = per_layer(c, key)
    if not numbers:
        return None
    return numbers[block] if block < len(numbers) else numbers[0]


def _vocabulary(c: Context) -> int | None:
    if c.text("tokenizer.ggml.model") in ("none", "no_vocab"):
        return c.integer(c.arch("vocab_size"))
    return num_tokens(c)


def _num_blocks(c: Context) -> int:
    count = c.integer(c.arch("block_count")) or 0
    return min(count, _MAX_BLOCKS)


def _num_nextn(c: Context) -> int:
    """Blocks at the end that predict further tokens; they may be left out."""
    return c.integer(c.arch("nextn_predict_layers")) or 0


def _expected(c: Context) -> tuple[Expected, Expected] | None:
    """Required and optional tensors with their shapes, or None for an unknown architecture."""
    known = c.memo.get("weights")
    if isinstance(known, tuple):
        return known
    table = WEIGHTS.get(c.architecture or "")
    if table is None:
        return None
    required: Expected = {}
    optional: Expected = {}
    numbers = sizes(c, 0)
    per_block = {**table.block, **(table.experts if numbers["expert"] else table.dense)}
    _fill(required, optional, "", table.whole, numbers)
    for block in range(_num_blocks(c) - _num_nextn(c)):
        _fill(required, optional, f"blk.{block}.", per_block, sizes(c, block))
    c.memo["weights"] = required, optional
    return required, optional


def _fill(
    required: Expected,
    optional: Expected,
    prefix: str,
    shapes: Mapping[str, tuple[str, ...]],
    numbers: Mapping[str, int | None],
) -> None:
    for name, shape in shapes.items():
        target = optional if name.endswith("?") else required
        target[prefix + name.rstrip("?")] = tuple(numbers[size] for size in shape)


def _is_whole_model(c: Context) -> bool:
    return "model" in c.kinds and c.document.order == "<" and bool(_present(c))


def _present(c: Context) -> frozenset[str]:
    """Names of the tensors of all shards; empty when not all of them are known."""
    known = c.memo.get("present")
    if isinstance(known, frozenset):
        return known
    names = {tensor.name for tensor in c.tensors}
    if c.num_shards > 1:
        others = [one for one in (c.siblings or {}).values() if one is not None]
        for other in others:
            names.update(other.tensors)
        if c.siblings is None or len(others) < c.num_shards - 1:
            names = set()
    c.memo["present"] = found = frozenset(names)
    return found


@rule("tensor-missing", source=_CREATE, spec=None, needs="tensors")
def missing(c: Context) -> Iterator[Finding]:
    """The tensors are there that the architecture is made of."""
    if not _is_whole_model(c):
        return
    there, known = _present(c), _expected(c)
    if known is None:
        yield from _empty_blocks(c, there)
        return
    for name in known[0]:
        if name not in there and not _is_fused(name, there):
            yield Finding(
                f"{name!r} is missing",
                c.document.body.offsets[1],
                "num_tensors",
                f"{c.architecture} needs it: convert the model again",
            )


def _is_fused(name: str, there: frozenset[str]) -> bool:
    head, _, last = name.rpartition("attn_")
    return last[:2] in ("q.", "k.", "v.") and f"{head}attn_qkv.weight" in there


def _empty_blocks(c: Context, there: frozenset[str]) -> Iterator[Finding]:
    if c.architecture in _NO_BLOCKS or c.architecture in _EMPTY_BLOCKS:
        return
    found = {int(one[1]) for name in there if (one := _BLOCK.fullmatch(name)) and len(one[1]) < 9}
    for block in range(_num_blocks(c) - _num_nextn(c)):
        if block not in found:
            yield Finding(
                f"no tensor of block {block} is there",
                c.document.body.offsets[1],
                "num_tensors",
                f"{c.arch('block_count')} is {_num_blocks(c)}",
            )


@rule("tensor-unexpected", source=_CREATE, spec=None, needs="tensors")
def unexpected(c: Context) -> Iterator[Finding]:
    """Every tensor is one that the architecture uses: llama.cpp refuses a file with others."""
    if "model" not in c.kinds:
        return
    known, count = _expected(c), _num_blocks(c)
    if c.arch("block_count") not in c.records:
        return
    for at, tensor in enumerate(c.tensors):
        why = _why_unexpected(c, tensor.name, known, count)
        if why:
            yield Finding(why, tensor.record.offsets[0], c.tensor_path(at, "name"))


def _why_unexpected(
    c: Context, name: str, known: tuple[Expected, Expected] | None, count: int
) -> str:
    found = _BLOCK.fullmatch(name)
    if found is not None and (len(found[1]) > 9 or int(found[1]) >= count):
        return f"it belongs to block {found[1]}, but {c.arch('block_count')} is {count}"
    if known is None or name in known[0] or name in known[1]:
        return ""
    stem = name.rpartition(".")[0]
    if name.endswith(_SCALES) and f"{stem}.weight" in (known[0] | known[1]):
        return ""
    return f"{c.architecture} has no such tensor; llama.cpp refuses files with unused ones"


@rule("tensor-shape", source=_CREATE, spec=None, needs="metadata")
def shapes(c: Context) -> Iterator[Finding]:
    """Shapes follow from the numbers in the metadata."""
    if "model" not in c.kinds:
        return
    known = _expected(c)
    for at, tensor in enumerate(c.tensors):
        wanted = _wanted(c, tensor, known)
        if wanted is None or _fits(tensor.dims, wanted):
            continue
        shown = " x ".join("?" if one is None else str(one) for one in wanted)
        yield Finding(
            f"its shape is {' x '.join(map(str, tensor.dims)) or 'a scalar'}, "
            f"the metadata demand {shown}",
            tensor.record.offsets[2],
            c.tensor_path(at, "dims"),
            "the metadata were changed, or belong to another model",
        )


def _wanted(
    c: Context, tensor: TensorInfo, known: tuple[Expected, Expected] | None
) -> tuple[int | None, ...] | None:
    name = tensor.name
    if known is not None:
        return known[0].get(name) or known[1].get(name)
    if name == _EMBEDDING and c.architecture not in _OTHER_EMBEDDING:
        return (None, _vocabulary(c))
    return None


def _fits(dims: tuple[int, ...], wanted: tuple[int | None, ...]) -> bool:
    """Dimensions that are left out count as 1, as in ggml."""
    length = max(len(dims), len(wanted))
    padded = dims + (1,) * (length - len(dims))
    demanded = wanted + (1,) * (length - len(wanted))
    return all(want is None or have == want for have, want in zip(padded, demanded, strict=True))

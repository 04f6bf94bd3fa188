"""Rules about the set of tensors that a model consists of.

Strategy: names and most shapes are known for each architecture (spec/weights.yaml), for those in
`weights_table` also which of them must be there under which conditions.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

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
_DIGITS = re.compile(r"\d+")
_MAX_BLOCKS = 512
_OTHER_EMBEDDING = frozenset({"eagle3", "wavtokenizer-dec", "gemma3n"})
_EMBEDDING = "token_embd.weight"
_SLIDING = frozenset(
    {
        "attention.key_length_swa",
        "attention.value_length_swa",
        "rope.dimension_count_swa",
    }
)
_SCALES = (".scale", ".input_scale")
_SUFFIXES = (*_SCALES, ".bias", ".weight")

Shapes = dict[str, "tuple[int | None, ...] | None"]


class Known(NamedTuple):
    """The tensors of a model by name, with their shapes where they are known.

    `is_complete` is False where there may be others.
    """

    required: Shapes
    optional: Shapes
    is_complete: bool

    def has(self, name: str) -> bool:
        """Whether it is one of them; # in a name stands for any number."""
        found = name in self.required or name in self.optional
        return found or _DIGITS.sub("#", name) in self.optional


def sizes(c: Context) -> dict[str, int | None]:
    """The numbers that shapes are made of; None where unknown.

    Where the layers differ, llama.cpp takes the first one's (LLAMA_LOAD_LOCALS in llama-model.h).
    """
    width = _number(c, "embedding_length", None)
    heads = _number(c, "attention.head_count", 0)
    groups = _number(c, "attention.head_count_kv", heads)
    usual = None if width is None or heads is None else width // heads if heads > 0 else 0
    head = _number(c, "attention.key_length", usual)
    value = _number(c, "attention.value_length", usual)
    rotary = _number(c, "rope.dimension_count", head)
    if not _SLIDING.isdisjoint(key.removeprefix(c.arch("")) for key in c.records):
        # The first layer may be one with a sliding window, and those have numbers of their own.
        head = value = rotary = None
    q, k, v = _times(head, heads), _times(head, groups), _times(value, groups)
    feed = _number(c, "feed_forward_length", 0)
    return {
        "1": 1,
        "embd": width,
        "twice_embd": _times(width, 2),
        "embd_qkv": None if width is None or v is None else width + 2 * v,
        "vocab": _vocabulary(c),
        "context": _number(c, "context_length", None),
        "heads": heads,
        "heads_kv": groups,
        "q": q,
        "k": k,
        "v": v,
        "q_v": _times(value, heads),
        "qkv": None if q is None or k is None or v is None else q + k + v,
        "head": head,
        "half_rot": None if rotary is None else rotary // 2,
        "ff": feed,
        "twice_ff": _times(feed, 2),
        "ff_shared": _number(c, "expert_shared_feed_forward_length", None),
        "expert": _number(c, "expert_count", 0),
    }


def _times(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one * other


def _number(c: Context, suffix: str, default: int | None) -> int | None:
    """What a key says for the first layer; the default where it is absent, None if no number."""
    key = c.arch(suffix)
    if key not in c.records:
        return default
    numbers = per_layer(c, key)
    return numbers[0] if numbers else None


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


def _known(c: Context) -> Known | None:
    """The tensors of this architecture, or None if they are not known."""
    known = c.memo.get("weights")
    if not isinstance(known, Known):
        known = _from_table(c) or _from_names(c)
        c.memo["weights"] = known
    return known


def _from_table(c: Context) -> Known | None:
    table = WEIGHTS.get(c.architecture or "")
    if table is None:
        return None
    known = Known({}, {}, True)
    numbers = sizes(c)
    per_block = {**table.block, **(table.experts if numbers["expert"] else table.dense)}
    _fill(known, "", table.whole, numbers)
    for block in range(_num_blocks(c) - _num_nextn(c)):
        _fill(known, f"blk.{block}.", per_block, numbers)
    return known


def _from_names(c: Context) -> Known | None:
    from ..._generated.weights import WEIGHTS as NAMES

    listed = NAMES.get(c.architecture or "")
    if listed is None:
        return None
    known, numbers = Known({}, {}, listed.is_complete), sizes(c)
    _fill_names(known, "", listed.whole, True, numbers)
    for block in range(_num_blocks(c)):
        is_needed = block < _num_blocks(c) - _num_nextn(c)
        _fill_names(known, f"blk.{block}.", listed.block, is_needed, numbers)
        _fill_names(known, f"enc.blk.{block}.", listed.encoder, is_needed, numbers)
    return known


def _fill_names(
    known: Known, prefix: str, names: str, is_needed: bool, numbers: Mapping[str, int | None]
) -> None:
    for entry in names.split():
        name, bracket, shape = entry.rstrip("?").partition("(")
        whole = prefix + _with_suffix(name)
        optional = entry.endswith("?") or not is_needed
        dims = tuple(numbers.get(size) for size in shape.rstrip(")").split(","))
        (known.optional if optional else known.required)[whole] = dims if bracket else None


def _with_suffix(name: str) -> str:
    """The whole name: a part such as shortconv.conv has a dot of its own and a suffix after it."""
    if name.endswith("."):
        return name[:-1]
    return name if name.endswith(_SUFFIXES) else f"{name}.weight"


def _fill(
    known: Known,
    prefix: str,
    shapes: Mapping[str, tuple[str, ...]],
    numbers: Mapping[str, int | None],
) -> None:
    for name, shape in shapes.items():
        target = known.optional if name.endswith("?") else known.required
        target[prefix + name.rstrip("?")] = tuple(numbers.get(size) for size in shape)


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
    known = _known(c)
    if not _is_whole_model(c) or known is None:
        return
    there = _present(c)
    for name in known.required:
        if name not in there and not _is_fused(name, there):
            yield Finding(
                f"{name!r} is missing",
                c.document.body.at("num_tensors"),
                "num_tensors",
                f"{c.architecture} needs it: convert the model again",
            )


def _is_fused(name: str, there: frozenset[str]) -> bool:
    head, _, last = name.rpartition("attn_")
    return last[:2] in ("q.", "k.", "v.") and f"{head}attn_qkv.weight" in there


@rule("tensor-unexpected", source=_CREATE, spec=None, needs="tensors")
def unexpected(c: Context) -> Iterator[Finding]:
    """Every tensor is one that the architecture uses: llama.cpp refuses a file with others."""
    if "model" not in c.kinds or c.arch("block_count") not in c.records:
        return
    known, count = _known(c), _num_blocks(c)
    for at, tensor in enumerate(c.tensors):
        why = _why_unexpected(c, tensor.name, known, count)
        if why:
            yield Finding(why, tensor.record.at("name"), c.tensor_path(at, "name"))


def _why_unexpected(c: Context, name: str, known: Known | None, count: int) -> str:
    found = _BLOCK.fullmatch(name)
    if found is not None and (len(found[1]) > 9 or int(found[1]) >= count):
        return f"it belongs to block {found[1]}, but {c.arch('block_count')} is {count}"
    if known is None or not known.is_complete or known.has(name):
        return ""
    stem = name.rpartition(".")[0]
    if name.endswith(_SCALES) and known.has(f"{stem}.weight"):
        return ""
    return f"{c.architecture} has no such tensor; llama.cpp refuses files with unused ones"


@rule("tensor-shape", source=_CREATE, spec=None, needs="metadata")
def shapes(c: Context) -> Iterator[Finding]:
    """Shapes follow from the numbers in the metadata."""
    if "model" not in c.kinds:
        return
    known = _known(c)
    for at, tensor in enumerate(c.tensors):
        wanted = _wanted(c, tensor, known)
        if wanted is None or _fits(tensor.dims, wanted):
            continue
        shown = " x ".join("?" if one is None else str(one) for one in wanted)
        yield Finding(
            f"its shape is {' x '.join(map(str, tensor.dims)) or 'a scalar'}, "
            f"the metadata demand {shown}",
            tensor.record.at("dims"),
            c.tensor_path(at, "dims"),
            "the metadata were changed, or belong to another model",
        )


def _wanted(c: Context, tensor: TensorInfo, known: Known | None) -> tuple[int | None, ...] | None:
    name = tensor.name
    shape = None if known is None else known.required.get(name) or known.optional.get(name)
    if shape is None and name == _EMBEDDING and c.architecture not in _OTHER_EMBEDDING:
        return (None, _vocabulary(c))
    return shape


def _fits(dims: tuple[int, ...], wanted: tuple[int | None, ...]) -> bool:
    """Dimensions that are left out count as 1, as in ggml."""
    length = max(len(dims), len(wanted))
    padded = dims + (1,) * (length - len(dims))
    demanded = wanted + (1,) * (length - len(wanted))
    return all(want is None or have == want for have, want in zip(padded, demanded, strict=True))

"""Rules about numbers of layers, heads and experts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._generated.types import ValueType
from .base import Finding, rule
from .loaded import loaded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .context import Context

_HPARAMS = "load_hparams in llama-model.cpp"
_GET_KEY_OR_ARR = "get_key_or_arr in llama-model-loader.cpp"
_MAX_LAYERS, _MAX_EXPERTS = 512, 1024  # LLAMA_MAX_LAYERS, LLAMA_MAX_EXPERTS
_MAX_NUMBER = 2**64
_IMPLAUSIBLE = 2**31
_EPSILON = ("_epsilon", ".epsilon")
_ONE_EXPERT_IS_NONE = frozenset({"hunyuan_vl", "hunyuan-dense"})
_WHOLE_HEAD_ROPE = frozenset({"llama", "deci", "falcon", "llama-embed"})


def per_layer(c: Context, key: str) -> list[int]:
    """The whole numbers that a key gives for the layers: one for all, or one for each.

    A number of the wrong type counts: it has a finding of its own, and shall cause no others.
    """
    one = c.scalar(key)
    if isinstance(one, (int, float)) and one == one and abs(one) < _MAX_NUMBER:
        return [int(one)]
    array = c.array(key)
    if array is None or array.element_type not in (ValueType.INT32, ValueType.UINT32):
        return []
    return [int(number) for number in array.elements[:_MAX_LAYERS]]


@rule("block-count-range", source=_HPARAMS, spec="warning")
def block_count(c: Context) -> Iterator[Finding]:
    """There is at least one block, and no more than llama.cpp has room for."""
    if "model" not in c.kinds:
        return
    key = c.arch("block_count")
    count = c.integer(key)
    if count is not None and not 0 < count <= _MAX_LAYERS:
        offset, path = c.place(key)
        yield Finding(f"{count} blocks, not 1 to {_MAX_LAYERS}", offset, path)


@rule("layer-array-length", source=_GET_KEY_OR_ARR, spec="warning")
def lengths(c: Context) -> Iterator[Finding]:
    """An array with a number for each block has block_count of them."""
    count = c.integer(c.arch("block_count"))
    if count is None or c.architecture is None:
        return
    replay = loaded(c)
    wrong = {one.key: one.length for one in replay.wrong_types if one.length} if replay else {}
    for key, (at, record) in c.records.items():
        info = c.find(key)
        if record.value_type != ValueType.ARRAY:
            continue
        per_layer = info is not None and "per_layer" in info.roles
        wanted = wrong.get(key, count if per_layer else record.value.num_elements)
        if record.value.num_elements != wanted:
            is_count = replay is None and info is not None and "count" in info.roles
            yield Finding(
                f"{record.value.num_elements} elements, not {wanted}",
                record.value.at("num_elements"),
                c.key_path(at, "value.num_elements"),
                f"one element for each block: {c.arch('block_count')} is {count}",
                None if key in wrong or is_count else "warning",
            )


@rule("numbers-refused", source="load_arch_hparams, load_arch_tensors in models/*.cpp", spec=None)
def refused(c: Context) -> Iterator[Finding]:
    """The numbers of a model fit each other as its architecture demands."""
    found = loaded(c)
    for text, known_as in found.demands if found is not None else ():
        if not known_as:
            yield Finding(
                f"llama.cpp demands of {c.architecture}: {text}",
                c.document.body.at("num_metadata"),
                "num_metadata",
                "numbers were changed, or the model was converted for another version",
            )


@rule("head-count-uneven", source=_HPARAMS, spec="warning")
def heads(c: Context) -> Iterator[Finding]:
    """The heads divide the embedding, and the key/value heads divide the heads."""
    if "model" not in c.kinds:
        return
    key, key_kv = c.arch("attention.head_count"), c.arch("attention.head_count_kv")
    heads, width = per_layer(c, key), c.integer(c.arch("embedding_length"))
    if width is not None and c.integer(c.arch("attention.key_length")) is None:
        wrong = next((head for head in heads if head > 0 and width % head), None)
        if wrong is not None:
            offset, path = c.place(key)
            yield Finding(f"{wrong} heads do not divide an embedding of {width}", offset, path)
    groups = per_layer(c, key_kv)
    for one, group in _pairs(heads, groups):
        if one > 0 and group > 0 and one % group:
            offset, path = c.place(key_kv)
            yield Finding(f"{group} key/value heads do not divide {one} heads", offset, path)
            return


def _pairs(heads: list[int], groups: list[int]) -> list[tuple[int, int]]:
    if len(heads) == len(groups):
        return list(zip(heads, groups, strict=True))
    if len(groups) == 1:
        return [(one, groups[0]) for one in heads]
    return [(heads[0], group) for group in groups] if len(heads) == 1 else []


@rule("rope-dimension-count", source=_HPARAMS, spec=None)
def rope(c: Context) -> Iterator[Finding]:
    """For llama and its like the rotary dimensions are those of a head."""
    if c.architecture not in _WHOLE_HEAD_ROPE or "model" not in c.kinds:
        return
    key = c.arch("rope.dimension_count")
    count = c.integer(key)
    head = c.integer(c.arch("attention.key_length"))
    heads, width = (
        per_layer(c, c.arch("attention.head_count")),
        c.integer(c.arch("embedding_length")),
    )
    if head is None and width is not None and heads and heads[0] > 0:
        head = width // heads[0]
    if count is not None and head is not None and count != head:
        offset, path = c.place(key)
        yield Finding(f"{count} rotary dimensions, but a head has {head}", offset, path)


@rule("expert-count", source=_HPARAMS, spec="warning")
def experts(c: Context) -> Iterator[Finding]:
    """Experts are counted consistently: no more are used than there are."""
    if "model" not in c.kinds:
        return
    key, key_used = c.arch("expert_count"), c.arch("expert_used_count")
    count, used = c.integer(key) or 0, max(per_layer(c, key_used), default=0)
    if count <= 1 and c.architecture in _ONE_EXPERT_IS_NONE:
        return
    offset, path = c.place(key)
    if count > _MAX_EXPERTS:
        yield Finding(f"{count} experts, more than {_MAX_EXPERTS}", offset, path)
    if used > count:
        offset, path = c.place(key_used)
        yield Finding(f"{used} experts are used, of {count}", offset, path)
    elif count and not used:
        offset, path = c.place(key_used if key_used in c.records else key)
        yield Finding(f"none of {count} experts is used", offset, path)
    yield from _expert_groups(c, count)


def _expert_groups(c: Context, count: int) -> Iterator[Finding]:
    key, key_used = c.arch("expert_group_count"), c.arch("expert_group_used_count")
    groups, used = c.integer(key) or 0, c.integer(key_used) or 0
    offset, path = c.place(key)
    if groups and not count:
        yield Finding(f"{groups} groups of no experts", offset, path)
    elif count and groups and (groups >= count or count % groups):
        yield Finding(f"{groups} groups do not divide {count} experts", offset, path)
    elif groups > 1 and not 0 < used < groups:
        offset, path = c.place(key_used if key_used in c.records else key)
        yield Finding(f"{used} of {groups} groups are used", offset, path)


@rule("nextn-count", source=_HPARAMS, spec="warning")
def nextn(c: Context) -> Iterator[Finding]:
    """There are no more blocks for predicting further tokens than blocks."""
    if "model" not in c.kinds:
        return
    key = c.arch("nextn_predict_layers")
    count, blocks = c.integer(key) or 0, c.integer(c.arch("block_count"))
    if blocks is not None and count > blocks:
        offset, path = c.place(key)
        yield Finding(f"{count} of {blocks} blocks", offset, path)


@rule("count-implausible", source="practice (llama.cpp fails to allocate)", spec="warning")
def implausible(c: Context) -> Iterator[Finding]:
    """Widths and counts are below 2^31: larger ones are damaged or were negative."""
    if "model" not in c.kinds:
        return
    for key, (at, record) in c.records.items():
        info = c.find(key)
        if info is None or "count" not in info.roles or info.section != "architecture":
            continue
        number = c.integer(key)
        if number is not None and number >= _IMPLAUSIBLE:
            yield Finding(
                f"{number} is no sensible number here",
                record.at("value"),
                c.key_path(at, "value"),
                None,
                None if info.key.endswith(("embedding_length", "embedding_length_out")) else "info",
            )


@rule("epsilon-negative", source="ggml_compute_forward_rms_norm in ggml-cpu", spec="warning")
def epsilon(c: Context) -> Iterator[Finding]:
    """The epsilon of a norm is not negative and a number: llama.cpp aborts otherwise."""
    for key, (at, record) in c.records.items():
        value = record.value
        if not isinstance(value, float) or not key.endswith(_EPSILON) or c.find(key) is None:
            continue
        if not value >= 0:  # NaN compares as false
            yield Finding(f"an epsilon of {value}", record.at("value"), c.key_path(at, "value"))

"""Rules about the numbers and shapes of multimodal projectors."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..._generated.types import GGMLType, ValueType
from .base import Finding, rule
from .projector import encoders_of, is_stub

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...core.tensors import TensorInfo
    from .context import Context
    from .projector import Encoder

_HPARAMS = "clip_model_loader::load_hparams in clip.cpp"
_GRAPH = "clip_graph::build_vit in clip.cpp"
_INT32 = 2**31
# Smallest and largest value that the loader takes; image_size 0 is "any".
_RANGES = {
    "image_size": (0, 8192),
    "patch_size": (1, 65535),
    "embedding_length": (1, _INT32 - 1),
    "attention.head_count": (1, _INT32 - 1),
    "window_size": (0, 4096),
}
_MEL_BINS = (1, 256)
_RAW_AUDIO = frozenset({"gemma4ua", "pockettts_spkenc"})
_CHANNELS = 3
_LEAST_SCALE = 2
_PATCH_DIMS = 4
# Types whose positions are added as they are: one for each patch, and so many more.
_EXTRA_POSITIONS = {
    **dict.fromkeys(("gemma3", "idefics3", "janus_pro", "granite4_vision"), 0),
    **dict.fromkeys(("internvl", "llama4", "cogvlm"), 1),
}
# The dimension of a tensor between encoder and model that is as wide as the encoder; "merged":
# as wide as a square of patches.
_BETWEEN = {
    "gemma3": {"mm.input_projection.weight": (1, "plain"), "mm.soft_emb_norm.weight": (0, "plain")},
    "idefics3": {"mm.model.fc.weight": (0, "merged")},
}
_MODEL_WIDTH = re.compile(r"(?P<what>attn_[qkv]|attn_qkv|ln[12]|attn_norm|ffn_norm)\.weight")
_VECTOR = re.compile(r".*(\.bias|(ln|norm)[^.]*\.weight)", re.DOTALL)


@rule("projector-number", source=_HPARAMS, spec="warning")
def numbers(c: Context) -> Iterator[Finding]:
    """Sizes and counts lie in the range that clip takes."""
    for encoder in encoders_of(c):
        ranges = dict(_RANGES)
        if encoder.modality == "audio" and encoder.type not in _RAW_AUDIO:
            ranges["num_mel_bins"] = _MEL_BINS
        for suffix, (least, most) in ranges.items():
            key = encoder.name(suffix)
            number = c.integer(key)
            if number is not None and not least <= number <= most:
                offset, path = c.place(key)
                yield Finding(f"{number}, not {least} to {most}", offset, path)
        yield from _pixels(c, encoder)
        yield from _layers(c, encoder)
    for key, (at, record) in c.records.items():
        value = record.value
        if key.startswith("clip.") and isinstance(value, int) and value >= _INT32:
            yield Finding(f"{value} is more than clip takes", record.at("value"),
                          c.key_path(at, "value"))  # fmt: skip


def _pixels(c: Context, encoder: Encoder) -> Iterator[Finding]:
    least, most = (c.integer(encoder.name(f"image_{which}_pixels")) for which in ("min", "max"))
    if least is not None and most is not None and most < least:
        offset, path = c.place(encoder.name("image_max_pixels"))
        keys = [key for key, _ in encoder.needs.keys] if encoder.needs is not None else []
        is_read = encoder.name("image_max_pixels") in keys
        message = f"{most} is less than image_min_pixels, {least}"
        yield Finding(message, offset, path, None, None if is_read else "warning")
    for name in ("image_mean", "image_std") if encoder.modality == "vision" else ():
        array = c.array(encoder.name(name))
        if array is not None and array.num_elements < _CHANNELS:
            offset, path = c.place(encoder.name(name))
            yield Finding(f"{array.num_elements} numbers, one a colour is wanted", offset, path)
    pairs = c.array("clip.vision.image_grid_pinpoints")
    if encoder.modality == "vision" and pairs is not None and pairs.num_elements % 2:
        offset, path = c.place("clip.vision.image_grid_pinpoints")
        yield Finding(f"{pairs.num_elements} numbers are not pairs", offset, path)


def _layers(c: Context, encoder: Encoder) -> Iterator[Finding]:
    key = encoder.name("feature_layer")
    array, count = c.array(key), c.integer(encoder.name("block_count"))
    if array is None or count is None or array.element_type != ValueType.INT32:
        return
    wrong = [layer for layer in array.elements[:4096] if layer > count]
    if wrong:
        offset, path = c.place(key)
        yield Finding(f"layer {wrong[0]} of {count}", offset, path)


@rule("projector-scale", source="clip_graph::build_patch_merge_permute in clip.cpp", spec="warning")
def scale(c: Context) -> Iterator[Finding]:
    """Where patches are merged, squares of more than one are: scale_factor is at least 2."""
    for encoder in encoders_of(c):
        key = encoder.name("projector.scale_factor")
        number = c.integer(key)
        if encoder.type == "idefics3" and (number or 0) < _LEAST_SCALE:
            offset, path = c.place(key) if key in c.records else _count(c)
            said = "is missing" if number is None else f"is {number}"
            hint = f"gguf-construct set ... {key}:uint32=VALUE"
            yield Finding(f"{key!r} {said}: {encoder.type!r} needs 2 or more", offset, path, hint)
        elif number == 0:
            offset, path = c.place(key)
            yield Finding("a scale of 0", offset, path)


def _count(c: Context) -> tuple[int, str]:
    return c.document.body.at("num_metadata"), "num_metadata"


@rule("projector-activation", source=_HPARAMS, spec="warning")
def activation(c: Context) -> Iterator[Finding]:
    """use_gelu and use_silu are not both true."""
    if c.scalar("clip.use_gelu") is True and c.scalar("clip.use_silu") is True:
        offset, path = c.place("clip.use_silu")
        yield Finding("clip.use_gelu is true, too", offset, path)


@rule("projector-heads", source=_GRAPH, spec="warning")
def heads(c: Context) -> Iterator[Finding]:
    """The heads of an encoder divide its width."""
    for encoder in encoders_of(c):
        key = encoder.name("attention.head_count")
        count, width = c.integer(key), c.integer(encoder.name("embedding_length"))
        stated = c.integer(encoder.name("attention.key_length"))
        if count and width and not stated and width % count:
            offset, path = c.place(key)
            yield Finding(f"{count} heads do not divide a width of {width}", offset, path)


@rule("projector-shape", source=_GRAPH, spec="warning", needs="tensors")
def shapes(c: Context) -> Iterator[Finding]:
    """Tensors have the width of the encoder, and a bias is as long as what it is added to."""
    if "mmproj" not in c.kinds:
        return
    present = {tensor.name: at for at, tensor in enumerate(c.tensors)}
    for encoder in encoders_of(c):
        width = c.integer(encoder.name("embedding_length"))
        for at, tensor in enumerate(c.tensors):
            if not tensor.name.startswith(f"{encoder.prefix}.") or width is None:
                continue
            wrong = _wrong_width(encoder, tensor, width) or _wrong_patch(encoder, tensor, c)
            if wrong:
                # Others cut the picture as patch_size says, whatever the tensor's patches are.
                is_mild = wrong.startswith("patches of") and encoder.type not in _EXTRA_POSITIONS
                yield _at(c, at, "dims", wrong)._replace(severity="warning" if is_mild else None)
        yield from _between(c, encoder, width)
        yield from _positions(c, encoder)
    for name, at in present.items():
        if not name.endswith(".bias"):
            continue
        weight = present.get(f"{name.removesuffix('.bias')}.weight")
        if weight is not None:
            wrong = _wrong_bias(c.tensors[at], c.tensors[weight])
            if wrong:
                yield _at(c, at, "dims", wrong)


def _between(c: Context, encoder: Encoder, width: int | None) -> Iterator[Finding]:
    """Tensors between encoder and model."""
    side = c.integer(encoder.name("projector.scale_factor")) or 1
    for at, tensor in enumerate(c.tensors):
        index, how = _BETWEEN.get(encoder.type, {}).get(tensor.name, (0, ""))
        if not how or width is None:
            continue
        wanted = width * side * side if how == "merged" else width
        found = tensor.dims[index] if index < len(tensor.dims) else 1
        if found != wanted:
            yield _at(c, at, "dims", f"dimension {index} is {found}, the metadata demand {wanted}")


def _positions(c: Context, encoder: Encoder) -> Iterator[Finding]:
    """A picture has as many patches as there are positions."""
    extra = _EXTRA_POSITIONS.get(encoder.type)
    size, patch = (c.integer(encoder.name(name)) for name in ("image_size", "patch_size"))
    if extra is None or encoder.modality != "vision" or size is None or not patch:
        return
    wanted = (size // patch) ** 2 + extra
    if not wanted - extra:
        offset, path = c.place(encoder.name("image_size"))
        yield Finding(f"a picture of {size} has no patch of {patch}", offset, path)
        return
    for at, tensor in enumerate(c.tensors):
        there = tensor.num_elements // max(tensor.dims[0], 1) if tensor.dims else 1
        if tensor.name == "v.position_embd.weight" and there != wanted:
            message = f"{there} positions, but a picture of {size} has {wanted} with patches "
            # ggml repeats them where it can.
            found = _at(c, at, "dims", f"{message}of {patch}")
            yield found._replace(severity="warning") if there and not wanted % there else found


def _at(c: Context, at: int, part: str, message: str, hint: str | None = None) -> Finding:
    return Finding(message, c.tensors[at].record.at(part), c.tensor_path(at, part), hint)


def _wrong_width(encoder: Encoder, tensor: TensorInfo, width: int) -> str:
    """What is wrong with a tensor of a block or of the pictures' patches; empty if nothing."""
    rest = tensor.name.removeprefix(f"{encoder.prefix}.")
    first = tensor.dims[0] if tensor.dims else 1
    block = re.match(r"blk\.\d+\.", rest)
    if block and _MODEL_WIDTH.fullmatch(rest[block.end() :]) and first != width:
        return f"rows of {first}, but the encoder is {width} wide"
    if rest == "position_embd.weight" and encoder.modality == "vision" and first != width:
        return f"rows of {first}, but the encoder is {width} wide"
    if rest == "patch_embd.weight" and len(tensor.dims) == _PATCH_DIMS:
        if tensor.dims[-1] != width:
            return f"{tensor.dims[-1]} numbers a patch, but the encoder is {width} wide"
        if tensor.dims[2] != _CHANNELS:
            return f"pictures of {tensor.dims[2]} colours, not {_CHANNELS}"
    return ""


def _wrong_patch(encoder: Encoder, tensor: TensorInfo, c: Context) -> str:
    patch = c.integer(encoder.name("patch_size"))
    if tensor.name != "v.patch_embd.weight" or len(tensor.dims) != _PATCH_DIMS or not patch:
        return ""
    if tensor.dims[:2] == (patch, patch):
        return ""
    return f"patches of {tensor.dims[0]} x {tensor.dims[1]}, but patch_size is {patch}"


def _wrong_bias(bias: TensorInfo, weight: TensorInfo) -> str:
    if not weight.dims or (len(weight.dims) > 2 and not weight.name.endswith("patch_embd.weight")):
        return ""
    out = weight.dims[-1]
    length = bias.num_elements
    return f"{length} numbers, but {weight.name!r} gives {out}" if length != out else ""


@rule("projector-tensor-type", source="ggml_compute_forward_add in ggml-cpu (once a picture comes)",
      llama="warning", spec="warning", needs="tensors")  # fmt: skip
def types(c: Context) -> Iterator[Finding]:
    """Norms and biases are F32, matrices are numbers that can be multiplied with."""
    if is_stub(c) or not encoders_of(c):
        return
    for at, tensor in enumerate(c.tensors):
        if tensor.type == GGMLType.F32:
            continue
        if _VECTOR.fullmatch(tensor.name) and len(tensor.dims) <= 1:
            yield _at(c, at, "ggml_type", f"{tensor.type_name}; norms and biases are F32")
        elif tensor.type in _NOT_MULTIPLIED:
            yield _at(c, at, "ggml_type", f"{tensor.type_name} data cannot be multiplied")


_NOT_MULTIPLIED = frozenset(
    int(one) for one in GGMLType if re.fullmatch(r"I\d+|F64|Q8_1|Q8_K", one.name)
)

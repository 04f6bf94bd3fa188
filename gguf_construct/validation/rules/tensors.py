"""Rules about tensor infos: names, dimensions, types."""

from __future__ import annotations

from itertools import accumulate
from math import prod
from operator import mul
from typing import TYPE_CHECKING

from ..._generated.types import BLOCKS, REMOVED_TYPES
from .base import Finding, rule
from .context import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...core.tensors import TensorInfo
    from .context import Context

_LOADER = "gguf_init_from_file in gguf.cpp"
_INFO = "docs/gguf.md, gguf_tensor_info_t"
# ggml keeps names in arrays of 64 bytes with a NUL at the end; the format's text allows 64.
_GGML_NAME, _SPEC_NAME = 63, 64
_MAX_DIMS = 4  # GGML_MAX_DIMS
_INT64 = 2**63
_SIZE = 2**64


def dim_offset(tensor: TensorInfo, index: int) -> int:
    """Absolute offset of a dimension."""
    start, end = tensor.record.span("dims")
    return start + index * ((end - start) // max(tensor.record.num_dims, 1))


def dims_are_sane(tensor: TensorInfo) -> bool:
    """Whether its size can be computed in 64 bits as ggml does."""
    dims = tensor.dims
    return (
        len(dims) <= _MAX_DIMS
        and all(dim < _INT64 for dim in dims)
        and prod(dims) < _INT64 - 1
        and (tensor.nbytes or 0) < _INT64
    )


@rule("tensor-name-duplicate", source=_LOADER)
def duplicates(c: Context) -> Iterator[Finding]:
    """Every tensor has a name of its own."""
    first: dict[bytes, int] = {}
    for at, tensor in enumerate(c.tensors):
        before = first.setdefault(tensor.record.name, at)
        if before != at:
            yield Finding(
                f"tensor {before} has the same name, at 0x{c.tensors[before].record.at('name'):x}",
                tensor.record.at("name"),
                c.tensor_path(at, "name"),
            )


@rule("tensor-name-duplicate-nul", source=_LOADER, spec="warning")
def duplicates_at_nul(c: Context) -> Iterator[Finding]:
    """No two names are equal up to a NUL byte: C readers see them cut there."""
    first: dict[bytes, int] = {}
    for at, tensor in enumerate(c.tensors):
        name = tensor.record.name
        cut = name.partition(b"\0")[0]
        before = first.setdefault(cut, at)
        if before != at and c.tensors[before].record.name != name:
            yield Finding(
                f"to C readers it has the name of tensor {before}, {shown(cut)}",
                tensor.record.at("name"),
                c.tensor_path(at, "name"),
            )


@rule("tensor-name-too-long", source="GGML_MAX_NAME in ggml.h; " + _INFO)
def long_names(c: Context) -> Iterator[Finding]:
    """A name has at most 63 bytes for ggml, 64 by the format's text."""
    most = _GGML_NAME if c.is_llama else _SPEC_NAME
    for at, tensor in enumerate(c.tensors):
        if len(tensor.record.name) > most:
            yield Finding(
                f"the name has {len(tensor.record.name)} bytes, more than {most}",
                tensor.record.at("name"),
                c.tensor_path(at, "name"),
            )


@rule("tensor-name-empty", source="practice", llama="warning", spec="warning")
def empty_names(c: Context) -> Iterator[Finding]:
    """No name is empty."""
    for at, tensor in enumerate(c.tensors):
        if not tensor.record.name:
            yield Finding("the name is empty", tensor.record.at("name"), c.tensor_path(at, "name"))


@rule("tensor-dims-count", source="GGML_MAX_DIMS in ggml.h; " + _INFO)
def dims_count(c: Context) -> Iterator[Finding]:
    """A tensor has at most 4 dimensions."""
    for at, tensor in enumerate(c.tensors):
        if tensor.record.num_dims > _MAX_DIMS:
            yield Finding(
                f"{tensor.record.num_dims} dimensions, more than {_MAX_DIMS}",
                tensor.record.at("num_dims"),
                c.tensor_path(at, "num_dims"),
            )


@rule("tensor-dim-negative", source=_LOADER)
def negative(c: Context) -> Iterator[Finding]:
    """A dimension is below 2^63: readers take it for a signed number."""
    for at, tensor in enumerate(c.tensors):
        for index, dim in enumerate(tensor.dims):
            if dim >= _INT64:
                yield Finding(
                    f"{dim} is negative for ggml",
                    dim_offset(tensor, index),
                    c.tensor_path(at, f"dims[{index}]"),
                    "the field is damaged, or the file is hostile",
                )


@rule("tensor-elements-overflow", source=_LOADER + " (and products that wrap to 0 there)")
def overflow(c: Context) -> Iterator[Finding]:
    """The number of elements and of bytes fits 63 bits, multiplied without wrapping."""
    for at, tensor in enumerate(c.tensors):
        # ggml multiplies from the left: a dimension of 0 behind the others mends nothing.
        count = max(accumulate(tensor.dims, mul), default=1)
        if any(dim >= _INT64 for dim in tensor.dims):
            continue
        if count >= _INT64 - 1 or (tensor.nbytes or 0) >= _SIZE:
            yield Finding(
                f"{' x '.join(map(str, tensor.dims))} is {count} elements, too many for 64 bits",
                dim_offset(tensor, 0),
                c.tensor_path(at, "dims[0]"),
                "the field is damaged, or the file is hostile",
            )


@rule("tensor-dim-zero", source="practice", llama="warning", spec="warning")
def zero(c: Context) -> Iterator[Finding]:
    """No dimension is zero: such a tensor is empty."""
    for at, tensor in enumerate(c.tensors):
        if 0 in tensor.dims:
            index = tensor.dims.index(0)
            yield Finding(
                "a dimension of 0: the tensor is empty",
                dim_offset(tensor, index),
                c.tensor_path(at, f"dims[{index}]"),
            )


@rule("tensor-type-removed", source="enum ggml_type in ggml.h (block size 0 to the loader)")
def removed(c: Context) -> Iterator[Finding]:
    """No tensor has a type that ggml gave up."""
    for at, tensor in enumerate(c.tensors):
        if tensor.type in REMOVED_TYPES:
            yield Finding(
                f"type {tensor.type} was {tensor.type_name}: {REMOVED_TYPES[tensor.type]}",
                tensor.record.at("ggml_type"),
                c.tensor_path(at, "ggml_type"),
                "convert the model again from its original weights",
            )


@rule("tensor-type-unknown", source="enum ggml_type in ggml.h")
def unknown(c: Context) -> Iterator[Finding]:
    """Every tensor has a type that ggml knows."""
    for at, tensor in enumerate(c.tensors):
        if tensor.type not in BLOCKS and tensor.type not in REMOVED_TYPES:
            yield Finding(
                f"no known version of ggml has a type {tensor.type}",
                tensor.record.at("ggml_type"),
                c.tensor_path(at, "ggml_type"),
                f"types go up to {max(BLOCKS)}; get a newer gguf-construct if it is newer",
            )


@rule("tensor-rows-not-blocks", source=_LOADER)
def whole_blocks(c: Context) -> Iterator[Finding]:
    """A row (the first dimension) is a whole number of blocks of its type."""
    for at, tensor in enumerate(c.tensors):
        layout = BLOCKS.get(tensor.type)
        if layout is None:
            continue
        row = tensor.dims[0] if tensor.dims else 1
        if row % layout.num_elements:
            yield Finding(
                f"rows of {row} elements, but {layout.name} has blocks of {layout.num_elements}",
                dim_offset(tensor, 0) if tensor.dims else tensor.record.at("ggml_type"),
                c.tensor_path(at, "dims[0]" if tensor.dims else "ggml_type"),
                "convert the model again: such a tensor needs another type",
            )

"""Rules about adapters (LoRA): what llama.cpp checks before it needs the base model."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..._generated.types import GGMLType, ValueType
from ...core.registry import is_known_architecture
from .base import Finding, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ...core.tensors import TensorInfo
    from .context import Context

_LOADER = "llama_adapter_lora_init_impl in llama-adapter.cpp"
_HALVES = (".lora_a", ".lora_b")
_SKIPPED = "_norm.weight"
_FLIPPED = "token_embd.weight"
_TYPE, _KIND, _ALPHA = "general.type", "adapter.type", "adapter.lora.alpha"
_TOKENS = "adapter.alora.invocation_tokens"
_RANK_DIMS = 2


def _is_adapter(c: Context) -> bool:
    return "adapter" in c.kinds


def _pairs(c: Context) -> dict[str, dict[str, int]]:
    """The numbers of the tensors by the name of the weight that they change, then by half."""
    found: dict[str, dict[str, int]] = {}
    for at, tensor in enumerate(c.tensors):
        for half in _HALVES:
            if tensor.name.endswith(half):
                found.setdefault(tensor.name.replace(half, ""), {})[half] = at
    return found


def _at(c: Context, at: int, part: str, message: str, hint: str | None = None) -> Finding:
    return Finding(message, c.tensors[at].record.at(part), c.tensor_path(at, part), hint)


@rule("adapter-keys", source=_LOADER, spec="warning")
def keys(c: Context) -> Iterator[Finding]:
    """general.type is "adapter" and adapter.type "lora": llama.cpp takes no other adapter."""
    if not _is_adapter(c):
        return
    for key, wanted in ((_TYPE, "adapter"), (_KIND, "lora")):
        value = c.text(key)
        if value is not None and value != wanted:
            offset, path = c.place(key)
            hint = f"gguf-construct set ... {key}={wanted}"
            yield Finding(f"{value!r}, but llama.cpp wants {wanted!r}", offset, path, hint)


@rule("adapter-architecture", source=_LOADER, spec="warning")
def architecture(c: Context) -> Iterator[Finding]:
    """general.architecture is that of the model that the adapter changes, not its own."""
    name = c.architecture
    if _is_adapter(c) and name is not None and not is_known_architecture(name):
        offset, path = c.place("general.architecture")
        yield Finding(
            f"{name!r} is not an architecture of a model: llama.cpp compares it with the model's",
            offset,
            path,
            "gguf-construct set ... general.architecture=NAME",
        )


@rule("adapter-tensors", source=_LOADER, spec="warning", needs="tensors")
def tensors(c: Context) -> Iterator[Finding]:
    """Every tensor is one half of a pair NAME.lora_a and NAME.lora_b (norms are passed over)."""
    if not _is_adapter(c):
        return
    if not c.tensors:
        yield Finding("an adapter without tensors", c.document.body.at("num_tensors"),
                      "num_tensors", severity="warning")  # fmt: skip
    for at, tensor in enumerate(c.tensors):
        name = tensor.name
        if not name.endswith((*_HALVES, _SKIPPED)):
            yield _at(c, at, "name", "neither .lora_a nor .lora_b: llama.cpp refuses the adapter")
        elif name.endswith(_SKIPPED):
            message = "llama.cpp passes over norms of adapters, so this one changes nothing"
            yield _at(c, at, "name", message)._replace(severity="info")
    for name, halves in _pairs(c).items():
        for half in _HALVES:
            if half not in halves:
                other = next(iter(halves.values()))
                message = f"{name + half!r}, its other half, is missing"
                yield _at(c, other, "name", message, "convert the adapter again")


@rule("adapter-shape", source=_LOADER, spec="warning", needs="tensors")
def shapes(c: Context) -> Iterator[Finding]:
    """Both halves have two dimensions and one rank: what comes out of A goes into B."""
    if not _is_adapter(c):
        return
    for name, halves in _pairs(c).items():
        if len(halves) < len(_HALVES):
            continue
        at_a, at_b = (halves[half] for half in _HALVES)
        a, b = c.tensors[at_a], c.tensors[at_b]
        flat = next((at for at in (at_a, at_b) if _rank_dims(c.tensors[at]) > _RANK_DIMS), None)
        if flat is not None:
            message = f"{len(c.tensors[flat].dims)} dimensions; a half is a matrix"
            yield _at(c, flat, "dims", message)._replace(severity="warning")
        elif 0 in (*a.dims, *b.dims):
            continue
        elif name.endswith(_FLIPPED):
            if _dim(a, 0) != _dim(b, 0):
                yield _at(c, at_b, "dims", f"ranks of {_dim(a, 0)} in A and {_dim(b, 0)} in B")
        elif _dim(a, 1) != _dim(b, 0):
            message = f"A gives {_dim(a, 1)} numbers (the rank), B takes {_dim(b, 0)}"
            yield _at(c, at_b, "dims", message, "convert the adapter again")


def _dim(tensor: TensorInfo, index: int) -> int:
    return tensor.dims[index] if index < len(tensor.dims) else 1


def _rank_dims(tensor: TensorInfo) -> int:
    """The number of dimensions, trailing ones of 1 left out."""
    dims = list(tensor.dims)
    while dims and dims[-1] == 1:
        dims.pop()
    return len(dims)


@rule(
    "adapter-tensor-type",
    source="ggml_mul_mat in ggml.c (once the adapter is used)",
    llama="warning",
    spec=None,
    needs="tensors",
)
def types(c: Context) -> Iterator[Finding]:
    """Halves hold numbers that matrices can be multiplied with: floats or blocks, not integers."""
    if not _is_adapter(c):
        return
    for at, tensor in enumerate(c.tensors):
        if tensor.type in _NOT_MULTIPLIED and tensor.name.endswith(_HALVES):
            message = f"{tensor.type_name} data cannot be multiplied"
            yield _at(c, at, "ggml_type", message, "convert the adapter again")


_NOT_MULTIPLIED = frozenset(
    int(one) for one in GGMLType if re.fullmatch(r"I\d+|F64|Q8_1|Q8_K", one.name)
)


@rule("adapter-alora", source=_LOADER, spec="warning")
def alora(c: Context) -> Iterator[Finding]:
    """The tokens that switch an activated adapter on are an array of UINT32 with entries."""
    record = c.record(_TOKENS)
    if record is None or record.value_type != ValueType.ARRAY:
        return
    if record.value.element_type == ValueType.UINT32 and not record.value.num_elements:
        offset, path = c.place(_TOKENS)
        yield Finding(
            "no tokens: the adapter is always on, as without the key", offset, path, None, "warning"
        )


@rule("adapter-alpha", source=_LOADER, llama="warning", spec="warning")
def alpha(c: Context) -> Iterator[Finding]:
    """The alpha is a positive, finite number; 0 means that the scale is 1."""
    value = c.scalar(_ALPHA)
    if _is_adapter(c) and isinstance(value, float) and (not value >= 0 or value == float("inf")):
        offset, path = c.place(_ALPHA)
        yield Finding(f"an alpha of {value}", offset, path)

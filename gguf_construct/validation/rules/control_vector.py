"""Rules about control vectors: a direction for each layer from the second on."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..._generated.types import GGMLType
from .base import Finding, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .context import Context

_LOADER = "common_control_vector_load_one in common.cpp"
# std::stoi takes the digits that a text begins with, after white space and a sign.
_LAYER = re.compile(r"direction\.[ \t\n\v\f\r]*(?P<layer>[+-]?\d+)(?P<rest>.*)", re.DOTALL)
_MAX_LAYER = 2**31


def _at(c: Context, at: int, part: str, message: str, hint: str | None = None) -> Finding:
    return Finding(message, c.tensors[at].record.at(part), c.tensor_path(at, part), hint)


@rule("control-vector-names", source=_LOADER, spec="warning", needs="tensors")
def names(c: Context) -> Iterator[Finding]:
    """Tensors are called direction.N, with N from 1: the first layer has no direction."""
    if "controlvector" not in c.kinds:
        return
    if not c.tensors:
        where = c.document.body.at("num_tensors")
        yield Finding("a control vector without directions", where, "num_tensors")
    for at, tensor in enumerate(c.tensors):
        found = _LAYER.fullmatch(tensor.name)
        layer = int(found["layer"]) if found is not None else -1
        if found is None or not 0 <= layer < _MAX_LAYER:
            message = "not direction.N with a layer N: llama.cpp refuses the control vector"
            yield _at(c, at, "name", message)
        elif layer == 0:
            hint = "layers count from 1: write the control vector again without layer 0"
            yield _at(c, at, "name", "a direction for layer 0, which llama.cpp refuses", hint)
        elif found["rest"]:
            message = f"llama.cpp takes it for layer {layer}, whatever follows the number"
            yield _at(c, at, "name", message)._replace(severity="warning")


@rule("control-vector-shape", source=_LOADER, spec="warning", needs="tensors")
def shapes(c: Context) -> Iterator[Finding]:
    """Directions are vectors of F32, all of one length."""
    if "controlvector" not in c.kinds:
        return
    length: int | None = None
    for at, tensor in enumerate(c.tensors):
        if tensor.type != GGMLType.F32:
            yield _at(c, at, "ggml_type", f"{tensor.type_name}, not F32")
        if any(dim != 1 for dim in tensor.dims[1:]):
            shape = " x ".join(map(str, tensor.dims))
            yield _at(c, at, "dims", f"its shape is {shape}; a direction has one dimension")
            continue
        if length is None:
            length = tensor.num_elements
        elif tensor.num_elements != length:
            message = f"{tensor.num_elements} numbers, but the first direction has {length}"
            yield _at(c, at, "dims", message, "it is of another model")

"""Rules about the set of tensors that a model consists of.

Strategy: spec/weights.yaml says what llama.cpp's loader asks for; `loaded` replays that over the
file, and the rules report what is missing, misshapen, or never asked for.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..._generated.types import GGMLType
from .base import Finding, rule
from .loaded import loaded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..loading import Misfit, Replay
    from .context import Context

_CREATE = "create_tensor, done_getting_tensors in llama-model-loader.cpp"
_BLOCK = re.compile(r"blk\.(\d+)\.(.+)", re.DOTALL)
_MAX_BLOCKS = 512
_PROJECTOR = ("v.", "a.", "mm.")  # vision and audio encoders, and what leads from them to the text
_MAX_DIGITS = 9
_ROTARY = frozenset(("rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight"))


@rule("tensor-missing", source=_CREATE, spec=None, needs="tensors")
def missing(c: Context) -> Iterator[Finding]:
    """The tensors are there that the architecture is made of."""
    found = loaded(c)
    for name in found.missing if found is not None else ():
        yield Finding(
            f"{name!r} is missing",
            c.document.body.at("num_tensors"),
            "num_tensors",
            f"{c.architecture} needs it: convert the model again",
        )


@rule("tensor-unexpected", source=_CREATE, spec=None, needs="tensors")
def unexpected(c: Context) -> Iterator[Finding]:
    """Every tensor is one that the architecture uses: llama.cpp refuses a file with others."""
    if "model" not in c.kinds or c.arch("block_count") not in c.records:
        return
    found, count = loaded(c), min(c.integer(c.arch("block_count")) or 0, _MAX_BLOCKS)
    of_projector = []
    for at, tensor in enumerate(c.tensors):
        why = _why_unexpected(c, tensor.name, found, count)
        if why and tensor.name.startswith(_PROJECTOR):
            of_projector.append(at)
        elif why:
            yield Finding(why, tensor.record.at("name"), c.tensor_path(at, "name"))
    if of_projector:
        yield _projector_inside(c, of_projector)


def _projector_inside(c: Context, tensors: list[int]) -> Finding:
    first = tensors[0]
    names = [c.tensors[at].name for at in tensors]
    parts = [one for one in _PROJECTOR if any(name.startswith(one) for name in names)]
    options = " ".join(f"--drop '{one}*'" for one in parts)
    count = f"{len(tensors)} tensors" if len(tensors) > 1 else "a tensor"
    return Finding(
        f"{count} of a projector ({', '.join(f'{one}*' for one in parts)}) in a text model, as "
        "Ollama packs them: llama.cpp refuses it and wants the projector in a file of its own",
        c.tensors[first].record.at("name"),
        c.tensor_path(first, "name"),
        f"take them out: gguf-construct tensors ... {options} -o text-only.gguf",
    )


def _why_unexpected(c: Context, name: str, found: Replay | None, count: int) -> str:
    if found is None or not found.is_complete or name in found.asked:
        return ""
    block = _BLOCK.fullmatch(name)
    if block is not None and (len(block[1]) > _MAX_DIGITS or int(block[1]) >= count):
        return f"it belongs to block {block[1]}, but {c.arch('block_count')} is {count}"
    return f"{c.architecture} has no such tensor; llama.cpp refuses files with unused ones"


@rule("tensor-shape", source=_CREATE, spec=None, needs="metadata")
def shapes(c: Context) -> Iterator[Finding]:
    """Shapes follow from the numbers in the metadata."""
    found = loaded(c)
    misfits = {one.name: one for one in found.misfits} if found is not None else {}
    for at, tensor in enumerate(c.tensors):
        misfit = misfits.get(tensor.name)
        if misfit is not None:
            yield Finding(
                f"its shape is {' x '.join(map(str, tensor.dims)) or 'a scalar'}, "
                f"the metadata demand {_shown(misfit)}",
                tensor.record.at("dims"),
                c.tensor_path(at, "dims"),
                "the metadata were changed, or belong to another model",
            )


@rule("tensor-type-unusable", source="ggml_rope_ext in ggml.c", spec=None)
def types(c: Context) -> Iterator[Finding]:
    """Rotary factors are F32: ggml aborts at others while the model is loaded."""
    if loaded(c) is None:
        return
    for at, tensor in enumerate(c.tensors):
        if tensor.name in _ROTARY and tensor.type != GGMLType.F32:
            yield Finding(
                f"it is {tensor.type_name}, and ggml takes F32 only",
                tensor.record.at("ggml_type"),
                c.tensor_path(at, "ggml_type"),
                "convert the model again",
            )


def _shown(misfit: Misfit) -> str:
    dims = " x ".join("?" if one is None else str(one) for one in misfit.wanted) or "a scalar"
    return f"{dims} elements in any shape" if misfit.only_elements else dims

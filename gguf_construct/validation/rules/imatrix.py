"""Rules about importance matrices: what llama-quantize asks of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._generated.types import GGMLType
from .base import Finding, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .context import Context

_LOADER = "common_imatrix_load in imatrix-loader.cpp"
_PARTS = (".in_sum2", ".counts")
_DATASETS = "imatrix.datasets"


def _is_imatrix(c: Context) -> bool:
    return "imatrix" in c.kinds


def _entries(c: Context) -> dict[str, dict[str, int]]:
    """The numbers of the tensors by the name of the weight, then by part."""
    found: dict[str, dict[str, int]] = {}
    for at, tensor in enumerate(c.tensors):
        for part in _PARTS:
            if tensor.name.endswith(part):
                found.setdefault(tensor.name.removesuffix(part), {})[part] = at
    return found


def _at(c: Context, at: int, part: str, message: str, hint: str | None = None) -> Finding:
    return Finding(message, c.tensors[at].record.at(part), c.tensor_path(at, part), hint)


@rule("imatrix-pairs", source=_LOADER, spec="warning", needs="tensors")
def pairs(c: Context) -> Iterator[Finding]:
    """Sums and counts come in pairs: NAME.in_sum2 with NAME.counts."""
    if not _is_imatrix(c):
        return
    if not c.tensors:
        where = c.document.body.at("num_tensors")
        yield Finding("an importance matrix without data", where, "num_tensors")
    for name, parts in _entries(c).items():
        for part in _PARTS:
            if part not in parts:
                message = f"{name + part!r}, its counterpart, is missing"
                yield _at(c, next(iter(parts.values())), "name", message, "compute it again")
    for at, tensor in enumerate(c.tensors):
        if not tensor.name.endswith(_PARTS):
            message = "neither .in_sum2 nor .counts: passed over"
            yield _at(c, at, "name", message)._replace(severity="info")


@rule("imatrix-type", source=_LOADER, spec="warning", needs="tensors")
def types(c: Context) -> Iterator[Finding]:
    """Sums and counts are F32."""
    if not _is_imatrix(c):
        return
    for at, tensor in enumerate(c.tensors):
        if tensor.name.endswith(_PARTS) and tensor.type != GGMLType.F32:
            yield _at(c, at, "ggml_type", f"{tensor.type_name}, not F32")


@rule("imatrix-counts", source="prepare_imatrix in quantize.cpp", spec="warning", needs="tensors")
def counts(c: Context) -> Iterator[Finding]:
    """There is a count for each matrix of a tensor: the sums are a multiple of them."""
    if not _is_imatrix(c):
        return
    for parts in _entries(c).values():
        if len(parts) < len(_PARTS):
            continue
        sums, number = (c.tensors[parts[part]].num_elements for part in _PARTS)
        if number == 0 or sums == 0 or sums % number:
            message = f"{number} counts for {sums} sums"
            yield _at(c, parts[".counts"], "dims", message, "compute it again")


@rule("imatrix-datasets", source=_LOADER, llama="warning", spec="warning")
def datasets(c: Context) -> Iterator[Finding]:
    """The names of the calibration texts are an array of strings with entries."""
    array = c.array(_DATASETS)
    if _is_imatrix(c) and array is not None and not array.num_elements:
        offset, path = c.place(_DATASETS)
        yield Finding("no dataset is named", offset, path)

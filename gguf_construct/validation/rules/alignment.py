"""Rules about general.alignment."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._generated.types import DEFAULT_ALIGNMENT, ValueType
from ...core.registry import keys_with_role
from .base import Finding, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..._generated.types import MetadataKv
    from .context import Context

(_KEY,) = (info.key for info in keys_with_role("alignment"))
_LOADER = "gguf_init_from_file in gguf.cpp"
_SPEC = "docs/gguf.md, general.alignment"
_SPEC_MULTIPLE = 8
_MAPPED = 32  # TENSOR_ALIGNMENT in ggml-backend.cpp


def _stated(c: Context) -> Iterator[tuple[int, MetadataKv]]:
    """Every pair of the key with the right type."""
    for at, field in enumerate(c.fields):
        if field.record.is_alignment:
            yield at, field.record


@rule("alignment-type", source=_LOADER)
def alignment_type(c: Context) -> Iterator[Finding]:
    """general.alignment is UINT32; readers ignore or refuse another type."""
    for at, field in enumerate(c.fields):
        record = field.record
        if field.key == _KEY and record.value_type != ValueType.UINT32:
            yield Finding(
                f"it is {field.type}, not uint32, so the data are laid out for "
                f"{DEFAULT_ALIGNMENT} here and elsewhere in other readers",
                record.at("value_type"),
                c.key_path(at, "value_type"),
                "store it as UINT32 and lay the data out again",
            )


@rule("alignment-zero", source=_LOADER)
def zero(c: Context) -> Iterator[Finding]:
    """The alignment is not 0."""
    for at, record in _stated(c):
        if record.value == 0:
            yield Finding(
                "an alignment of 0",
                record.at("value"),
                c.key_path(at, "value"),
                f"remove the key, if the data are laid out for {DEFAULT_ALIGNMENT}",
            )


@rule("alignment-not-power-of-two", source=_LOADER, spec=None)
def power_of_two(c: Context) -> Iterator[Finding]:
    """The alignment is a power of two: ggml refuses 24 and 48, which the format allows."""
    for at, record in _stated(c):
        if record.value & (record.value - 1):
            yield Finding(
                f"{record.value} is no power of two",
                record.at("value"),
                c.key_path(at, "value"),
                f"gguf-construct repack ... --alignment {DEFAULT_ALIGNMENT}",
            )


@rule("alignment-not-multiple-of-8", source=_SPEC, llama=None)
def multiple_of_8(c: Context) -> Iterator[Finding]:
    """The alignment is a multiple of 8: ggml takes 1, 2 and 4, the format does not."""
    for at, record in _stated(c):
        if record.value % _SPEC_MULTIPLE:
            yield Finding(
                f"{record.value} is no multiple of {_SPEC_MULTIPLE}",
                record.at("value"),
                c.key_path(at, "value"),
                f"gguf-construct repack ... --alignment {DEFAULT_ALIGNMENT}",
            )


@rule("alignment-huge", source="practice", llama="warning", spec="warning")
def huge(c: Context) -> Iterator[Finding]:
    """The alignment is no larger than the file."""
    for at, record in _stated(c):
        if record.value > max(c.document.file_size, DEFAULT_ALIGNMENT):
            yield Finding(
                f"the alignment of {record.value} is larger than the file",
                record.at("value"),
                c.key_path(at, "value"),
            )


@rule(
    "alignment-too-small",
    source="TENSOR_ALIGNMENT in ggml-backend.cpp ('buffer pointer must be aligned')",
    spec=None,
    needs="tensors",
)
def mapped(c: Context) -> Iterator[Finding]:
    """The data of a model start at a multiple of 32 in the file: llama.cpp maps them and aborts
    otherwise.  With an alignment below 32 that is left to chance."""
    places = [tensor.data_offset for tensor in c.tensors if tensor.nbytes]
    if not places or c.kinds.isdisjoint({"model", "shard"}) or c.document.alignment >= _MAPPED:
        return
    offset, path = c.place(_KEY)
    off = min(places) % _MAPPED
    yield Finding(
        f"the alignment is {c.document.alignment}, and the data start at {min(places)}, "
        + (f"{off} behind a multiple of {_MAPPED}" if off else "by chance where llama.cpp wants"),
        offset,
        path,
        f"gguf-construct repack ... --alignment {_MAPPED}",
        None if off else "warning",
    )

"""Plan a conversion: the other byte order, another version of the format.

Strategy: the header is encoded anew.  The data section keeps its shape: tensors become chunks
that swap the fields of their blocks, everything between and behind them is copied as it is.
Nothing is written unless the layout of every tensor is known and every tensor has its own bytes.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

from .._generated.codec import write
from .._generated.types import (
    BIG_ENDIAN_VERSION,
    BLOCKS,
    BYTE_ORDERS,
    OLDEST_WRITTEN_VERSION,
    ORDER_NAMES,
    VALUE_TYPE_SINCE,
    VERSIONS,
    WRITTEN_VERSION,
    ValueType,
)
from ..core.chunks import Chunk, Copy, Literal, WritePlan, Zeros
from ..core.sizes import align_up
from ..core.type_names import scalar_spec
from ..editing.changes import Change
from ..errors import BuildError
from .layout import lay_out, merge_chunks, padding_behind, plan_layout
from .reserve import find_reserve, reserve_nbytes
from .strategy import SavePlan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .._generated.types import TensorInfo as TensorRecord
    from ..core.document import Document
    from ..core.tensors import TensorInfo
    from .strategy import FileFacts

TO_VERSIONS = tuple(version for version in VERSIONS if version >= OLDEST_WRITTEN_VERSION)
"""Versions that can be asked for: nobody reads version 1 any more, but we do."""


class Conversion(NamedTuple):
    """A conversion that can be carried out.

    Attributes:
        plan: the bytes of the new file.
        notes: what a person should know, one line each.
        changes: what differs from the file; empty when it already is what was asked for.
    """

    plan: WritePlan
    notes: tuple[str, ...]
    changes: tuple[Change, ...]

    def to_save(self, document: Document, facts: FileFacts) -> SavePlan:
        """The plan of saving it; a file that already is what was asked for is only copied."""
        strategy = "replace" if facts.is_own else "new-file"
        if not self.changes and not facts.is_named:
            strategy = "none"
        # All pairs are kept, the reserve is one of them.
        left = reserve_nbytes(document) if find_reserve(document) else None
        return SavePlan(strategy, self.plan, facts.path, facts.is_named, reserve=left)


def plan_convert(
    document: Document, *, byte_order: str | None = None, version: int | None = None
) -> Conversion:
    """Plan a document, with its pending edits, in another byte order or version.

    Args:
        document: what to convert.
        byte_order: ``little`` or ``big``; the default keeps it.
        version: 2 or 3; the default keeps it, but big-endian files are always version 3.

    A document that already is what was asked for gives the plan of saving it.

    Raises:
        BuildError: no such byte order or version; or, where bytes must be swapped, a tensor of
            unknown or removed type, of rows that are no whole blocks, or that shares bytes.
        TruncatedError: bytes must be swapped and a tensor reaches past the end of the file.
    """
    order = _order(document, byte_order)
    number = _version(document, order, version)
    changes = _changes(document, order, number, is_asked=version is not None)
    notes = tuple(note for change in changes for note in change.notes)
    if not changes:
        return Conversion(plan_layout(document), notes, changes)
    return Conversion(_plan(document, order, number), notes, changes)


def form_of(byte_order: str, version: int | None = None) -> tuple[str, int]:
    """Byte order ("<" or ">") and version of a file that is made anew.

    Raises:
        BuildError: there is no such byte order or version, or they do not go together.
    """
    order = _known_order(byte_order)
    number = WRITTEN_VERSION if version is None else _known_version(version)
    _check_pair(order, number)
    return order, number


def _order(document: Document, byte_order: str | None) -> str:
    return document.order if byte_order is None else _known_order(byte_order)


def _known_order(byte_order: str) -> str:
    if byte_order not in BYTE_ORDERS:
        raise BuildError(f"{byte_order!r} is no byte order", hint="it is little or big")
    return BYTE_ORDERS[byte_order]


def _version(document: Document, order: str, version: int | None) -> int:
    if version is None:
        raised = order != document.order and order == BYTE_ORDERS["big"]
        return max(document.version, BIG_ENDIAN_VERSION) if raised else document.version
    _known_version(version)
    if order != document.order or version != document.version:
        _check_pair(order, version)
    return version


def _known_version(version: int) -> int:
    if version not in TO_VERSIONS:
        known = " or ".join(map(str, TO_VERSIONS))
        raise BuildError(f"cannot convert to version {version}", hint=f"only to version {known}")
    return version


def _check_pair(order: str, version: int) -> None:
    if order == BYTE_ORDERS["big"] and version < BIG_ENDIAN_VERSION:
        raise BuildError(
            f"version {version} has no big-endian files; version {BIG_ENDIAN_VERSION} has",
            hint="convert to little-endian as well",
        )


def _changes(document: Document, order: str, version: int, *, is_asked: bool) -> tuple[Change, ...]:
    changes = []
    if order != document.order:
        to = ORDER_NAMES[order]
        notes = _undecodable(document) if to == "big" else ()
        changes.append(Change("convert", "byte_order", "", document.byte_order, to, notes))
    if version != document.version:
        _check_value_types(document, version)
        old = document.version
        note = f"version {old} has no big-endian files: this one becomes version {version}"
        why = () if is_asked else (note,)
        changes.append(Change("convert", "version", "", old, version, why))
    return tuple(changes)


def _check_value_types(document: Document, version: int) -> None:
    """Refuse values of a type that the version does not have yet."""
    for field in document.metadata.fields():
        for type in _value_types(field.record.value_type, field.record.value):
            if VALUE_TYPE_SINCE.get(type, version) > version:
                raise BuildError(
                    f"version {version} has no values of type {scalar_spec(type)}",
                    path=field.key,
                    hint="give the key another type first, or remove it",
                )


def _value_types(type: int, value: Any) -> Iterator[int]:
    yield type
    if type == ValueType.ARRAY:
        yield value.element_type
        for item in value.elements if value.element_type == ValueType.ARRAY else ():
            yield from _value_types(ValueType.ARRAY, item)


def _undecodable(document: Document) -> tuple[str, ...]:
    """Warnings of types whose big-endian form ggml itself cannot decode, one for each reason."""
    names: dict[str, set[str]] = {}
    for tensor in document.tensors.all:
        block = BLOCKS.get(tensor.type)
        if block is not None and not block.big_endian_decodable:
            names.setdefault(block.big_endian_note, set()).add(block.name)
    return tuple(
        f"tensors of type {', '.join(sorted(found))}: {note}" for note, found in names.items()
    )


def _plan(document: Document, order: str, version: int) -> WritePlan:
    tensors = document.tensors.all
    records = [tensor.record for tensor in tensors]
    swaps = order != document.order
    if swaps and not document.tensors.is_changed:
        _check_tensors(tensors)
    edited = document.tensors.is_changed
    if edited or (tensors and document.metadata.alignment != document.alignment):
        moved = document.metadata.alignment
        numbers = document.tensors.numbers()
        records, data = lay_out(tensors, moved, lambda one: one.chunk(order, numbers[one.index]))
        header = _header(document, records, order, version)
        padding: Chunk = Zeros(align_up(header.nbytes, moved) - header.nbytes)
    else:
        header = _header(document, records, order, version)
        padding, start = padding_behind(document, header.nbytes)
        data = _data_section(document, start, order)
    return WritePlan(
        merge_chunks([header, padding, *data]),
        header_nbytes=header.nbytes,
        origins=document.tensors.origins,
    )


def _header(document: Document, records: list[TensorRecord], order: str, version: int) -> Literal:
    body = document.body._replace(
        version=version,
        metadata=[field.record for field in document.metadata.fields()],
        tensor_infos=records,
    )
    return Literal(write(body, order))


def _data_section(document: Document, start: int, order: str) -> list[Chunk]:
    """Everything from `start` on, with the tensors swapped in their places."""
    chunks: list[Chunk] = []
    at = start
    for tensor in _in_order(document.tensors.all) if order != document.order else ():
        chunks += [Copy(at, tensor.data_offset - at), tensor.chunk(order)]
        at = tensor.data_offset + tensor.size
    return [*chunks, Copy(at, max(document.file_size - at, 0))]


def _in_order(tensors: tuple[TensorInfo, ...]) -> list[TensorInfo]:
    """The tensors that have any bytes, by position."""
    return sorted((one for one in tensors if one.nbytes != 0), key=attrgetter("data_offset"))


def _check_tensors(tensors: tuple[TensorInfo, ...]) -> None:
    """Refuse what cannot be swapped: unknown layouts, data outside the file, shared bytes."""
    for tensor in tensors:
        tensor.require_layout()
    before: TensorInfo | None = None
    for tensor in _in_order(tensors):
        end = 0 if before is None else before.data_offset + before.size
        if before is not None and tensor.data_offset < end:
            raise BuildError(
                f"{tensor.type_name} data from 0x{tensor.data_offset:x} on overlaps that of "
                f"{before.name!r}, which ends at 0x{end:x}: swapped twice it would be lost",
                offset=tensor.record.at("ofs_data"),
                path=f"tensor_infos[{tensor.index}] {tensor.name!r}",
                hint="the offsets are wrong, or two tensors share their data",
            )
        before = tensor
    if before is not None:
        _ = before.size  # the last one may reach past the end

"""The byte map: every byte of a file belongs to exactly one span.

Strategy: the header's spans come from the generated trace.  After it the tensors' extents are
swept from front to back: where one lies, its data; where several lie, the one that starts first,
with a note; where there is none, padding, a gap or trailing bytes.  A broken header ends
in one span of type ``unreadable`` that carries the error.
"""

from __future__ import annotations

from collections import OrderedDict
from itertools import islice, pairwise
from typing import TYPE_CHECKING, NamedTuple

from .._generated.trace import DOCS, trace
from .._generated.types import BLOCKS, LIMITS, Limits
from ..core.codec import parse
from ..core.sizes import align_up
from ..errors import ParseError
from ..runtime.tracing import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..core.document import Document
    from ..core.tensors import TensorInfo
    from ..runtime.views import Buffer

FOLD = 8
"""Elements of a long array that get spans of their own unless asked for all."""

UNREADABLE = "unreadable"
_HEADER_PADDING = "body.padding"
_TENSOR_DATA = "tensor_info.data"
_TENSOR_PADDING, _GAP, _TRAILING = "map.tensor_padding", "map.gap", "map.trailing"

# What the schema has no field for.
_OWN_DOCS = {
    _TENSOR_PADDING: "Filler between the data of a tensor and the next multiple of the alignment.",
    _GAP: "Bytes of the data section that belong to no tensor; llama.cpp refuses such files.",
    _TRAILING: "Bytes after the last tensor and its padding; no reader looks at them.",
    UNREADABLE: "From here on the file cannot be read.",
}
# A key and a name are texts with a meaning of their own.
_TEXT = "string.value"
_NAMED_TEXTS = {"key.value": "metadata_kv.key", "name.value": "tensor_info.name"}
_LAYOUT_DOCS = {layout.name: layout.doc for layout in BLOCKS.values()}

_SHOWN_OVERLAPS = 3
_SCANNED_NBYTES = 1 << 20


class TensorBytes(NamedTuple):
    """What a span of tensor data holds.

    `tensor` is its number in the tensor table, `first` the span's place inside the tensor's data
    and `nbytes` the size of all of it (None where the type's layout is not known); `missing`
    bytes of it lie beyond the end of the file.  `overlaps` lists the first few other tensors that
    claim the same bytes, `num_overlaps` counts all of them.
    """

    tensor: int
    name: str
    dims: tuple[int, ...]
    first: int
    nbytes: int | None
    missing: int
    overlaps: tuple[int, ...]
    num_overlaps: int

    def __str__(self) -> str:
        parts = [f"{self.name} {list(self.dims)}"]
        if self.nbytes is None:
            parts.append("size unknown: up to the next tensor")
        if self.missing:
            parts.append(f"cut: {self.missing} of {self.nbytes} bytes are missing")
        if self.num_overlaps:
            others = ", ".join(f"tensor_infos[{index}]" for index in self.overlaps)
            more = self.num_overlaps - len(self.overlaps)
            parts.append(f"overlaps {others}{f' and {more} more' if more else ''}")
        return "; ".join(parts)


def byte_map(
    buffer: Buffer,
    *,
    limits: Limits | None = None,
    fold: int | None = FOLD,
    empty: bool = False,
) -> Iterator[Span]:
    """Every span of a file, in file order, without gap or overlap, from 0 to its size.

    No span is empty unless asked for, with one exception: the last span of a broken file, whose
    type is ``unreadable`` and whose value is the ParseError, is there even when the file just ends.

    Args:
        buffer: the file's bytes (bytes or a read-only mmap).
        limits: safety limits; the default suits real models.
        fold: elements of a long array that get spans of their own; None for all of them.
        empty: also give the header's fields that take no bytes, such as an empty string.
    """
    limits = LIMITS if limits is None else limits
    end = 0
    try:
        for span in trace(buffer, limits, fold):
            if empty or span.start < span.end:
                yield span
            end = span.end
        document = parse(buffer, limits)
    except ParseError as error:
        better = fault_of(buffer, limits) or error
        yield Span(end, len(buffer), UNREADABLE, UNREADABLE, better, UNREADABLE)
        return
    yield from data_spans(document)


def fault_of(buffer: Buffer, limits: Limits | None = None) -> ParseError | None:
    """Why the header cannot be read; None when it can."""
    try:
        parse(buffer, limits)
    except ParseError as error:
        return error
    return None


def doc_of(span: Span) -> str:
    """What a span's field is for, in the words of the schema."""
    if span.field == _TENSOR_DATA:
        return f"{DOCS[_TENSOR_DATA]} {_LAYOUT_DOCS.get(span.type, '')}".strip()
    named = _NAMED_TEXTS.get(span.path.rpartition("].")[2]) if span.field == _TEXT else None
    return _OWN_DOCS.get(span.field) or DOCS.get(named or span.field, "")


def data_spans(document: Document) -> Iterator[Span]:
    """The spans after the header: padding, tensor data, gaps, trailing bytes."""
    start, end = min(document.data_start, document.file_size), document.header_end
    if end < start:
        yield _filler(document, end, start, "padding", "padding", _HEADER_PADDING)
    yield from _Sweep(document, start).spans()


class _Sweep:
    """Walks the data section's edges: the places where a tensor starts or ends."""

    def __init__(self, document: Document, start: int) -> None:
        self.document = document
        self.start = start
        self.size = document.file_size
        self.extents = _extents(document)
        # Ordered by start; the first one owns the bytes that several claim.
        self.active: OrderedDict[int, TensorInfo] = OrderedDict()
        self.last_ended = -1
        self.num_gaps = 0

    def spans(self) -> Iterator[Span]:
        tensors = self.document.tensors.all
        starts = sorted((first, index) for index, (first, _) in self.extents.items())
        ends = sorted((end, index) for index, (_, end) in self.extents.items())
        edges = sorted({self.start, self.size, *(at for at, _ in starts), *(at for at, _ in ends)})
        begun = done = 0
        for at, following in pairwise(edges):
            while done < len(ends) and ends[done][0] == at:
                self.last_ended = ends[done][1]
                del self.active[self.last_ended]
                done += 1
            while begun < len(starts) and starts[begun][0] == at:
                index = starts[begun][1]
                self.active[index] = tensors[index]
                begun += 1
            if self.active:
                yield self._data(at, following)
            else:
                yield from self._unused(at, following, is_last=begun == len(starts))

    def _data(self, start: int, end: int) -> Span:
        index, tensor = next(iter(self.active.items()))
        first, last = self.extents[index]
        nbytes = tensor.nbytes
        value = TensorBytes(
            index,
            tensor.name,
            tensor.dims,
            start - first,
            nbytes,
            0 if nbytes is None else first + nbytes - last,
            tuple(islice(self.active, 1, 1 + _SHOWN_OVERLAPS)),
            len(self.active) - 1,
        )
        path = f"tensor_infos[{index}].data"
        if (start, end) != (first, last):
            path += f"[{start - first}:{end - first}]"
        return Span(start, end, path, tensor.type_name, value, _TENSOR_DATA)

    def _unused(self, start: int, end: int, *, is_last: bool) -> Iterator[Span]:
        aligned = self.start + align_up(start - self.start, self.document.alignment)
        edge = min(aligned, end)
        if start < edge:
            path = f"tensor_infos[{self.last_ended}].padding"
            yield _filler(self.document, start, edge, path, "padding", _TENSOR_PADDING)
        if edge < end and is_last:
            yield _filler(self.document, edge, end, "trailing", "trailing", _TRAILING)
        elif edge < end:
            yield _filler(self.document, edge, end, f"gap[{self.num_gaps}]", "gap", _GAP)
            self.num_gaps += 1


def _extents(document: Document) -> dict[int, tuple[int, int]]:
    """Start and end of each tensor's bytes that are in the file, by index; none is empty."""
    size = document.file_size
    extents = {}
    for tensor in document.tensors.all:
        nbytes = tensor.extent if tensor.nbytes is None else tensor.nbytes
        end = min(tensor.data_offset + nbytes, size)
        if tensor.data_offset < end:
            extents[tensor.index] = (tensor.data_offset, end)
    return extents


def _filler(document: Document, start: int, end: int, path: str, type: str, field: str) -> Span:
    nbytes = end - start
    value = f"{nbytes} byte{'s' if nbytes != 1 else ''}"
    if nbytes <= _SCANNED_NBYTES:
        zero = document.buffer[start:end].count(0) == nbytes
        value += ", all zero" if zero else ", not all zero"
    return Span(start, end, path, type, value, field)

"""Plan how a document is written: what is copied, what is encoded anew, where data moves.

Strategy: everything that was not edited is copied from the source, byte for byte.  Tensor
offsets count from the start of the data section, so with the policy ``keep`` a longer or shorter
header only moves that start.  ``repack`` lays tensor after tensor at multiples of the alignment,
padded, as llama.cpp demands ("has offset X, expected Y" otherwise).
"""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from .._generated.codec import codec, write
from ..core.chunks import Chunk, Copy, Literal, WritePlan, Zeros
from ..core.sizes import align_up
from ..core.tensors import TensorInfo
from ..errors import BuildError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from .._generated.types import TensorInfo as TensorRecord
    from ..core.document import Document
    from ..core.field import Field

POLICIES = ("keep", "repack")


def plan_layout(
    document: Document,
    policy: str | None = None,
    order: Sequence[TensorInfo] | None = None,
    fields: Sequence[Field] | None = None,
) -> WritePlan:
    """The plan of a document with its edits.

    Args:
        document: the document; its metadata may have been edited.
        policy: ``keep`` or ``repack``; the default keeps the data section unless the edits
            change the alignment or the tensors.
        order: with ``repack``, all tensors of the document in their new order; the default is
            file order.
        fields: the metadata pairs to write instead of the document's.

    Raises:
        BuildError: ``keep`` where the alignment changes, ``repack`` of data that is not all in
            the file, or an order that leaves tensors out or cannot be followed.
    """
    if order is not None:
        _check_order(document, policy, order)
    pairs = document.metadata.fields() if fields is None else fields
    moved = document.metadata.alignment != document.alignment
    if document.tensors.is_changed:
        if policy == "keep":
            raise BuildError(
                "tensors were edited: the data section must be laid out again",
                hint="use the policy repack",
            )
        return _plan_repack(document, pairs, document.tensors.all if order is None else order, [])
    if policy is None and moved and document.tensors.all:
        # Nobody asked for bytes to be dropped, only for another alignment.
        return _plan_repack(document, pairs, document.tensors.all, [trailing(document)])
    policy = policy or "keep"
    if policy not in POLICIES:
        raise BuildError(f"{policy!r} is no policy", hint=f"policies are {', '.join(POLICIES)}")
    if policy == "repack":
        tensors = document.tensors.all if order is None else order
        return _plan_repack(document, pairs, tensors, [])
    if moved and document.tensors.all:
        raise BuildError(
            f"the alignment changes from {document.alignment} to "
            f"{document.metadata.alignment}: the data section must be laid out again",
            hint="use the policy repack",
        )
    return _plan_keep(document, pairs)


def _check_order(document: Document, policy: str | None, order: Sequence[TensorInfo]) -> None:
    if policy != "repack":
        raise BuildError("tensors get a new order only with the policy repack")
    tensors = document.tensors.all
    known = [(one.index, one.record, one.data_offset) for one in tensors]
    given: Sequence[object] = order  # names, say
    wanted = [one for one in given if isinstance(one, TensorInfo)]
    if len(given) != len(wanted) or known != sorted(
        (one.index, one.record, one.data_offset) for one in wanted
    ):
        raise BuildError(
            f"the new order is not one of the {len(tensors)} tensors of this model, each once",
            hint="take them from model.tensors.all, anew after each save",
        )


def _plan_keep(document: Document, pairs: Sequence[Field]) -> WritePlan:
    num_tensors = len(document.tensors.all)
    header = [*_metadata_chunks(document, pairs, num_tensors), _tensor_table(document)]
    size = sum(chunk.nbytes for chunk in header)
    padding, start = padding_behind(document, size)
    data = Copy(start, max(document.file_size - start, 0))
    return WritePlan(merge_chunks([*header, padding, data]), header_nbytes=size)


def padding_behind(document: Document, size: int) -> tuple[Chunk, int]:
    """What follows a new header of `size` bytes: (padding, where the kept data begins now)."""
    end, start = document.header_end, document.data_start
    # Where the file ends before the data section begins, nothing is padded: a wild alignment
    # must not make a file of gigabytes out of a small one.
    is_cut = document.body.ofs_data > document.file_size
    if is_cut or (not document.tensors.all and any(document.buffer[end:start])):
        start = end  # not padding, but bytes that somebody put there
    if size == end:
        # The odd padding of some writers stays as it is.
        return Copy(end, min(start, document.file_size) - end), start
    if start > end or (document.tensors.all and not is_cut):
        return Zeros(align_up(size, document.metadata.alignment) - size), start
    return Zeros(0), start


def trailing(document: Document) -> Copy:
    """What stands behind the last tensor and its padding; empty in a sound file."""
    ends = [
        align_up(tensor.offset + tensor.size, document.alignment) + document.data_start
        for tensor in document.tensors.all
    ]
    start = min(max(ends, default=document.header_end), document.file_size)
    return Copy(start, document.file_size - start)


def unused_and_shared(document: Document) -> tuple[int, int]:
    """Bytes between tensors that are more than padding, and bytes that tensors share.

    Both are 0 in a sound file; `repack` drops the former and writes the latter once per tensor.
    """
    unused = shared = end = 0
    for tensor in sorted(document.tensors.all, key=lambda one: one.offset):
        until = tensor.offset + tensor.size
        unused += max(tensor.offset - align_up(end, document.alignment), 0)
        shared += max(min(end, until) - tensor.offset, 0)
        end = max(end, until)
    return unused, shared


def _plan_repack(
    document: Document,
    pairs: Sequence[Field],
    tensors: Sequence[TensorInfo],
    tail: list[Copy],
) -> WritePlan:
    edited = document.tensors.is_changed
    if not edited:
        document.tensors.require_bounded(document.file_size)
    alignment = document.metadata.alignment
    numbers = document.tensors.numbers()
    records, data = lay_out(
        tensors, alignment, lambda one: one.chunk(document.order, numbers[one.index])
    )
    write_info = codec(document.order).WRITE_TENSOR_INFO[document.version]
    if records == list(document.body.tensor_infos):
        table: Chunk = _tensor_table(document)
    else:
        table = Literal(b"".join([write_info(record) for record in records]))
    header = [*_metadata_chunks(document, pairs, len(records)), table]
    size = sum(chunk.nbytes for chunk in header)
    if records:
        header.append(Zeros(align_up(size, alignment) - size))
    chunks = merge_chunks([*header, *data, *tail])
    return WritePlan(chunks, header_nbytes=size, origins=document.tensors.origins)


def lay_out(
    tensors: Sequence[TensorInfo], alignment: int, chunk_of: Callable[[TensorInfo], Chunk]
) -> tuple[list[TensorRecord], list[Chunk]]:
    """Tensor after tensor at multiples of the alignment, padded: (new infos, data section).

    `chunk_of` gives the chunk that holds a tensor's bytes.
    """
    records: list[TensorRecord] = []
    data: list[Chunk] = []
    offset = 0
    for tensor in tensors:
        records.append(tensor.record._replace(ofs_data=offset))
        chunk = chunk_of(tensor)
        padding = align_up(chunk.nbytes, alignment) - chunk.nbytes
        data += [chunk, Zeros(padding)]
        offset += chunk.nbytes + padding
    return records, data


def _metadata_chunks(document: Document, fields: Sequence[Field], num_tensors: int) -> list[Chunk]:
    """Magic, version, counts and the metadata pairs."""
    body = document.body
    chunks: list[Chunk] = []
    if len(fields) == len(body.metadata) and num_tensors == len(body.tensor_infos):
        chunks.append(Copy(0, document.metadata_start))
    else:
        chunks.append(Literal(fixed_part(document, len(fields), num_tensors)))
    for field in fields:
        if field.is_edited:
            chunks.append(Literal(field.encoded))
        else:
            chunks.append(Copy(field.start, field.end - field.start))
    return chunks


class _Counted(list[Any]):
    """Stands for so many items without holding them, where only their number is written."""

    def __init__(self, num: int) -> None:
        self._num = num

    def __len__(self) -> int:
        return self._num


def fixed_part(document: Document, num_metadata: int, num_tensors: int) -> bytes:
    """The fixed part of the document's header with other counts.

    The codec knows where in it the counts stand.
    """
    body = document.body._replace(
        metadata=_Counted(num_metadata), tensor_infos=_Counted(num_tensors)
    )
    return write(body, document.order)


def table_nbytes(document: Document) -> int:
    """Size of the tensor infos that the document will have."""
    if not document.tensors.is_changed:
        return document.header_end - document.table_start
    write_info = codec(document.order).WRITE_TENSOR_INFO[document.version]
    return sum(len(write_info(tensor.record)) for tensor in document.tensors.all)


def _tensor_table(document: Document) -> Copy:
    start = document.table_start
    return Copy(start, document.header_end - start)


def merge_chunks(chunks: Iterable[Chunk]) -> tuple[Chunk, ...]:
    """The same bytes in fewer chunks: empty ones dropped, neighbours joined."""
    merged: list[Chunk] = []
    for kind, run in groupby(filter(attrgetter("nbytes"), chunks), type):
        if kind is Literal:
            data = [chunk.data for chunk in run if isinstance(chunk, Literal)]
            merged.append(Literal(b"".join(data)))
            continue
        for chunk in run:
            last = merged[-1] if merged else None
            match last, chunk:
                case Copy(start, nbytes, source), Copy(then, more, same) if (
                    source == same and start + nbytes == then
                ):
                    merged[-1] = Copy(start, nbytes + more, source)
                case Zeros(before), Zeros(after):
                    merged[-1] = Zeros(before + after)
                case _:
                    merged.append(chunk)
    return tuple(merged)

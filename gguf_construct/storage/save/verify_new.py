"""Check a new file by the plan that it is made of.

Strategy: its header is read back and compared with what the model holds.  In the form that the
model has (byte order, version), a pair was parsed already: when the file was opened, or when the
pair was set.  Where the new header has the same bytes, parsing them again could only give the
same, and the 262,144 tokens of a vocabulary would be walked for nothing.  Everything else is
parsed (counts, reserve, tensor infos, and the whole header where its form changes), and has to be
byte for byte what was planned: another offset of a tensor parses just as well.
"""

from __future__ import annotations

from os import SEEK_END
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from ..._generated.codec import codec
from ..._generated.types import LIMITS
from ...core.codec import parse
from ...core.sizes import align_up
from ...planning.layout import fixed_part
from ...planning.reserve import reserve_field
from ...runtime.views import READ_FAULTS
from ..source.origins import sources_of
from ..source.source import open_source
from ..write.windows import Renderer
from .verify import (
    check_header,
    check_tensors,
    content_of,
    fields_of,
    make_check,
    readable,
    tensors_of,
    wrong,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..._generated.types import TensorInfo as TensorRecord
    from ...core.chunks import WritePlan
    from ...core.document import Document
    from ...core.field import Field
    from ...planning.options import SaveOptions
    from ..source.source import Source

_PIECE = 64 << 10  # bytes


def make_plan_check(
    plan: WritePlan, document: Document, source: Source, options: SaveOptions
) -> Callable[[str], None] | None:
    """What `write_plan` calls with the path of the file that it made; see `make_check`."""
    if options.verify != "header" or plan.header_nbytes is None:
        return make_check(document, source, options)
    header_nbytes, renderer = plan.header_nbytes, Renderer(plan, sources_of(source, plan.origins))

    def check(path: str) -> None:
        with readable(), open(path, "rb") as file:
            nbytes = file.seek(0, SEEK_END)
            if nbytes != plan.nbytes:
                raise wrong(f"it has {nbytes} bytes instead of {plan.nbytes}")
            header = _Header(document, file, header_nbytes, renderer)
            if not _has_known_pairs(header, nbytes):
                with open_source(path) as written:
                    again = parse(written.buffer, document.limits)
                    is_same_form = (again.order, again.version) == (
                        document.order,
                        document.version,
                    )
                    check_header(content_of(document, values=is_same_form), again)
                header.require_planned(0, header_nbytes)

    return check


class _Header(NamedTuple):
    """The header of the written file, and what it was to be."""

    document: Document
    file: BinaryIO
    nbytes: int
    renderer: Renderer

    def read(self, start: int, end: int) -> bytes:
        """The header's bytes from `start` to `end`, or to where it ends."""
        self.file.seek(start)
        return self.file.read(max(min(end, self.nbytes) - start, 0))

    def require_planned(self, start: int, end: int) -> None:
        """Raise VerificationError where these bytes are others than the planned ones."""
        planned = bytearray(_PIECE)
        for at in range(start, end, _PIECE):
            nbytes = min(_PIECE, end - at)
            self.renderer.fill(at, planned, nbytes)
            if self.read(at, at + nbytes) != planned[:nbytes]:
                raise wrong("its header on the disk is not the one that was planned")


def _has_known_pairs(header: _Header, file_nbytes: int) -> bool:
    """Check a header of the model's own form; False when it has to be parsed.

    Raises:
        VerificationError: it has other tensors than the document, or other bytes than planned.
    """
    document = header.document
    limits = document.limits
    # A pair that was set was read with the usual limits.
    if document.tensors.is_changed:
        return False  # the tensor infos are others than those that were read
    if limits != LIMITS and any(field.is_edited for field in fields_of(document)):
        return False
    num_pairs = _num_pairs(document, header.read(0, document.metadata_start))
    if (
        num_pairs is None
        or num_pairs > limits.max_metadata
        or header.nbytes > limits.max_header_nbytes
    ):
        return False
    try:
        table_start = _end_of_pairs(header, num_pairs)
        if table_start is None:
            return False
        _check_table(document, header.read(table_start, header.nbytes), table_start, file_nbytes)
    except READ_FAULTS:
        return False  # parsing all of it tells what is wrong where
    header.require_planned(table_start, header.nbytes)
    return True


def _num_pairs(document: Document, fixed: bytes) -> int | None:
    """How many pairs a header says it has; None where its form or number of tensors is another.

    It has the model's pairs, and one more where there is a reserve.
    """
    wanted, num_tensors = len(fields_of(document)), len(document.body.tensor_infos)
    for num in (wanted, wanted + 1):
        if fixed == fixed_part(document, num, num_tensors):
            return num
    return None


def _end_of_pairs(header: _Header, num_pairs: int) -> int | None:
    """Where the pairs end; None where they are not byte for byte those of the document."""
    document = header.document
    pos = document.metadata_start
    wanted = fields_of(document)
    fields, spare = iter(wanted), num_pairs - len(wanted)
    reserve = reserve_field(document, 0)
    reserve_start = reserve.encoded[: reserve.value_start - reserve.start]
    read_pair = codec(document.order).READ_METADATA_KV[document.version]
    for _ in range(num_pairs):
        if spare and header.read(pos, pos + len(reserve_start)) == reserve_start:
            spare = 0
            rest = header.read(pos, document.limits.max_header_nbytes)
            _, nbytes = read_pair(rest, 0, len(rest), document.limits, document.alignment)
            header.require_planned(pos, pos + nbytes)
            pos += nbytes
            continue
        field = next(fields, None)
        if field is None or not _stands_at(pos, header, field):
            return None
        pos += field.end - field.start
    return pos if next(fields, None) is None else None


def _stands_at(pos: int, header: _Header, field: Field) -> bool:
    """Whether these are the field's bytes, by pieces for which no memory has to be fetched."""
    shift = pos - field.start
    for start in range(field.start, field.end, _PIECE):
        end = min(start + _PIECE, field.end)
        if header.read(start + shift, end + shift) != bytes(field.buffer[start:end]):
            return False
    return True


def _check_table(document: Document, table: bytes, start: int, nbytes: int) -> None:
    """Parse the tensor infos, which are all that is left, and compare them with the model's."""
    read_info = codec(document.order).READ_TENSOR_INFO[document.version]
    found: list[TensorRecord] = []
    pos = 0
    for _ in document.body.tensor_infos:
        record, pos = read_info(table, pos, len(table), document.limits)
        found.append(record)
    if pos != len(table):
        raise wrong(f"its tensor infos take {pos} bytes, not {len(table)}")
    data_start = align_up(start + pos, document.metadata.alignment)
    check_tensors(
        tensors_of(document.body.tensor_infos, document.data_start, document.file_size),
        tensors_of(found, data_start, nbytes),
    )

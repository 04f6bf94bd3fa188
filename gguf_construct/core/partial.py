"""Read what can be read of a broken header, so that one fault does not hide the others.

Strategy: the generated trace walks to the first field that cannot be read and says why.  Up to
that place the codec reads record by record; what it got is a document, only shorter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .._generated.codec import codec, probe
from .._generated.types import DEFAULT_ALIGNMENT, LIMITS, Body
from ..errors import ParseError, UnsupportedVersionError
from ..runtime.views import READ_FAULTS
from .codec import parse_body
from .document import Document
from .sizes import align_up

if TYPE_CHECKING:
    from .._generated.types import Limits, MetadataKv, TensorInfo
    from ..runtime.tracing import Span
    from ..runtime.views import Buffer

__all__ = ["Salvaged", "salvage"]

_ANY = 2**64
_COUNTS = ("body.num_tensors", "body.num_metadata")


class Salvaged(NamedTuple):
    """What could be read.

    Attributes:
        document: the pairs and tensor infos before the fault; None if there is not even a version.
        error: the fault, or None when the whole header was read.
        all_metadata, all_tensors: whether all of the pairs, of the tensor infos were read.
    """

    document: Document | None
    error: ParseError | None = None
    all_metadata: bool = True
    all_tensors: bool = True


def salvage(buffer: Buffer, limits: Limits | None = None) -> Salvaged:
    """The document in a buffer, or as much of it as there is.  Raises nothing."""
    limits = LIMITS if limits is None else limits
    try:
        order, body = parse_body(buffer, limits)
        return Salvaged(Document(buffer, order, body))
    except ParseError as error:
        if error.offset == 0 or isinstance(error, UnsupportedVersionError):
            return Salvaged(None, error, False, False)
        return _partial(buffer, limits, error)


def _partial(buffer: Buffer, limits: Limits, error: ParseError) -> Salvaged:
    fixed = _fixed_part(buffer, limits)
    if len(fixed) < len(_COUNTS):
        return Salvaged(None, error, False, False)
    tensors_field, pairs_field = (fixed[name] for name in _COUNTS)
    found = probe(buffer)
    end = min(len(buffer), limits.max_header_nbytes)
    start = pairs_field.end
    # A false number of pairs would have tensor infos read as pairs: none of them is certain.
    counts_lie = error.offset == pairs_field.start
    num_pairs = 0 if counts_lie else pairs_field.value
    pairs, pos = _read_pairs(buffer, found.order, found.version, start, end, limits, num_pairs)
    all_pairs = not counts_lie and len(pairs) == num_pairs
    infos: list[TensorInfo] = []
    infos_start = pos
    if all_pairs:
        infos, pos = _read_infos(
            buffer, found.order, found.version, pos, end, limits, tensors_field.value
        )
    alignment = pairs[-1].alignment if pairs else DEFAULT_ALIGNMENT
    body = Body(
        found.version,
        tensors_field.value,
        pairs_field.value,
        pairs,
        infos,
        pos,
        alignment,
        align_up(pos, alignment),
        (tensors_field.start, tensors_field.start, pairs_field.start, start, infos_start, pos),
    )
    return Salvaged(Document(buffer, found.order, body), error, all_pairs, False)


def _fixed_part(buffer: Buffer, limits: Limits) -> dict[str, Span]:
    """The spans of the two counts, as far as they can be read."""
    from .._generated.trace import trace

    found: dict[str, Span] = {}
    # The walk stops at a count above its limit, and the other one is wanted all the same.
    every = limits._replace(max_tensors=_ANY, max_metadata=_ANY)
    try:
        for span in trace(buffer, every, fold=0):
            if span.field in _COUNTS:
                found[span.field] = span
            if len(found) == len(_COUNTS):
                break
    except ParseError:
        pass
    return found


def _read_pairs(
    buffer: Buffer, order: str, version: int, pos: int, end: int, limits: Limits, num: int
) -> tuple[list[MetadataKv], int]:
    read: Any = codec(order).READ_METADATA_KV[version]
    found: list[MetadataKv] = []
    alignment = DEFAULT_ALIGNMENT
    try:
        while len(found) < min(num, limits.max_metadata):
            record, pos = read(buffer, pos, end, limits, alignment)
            alignment = record.alignment
            found.append(record)
    except READ_FAULTS:
        pass
    return found, pos


def _read_infos(
    buffer: Buffer, order: str, version: int, pos: int, end: int, limits: Limits, num: int
) -> tuple[list[TensorInfo], int]:
    read: Any = codec(order).READ_TENSOR_INFO[version]
    found: list[TensorInfo] = []
    try:
        while len(found) < min(num, limits.max_tensors):
            record, pos = read(buffer, pos, end, limits)
            found.append(record)
    except READ_FAULTS:
        pass
    return found, pos

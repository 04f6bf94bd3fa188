"""Parse a buffer into a Document, and build the bytes of a Document again.

Strategy: the generated codec reads fast and says only yes or no.  On a no, the generated trace
walks the same bytes field by field and raises the error that names the place.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from .._generated.codec import probe, read, write
from .._generated.types import LIMITS, MAGIC, VERSIONS, Body, Limits
from ..errors import ParseError, UnsupportedVersionError
from ..runtime.views import READ_FAULTS, Buffer, OverLimit
from .document import Document
from .not_gguf import not_gguf

if TYPE_CHECKING:
    from collections.abc import Iterator

_DEEPEST = 200
_HIGHEST_PLAUSIBLE = 1000
_HEAD_NBYTES = (256 << 10, 2 << 20, 8 << 20, 64 << 20)


def parse(buffer: Buffer, limits: Limits | None = None) -> Document:
    """The document in a buffer (bytes or a read-only mmap).

    Only the header is read; arrays and tensor data stay where they are.

    Raises:
        NotGGUFError: it is something else; `kind` says what.
        UnsupportedVersionError, TruncatedError, InvalidFieldError, LimitExceededError: the
            header cannot be read; the error says where.
    """
    order, body = parse_body(buffer, LIMITS if limits is None else limits)
    return Document(buffer, order, body, limits)


def parse_body(
    buffer: Buffer, limits: Limits = LIMITS, *, lenient: bool = False
) -> tuple[str, Body]:
    """Byte order ("<" or ">") and header record of a buffer.  Raises ParseError.

    Read leniently, a broken header gives what comes before the fault; see `generated.codec.read`.
    """
    if buffer[: len(MAGIC)] != MAGIC:
        raise not_gguf(buffer)
    if limits.max_array_depth > _DEEPEST:
        # Each level is a call: beyond this it would be Python that refuses.
        limits = limits._replace(max_array_depth=_DEEPEST)
    for head in _heads(buffer):
        try:
            return probe(head).order, read(head, limits)
        except OverLimit:
            break  # more bytes would not help
        except READ_FAULTS:
            continue
    if lenient:
        with suppress(*READ_FAULTS):
            return probe(head).order, read(head, limits, lenient=True)
    raise _explain(head, limits)


def _heads(buffer: Buffer) -> Iterator[Buffer]:
    """Copies of the first bytes, larger and larger, and the whole buffer at last.

    The header of a mapped file is read from a copy: touching the map of a file that shrinks ends
    the process.  Nearly all headers without a vocabulary are in the first copy, those with 32,000
    tokens in the second, nearly all in the third.
    """
    nbytes = len(buffer)
    if not isinstance(buffer, bytes):
        for size in _HEAD_NBYTES:
            yield bytes(buffer[: min(size, nbytes)])
            if nbytes <= size:
                return
    yield buffer


def _explain(buffer: Buffer, limits: Limits) -> ParseError:
    """Why the codec refused the buffer, found by walking it again slowly."""
    from .._generated.trace import trace

    with suppress(*READ_FAULTS):
        found = probe(buffer)
        if found.version not in VERSIONS:
            return _unsupported(found.version, found.version_le, found.version_be)
    try:
        for _ in trace(buffer, limits, fold=0):
            pass
    except ParseError as error:
        return error
    return ParseError(
        "the header cannot be read, but no field of it is at fault",
        hint="please report this file: the two readers of gguf-construct disagree about it",
    )


def _unsupported(version: int, little: int, big: int) -> UnsupportedVersionError:
    known = ", ".join(map(str, VERSIONS))
    hint = "get a newer gguf-construct, or check that the file is not damaged"
    if version == 0:
        hint = "the file is damaged, or its writer never finished: download or convert it again"
    elif min(little, big) > _HIGHEST_PLAUSIBLE:
        hint = "no version is that high in either byte order: the file is damaged"
    # The order that gives the smaller number is taken; a person may have the other one in mind.
    order = f" (big-endian; {little} in little-endian)" if version != little else ""
    return UnsupportedVersionError(
        f"GGUF version {version}{order} is not supported, only {known}",
        offset=len(MAGIC),
        path="version",
        hint=hint,
        version=version,
    )


def build_header(document: Document) -> bytes:
    """The header with every field encoded anew.  Raises BuildError."""
    body = document.body._replace(
        metadata=[field.record for field in document.metadata.fields()],
        tensor_infos=[tensor.record for tensor in document.tensors.all],
    )
    return write(body, document.order)


def empty_header(order: str, version: int) -> bytes:
    """A file without metadata and without tensors.  `order` is "<" or ">".  Raises BuildError."""
    body = Body(version=version, num_tensors=0, num_metadata=0, metadata=[], tensor_infos=[])
    return write(body, order)


def build(document: Document) -> bytes:
    """The whole file: header encoded anew, the rest as it was.  For files that fit in memory.

    Use `save` for real files: it copies what was not edited and lays the data section out.
    """
    return build_header(document) + bytes(document.buffer[document.header_end :])

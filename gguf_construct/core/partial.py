"""Read what can be read of a broken header, so that one fault does not hide the others.

Strategy: the codec reads leniently, up to the first record that it cannot read; what it gets is
a document, only shorter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .._generated.types import LIMITS
from ..errors import ParseError
from .codec import parse_body
from .document import Document

if TYPE_CHECKING:
    from .._generated.types import Limits
    from ..runtime.views import Buffer


class Salvaged(NamedTuple):
    """What could be read.

    Attributes:
        document: the pairs and tensor infos before the fault; None if there is not even a count.
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
        return Salvaged(Document(buffer, *parse_body(buffer, limits)))
    except ParseError as error:
        fault = error
    try:
        order, body = parse_body(buffer, limits, lenient=True)
    except ParseError:
        return Salvaged(None, fault, False, False)
    return Salvaged(
        Document(buffer, order, body),
        fault,
        len(body.metadata) == body.num_metadata,
        len(body.tensor_infos) == body.num_tensors,
    )

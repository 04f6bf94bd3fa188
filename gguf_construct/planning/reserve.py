"""Room kept inside the header: a padding key that edits take from and give back to.

It is an array of zero bytes under a key of our own, which loaders skip.  As it grows and shrinks
by what an edit changes, the header ends where it ended, and the data section need not move.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._generated.types import Array, MetadataKv, ValueType
from ..core.registry import keys_with_role
from ..core.values import bytes_of
from ..runtime.views import NumberArray

if TYPE_CHECKING:
    from ..core.document import Document
    from ..core.field import Field


def reserve_key() -> str:
    """The padding key."""
    return keys_with_role("reserve")[0].key


def find_reserve(document: Document) -> Field | None:
    """The pair that is the document's reserve, or None.

    Not taken for one: a key that repeats, one that was edited just now (somebody wants it that
    way), another type, and bytes that are not zero, which mean something to whoever wrote them.
    """
    found = document.metadata.occurrences(reserve_key())
    if len(found) != 1 or found[0].is_edited or reserve_nbytes(document) is None:
        return None
    numbers = found[0].record.value.elements.raw
    return found[0] if numbers.count(0) == len(numbers) else None


def reserve_nbytes(document: Document) -> int | None:
    """How many bytes are left for edits; None in a file without the padding key."""
    found = document.metadata.occurrences(reserve_key())
    if len(found) != 1 or found[0].record.value_type != ValueType.ARRAY:
        return None
    value = found[0].record.value
    return value.num_elements if value.element_type == ValueType.UINT8 else None


def reserve_field(document: Document, nbytes: int) -> Field:
    """The padding key with so many bytes, as this document would hold it."""
    zeros = NumberArray(bytes(nbytes), 0, nbytes, document.order, "u", 1)
    value = Array(element_type=ValueType.UINT8, num_elements=nbytes, elements=zeros)
    return document.metadata.encode(
        MetadataKv(key=bytes_of(reserve_key()), value_type=ValueType.ARRAY, value=value)
    )

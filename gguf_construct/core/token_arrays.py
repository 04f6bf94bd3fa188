"""The arrays of a document that have one element per token: texts, scores, types."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..runtime.views import NumberArray, StringArray
from .registry import keys_with_role

if TYPE_CHECKING:
    from .field import Field
    from .metadata import Metadata

_KEYS = {info.types[0]: info.key for info in keys_with_role("token_array") if not info.alias_of}
TEXTS_KEY, SCORES_KEY, TYPES_KEY = (_KEYS[one] for one in ("[string]", "[float32]", "[int32]"))
"""The metadata keys of the three arrays."""


class TokenArrays(NamedTuple):
    """The fields of a vocabulary; None where the document has none of a usable type.

    Attributes:
        texts: an array of strings.
        scores: an array of floats.
        types: an array of integers of any width.
    """

    texts: Field | None
    scores: Field | None
    types: Field | None


def token_arrays(metadata: Metadata) -> TokenArrays:
    """The vocabulary's arrays; one of another element type counts as absent."""

    def usable(key: str, kinds: str) -> Field | None:
        field = metadata.field(key) if key in metadata else None
        return field if field is not None and _kind(field) in kinds else None

    return TokenArrays(usable(TEXTS_KEY, "t"), usable(SCORES_KEY, "f"), usable(TYPES_KEY, "su"))


def _kind(field: Field) -> str:
    """What an array holds: "t" texts, "s" signed, "u" unsigned, "f" floats; else "?"."""
    if field.array_length is None:
        return "?"
    elements = field.record.value.elements
    if isinstance(elements, StringArray):
        return "t"
    return elements.kind if isinstance(elements, NumberArray) else "?"

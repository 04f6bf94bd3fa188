"""The vocabulary of a model: texts and types of its tokens, looked up in one pass.

Strategy: a vocabulary may have a million tokens, of which a person wants a handful.  One pass
over the file's bytes makes a list of texts; everything else is a search in that list.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from ..core.registry import token_type_name
from ..core.token_arrays import TEXTS_KEY, token_arrays
from ..core.values import text_of
from ..errors import EditError, KeyNotFoundError
from ..runtime.views import StringArray
from .spelling import family_of, plain_text

if TYPE_CHECKING:
    from collections.abc import Collection

    from ..core.document import Document

SPECIAL_TYPES = frozenset({"control", "unknown", "user_defined"})
"""Types whose tokens are no ordinary text: as special tokens they are in order."""

_MODEL_KEY = "tokenizer.ggml.model"


class Token(NamedTuple):
    """A token of a vocabulary.

    Attributes:
        id: its number.
        raw: its text in the file, as bytes.
        type: "normal", "control", "byte", ...; None where the file does not say.
        stands_for: the bytes of text that it stands for ("Ġthe" for " the").
    """

    id: int
    raw: bytes
    type: str | None
    stands_for: bytes

    @property
    def text(self) -> str:
        """Its text in the file; bytes that are not UTF-8 as lone surrogates."""
        return text_of(self.raw)


def describe(token: Token) -> str:
    """A token in a sentence: ``106 '<end_of_turn>' (control)``."""
    text = token.text if len(token.text) <= 60 else f"{token.text[:57]}..."
    return f"{token.id} {text!r}" + (f" ({token.type})" if token.type else "")


class Vocabulary:
    """The tokens of a document.

    Attributes:
        family: how it spells text, see `spelling.family_of`.
        texts_key, types_key: the metadata keys of texts and types; None where it has no types.
    """

    def __init__(self, document: Document) -> None:
        """Find the vocabulary.  Raises EditError when the document has none."""
        self.tokenizer = document.metadata.text(_MODEL_KEY)
        self.family = family_of(self.tokenizer)
        texts, _, types = token_arrays(document.metadata)
        if texts is None:
            raise EditError(
                f"this file has no vocabulary: no {TEXTS_KEY} of type [string]",
                hint="of a split model, the first file has it",
            )
        self._texts, self._types = texts, types
        self.texts_key = self._texts.key
        self.types_key = self._types.key if self._types else None

    def __len__(self) -> int:
        return self._texts.array_length or 0

    @cached_property
    def texts(self) -> list[bytes]:
        """Text of every token, by id."""
        elements = self._texts.record.value.elements
        assert isinstance(elements, StringArray)
        return list(elements.iter_raw())

    def type_of(self, id: int) -> str | None:
        """Type of a token; a number that has no name is given in digits."""
        if self._types is None or id >= (self._types.array_length or 0):
            return None
        number = int(self._types.record.value.elements[id])
        return token_type_name(number) or str(number)

    def __contains__(self, id: object) -> bool:
        return isinstance(id, int) and 0 <= id < len(self)

    def __getitem__(self, id: int) -> Token:
        """The token with this id.  Raises KeyNotFoundError."""
        if id not in self:
            raise KeyNotFoundError(
                f"token {id} does not exist: the vocabulary has {len(self)} tokens, "
                f"0 to {len(self) - 1}",
                key=str(id),
            )
        raw, kind = self.texts[id], self.type_of(id)
        return Token(id, raw, kind, plain_text(raw, kind, self.family))

    def with_texts(self, wanted: Collection[bytes]) -> list[Token]:
        """The tokens with one of these texts, by id."""
        return [self[id] for id, text in enumerate(self.texts) if text in wanted]

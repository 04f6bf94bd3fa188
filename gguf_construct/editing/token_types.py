"""Mark tokens as control tokens, as normal text and so on, by their text or id.

Strategy: the types are one array of numbers.  Its bytes are copied and the elements at the ids
written over; building it anew from 262,144 Python integers would take a hundred times as long.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._generated.types import ORDER_NAMES
from ..core.field import Field
from ..core.registry import close_matches, token_type_id, token_type_names
from ..errors import KeyNotFoundError, RefusedError
from ..runtime.views import NumberArray
from ..tokens.search import the_token
from ..tokens.vocabulary import Vocabulary, describe
from .changes import Change

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .._generated.types import Array, MetadataKv
    from ..core.document import Document


def set_token_type(
    document: Document, tokens: str | bytes | int | Iterable[str | bytes | int], kind: str
) -> list[Change]:
    """Give tokens a type, such as ``set_token_type(model, "<start_of_turn>", "control")``.

    Args:
        tokens: one token or several, each by its text (see `find_tokens`; a space before it
            counts here) or its id; bytes are the text exactly as it is in the file.
        kind: "normal", "control", "user_defined", "unknown", "unused" or "byte".

    Returns:
        A change for each token; a note of one says what to know of it.

    Raises:
        KeyNotFoundError: there is no such type or token; `matches` has the close ones.
        RefusedError: several tokens are meant (`candidates`), or the file has no types.
    """
    name = type_named(kind)
    number = token_type_id(name)
    vocabulary = Vocabulary(document)
    listed = [tokens] if isinstance(tokens, (str, bytes, int)) else list(tokens)
    ids = [
        vocabulary[one].id if isinstance(one, int) else the_token(vocabulary, one).id
        for one in listed
    ]
    ids = list(dict.fromkeys(ids))
    key = vocabulary.types_key
    for id in ids:
        if key is None or vocabulary.type_of(id) is None:
            raise RefusedError(
                f"the file has no type for token {id}, so it cannot be marked",
                hint="without types, llama.cpp takes every token for a normal one",
            )
    if key is None:
        return []
    field = document.metadata.field(key)
    old = {id: int(field.record.value.elements[id]) for id in ids}
    if any(before != number for before in old.values()):
        document.metadata.set(key, _patched(field, dict.fromkeys(ids, number)))
    notes = {id: _note(vocabulary, id, name) for id in ids}
    return [
        Change(
            "same" if before == number else "set",
            f"{key}[{id}]",
            field.type[1:-1],
            before,
            number,
            notes[id],
        )
        for id, before in old.items()
    ]


def _note(vocabulary: Vocabulary, id: int, name: str) -> tuple[str, ...]:
    if name != "byte":
        return ()
    raw = vocabulary[id].raw
    is_written_so = len(raw) == 6 and raw.startswith(b"<0x") and raw.endswith(b">")
    return (
        () if is_written_so else (f"{describe(vocabulary[id])} is not written as a byte, <0x0A>",)
    )


def type_named(kind: str) -> str:
    """The type that a person means: ``control``, ``CONTROL``, ``user-defined``.

    Raises:
        KeyNotFoundError: there is no such type.
    """
    names = [name for name in token_type_names() if name != "undefined"]
    plain = kind.strip().lower().replace("-", "_").replace(" ", "_")
    if plain in names:
        return plain
    raise KeyNotFoundError(
        f"there is no token type {kind!r}",
        hint=f"types are {', '.join(names)}",
        key=kind,
        matches=close_matches(plain, names),
    )


def mark_control(document: Document, id: int) -> Change:
    """Mark a token as a control token; all other types keep their bytes.

    Raises:
        KeyNotFoundError: no such token.
        RefusedError: the file has no type for it.
    """
    (change,) = set_token_type(document, id, "control")
    return change


def _patched(field: Field, numbers: Mapping[int, int]) -> Field:
    """The field with the elements at some ids changed."""
    array: Array = field.record.value
    elements: NumberArray = array.elements
    width, order = elements.width, ORDER_NAMES[elements.order]
    raw = bytearray(elements.raw)
    for at, number in numbers.items():
        raw[at * width : (at + 1) * width] = number.to_bytes(width, order)  # type: ignore[arg-type]
    patched = NumberArray(bytes(raw), 0, elements.num, elements.order, elements.kind, width)
    record: MetadataKv = field.record._replace(value=array._replace(elements=patched))
    return Field(record, b"")

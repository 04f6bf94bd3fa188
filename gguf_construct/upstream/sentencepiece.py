"""What a SentencePiece model file (tokenizer.model, spiece.model) says: pieces and flags.

Strategy: the file is one protocol buffer message of which we want six fields; fields that we do
not know are passed over, as the encoding is made for.

Sources: https://protobuf.dev/programming-guides/encoding; ModelProto in
sentencepiece_model.proto.
"""

from __future__ import annotations

from struct import unpack_from
from typing import TYPE_CHECKING, NamedTuple

from ..core.values import text_of
from ..errors import GGUFError

if TYPE_CHECKING:
    from collections.abc import Iterator

_VARINT, _EIGHT, _BYTES, _FOUR = 0, 1, 2, 5
_PIECES, _NORMALIZER = 1, 3
_KINDS = {
    1: "normal",
    2: "unknown",
    3: "control",
    4: "user_defined",
    5: "unused",
    6: "byte",
}
_MAX_PIECES = 1 << 22


class Piece(NamedTuple):
    """A piece: its text, its score, and its type by GGUF's names."""

    text: str
    score: float
    kind: str


class PieceModel(NamedTuple):
    """The pieces in the order of their ids, and the flags of the normaliser."""

    pieces: list[Piece]
    add_dummy_prefix: bool
    remove_extra_whitespaces: bool


def read_pieces(data: bytes, name: str = "tokenizer.model") -> PieceModel:
    """Read a SentencePiece model.

    Raises:
        GGUFError: the bytes are not such a model.
    """
    pieces: list[Piece] = []
    flags = {3: True, 4: True}  # add_dummy_prefix, remove_extra_whitespaces: both default to true
    try:
        for field, value in _fields(data):
            if field == _PIECES and isinstance(value, bytes):
                pieces.append(_piece(value))
                if len(pieces) > _MAX_PIECES:
                    raise GGUFError(f"{name} has more than {_MAX_PIECES} pieces")
            elif field == _NORMALIZER and isinstance(value, bytes):
                flags |= {
                    which: bool(flag)
                    for which, flag in _fields(value)
                    if which in flags and isinstance(flag, int)
                }
    except (IndexError, ValueError, OverflowError) as error:
        raise GGUFError(f"{name} is not a SentencePiece model: {error}") from error
    if not pieces:
        raise GGUFError(f"{name} is not a SentencePiece model: it has no pieces")
    return PieceModel(pieces, flags[3], flags[4])


def _piece(data: bytes) -> Piece:
    text, score, kind = "", 0.0, 1
    for field, value in _fields(data):
        if field == 1 and isinstance(value, bytes):
            text = text_of(value)
        elif field == 2 and isinstance(value, float):
            score = value
        elif field == 3 and isinstance(value, int):
            kind = value
    return Piece(text, score, _KINDS.get(kind, str(kind)))


def _fields(data: bytes) -> Iterator[tuple[int, bytes | int | float]]:
    """Number and value of each field of a message.  Raises ValueError or IndexError."""
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        field, wire = tag >> 3, tag & 7
        if wire == _VARINT:
            number, at = _varint(data, at)
            yield field, number
        elif wire == _BYTES:
            size, at = _varint(data, at)
            if at + size > len(data):
                raise ValueError(f"a field of {size} bytes at byte {at} reaches past the end")
            yield field, data[at : at + size]
            at += size
        elif wire in (_FOUR, _EIGHT):
            width = 4 if wire == _FOUR else 8
            if at + width > len(data):
                raise ValueError(f"a number at byte {at} reaches past the end")
            yield field, unpack_from("<f" if wire == _FOUR else "<d", data, at)[0]
            at += width
        else:
            raise ValueError(f"field {field} at byte {at} has the unknown wire type {wire}")


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if not byte & 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError(f"a number at byte {at} is too long")

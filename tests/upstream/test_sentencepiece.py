"""SentencePiece models, encoded by hand."""

from __future__ import annotations

from struct import pack

import pytest

from gguf_construct.errors import GGUFError
from gguf_construct.upstream.sentencepiece import Piece, read_pieces


def varint(number: int) -> bytes:
    found = b""
    while number > 0x7F:
        found += bytes([number & 0x7F | 0x80])
        number >>= 7
    return found + bytes([number])


def message(field: int, content: bytes) -> bytes:
    return varint(field << 3 | 2) + varint(len(content)) + content


def piece(text: str, score: float, kind: int | None = None) -> bytes:
    content = message(1, text.encode()) + varint(2 << 3 | 5) + pack("<f", score)
    return message(1, content + (b"" if kind is None else varint(3 << 3) + varint(kind)))


def normalizer(prefix: int, spaces: int) -> bytes:
    return message(3, message(1, b"nmt") + b"\x18" + bytes([prefix]) + b"\x20" + bytes([spaces]))


PIECES = piece("<unk>", 0.0, 2) + piece("<s>", 0.0, 3) + piece("\u2581a", -1.5) + piece("x", 0, 6)


def test_pieces_have_text_score_and_type() -> None:
    found = read_pieces(PIECES + normalizer(0, 1))
    assert found.pieces == [
        Piece("<unk>", 0.0, "unknown"),
        Piece("<s>", 0.0, "control"),
        Piece("\u2581a", -1.5, "normal"),
        Piece("x", 0.0, "byte"),
    ]
    assert (found.add_dummy_prefix, found.remove_extra_whitespaces) == (False, True)


def test_flags_are_on_unless_said_otherwise() -> None:
    found = read_pieces(PIECES)
    assert (found.add_dummy_prefix, found.remove_extra_whitespaces) == (True, True)


def test_fields_that_nobody_knows_are_passed_over() -> None:
    more = varint(40 << 3) + varint(1 << 40) + message(2, b"\x08\x01") + b"\x19" + bytes(8)
    assert len(read_pieces(more + PIECES).pieces) == 4


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        PIECES[:-1],
        b"\x0a\xff\xff\xff\xff\x0f",
        b"\xff" * 20,
        b"\x0b",
        b"\x0d\0",
        b"IQ== 0\nIg== 1\n",
    ],
)
def test_what_is_no_model_is_refused(data: bytes) -> None:
    with pytest.raises(GGUFError, match=r"spiece\.model is not a SentencePiece model"):
        read_pieces(data, "spiece.model")


@pytest.mark.parametrize("cut", range(1, len(PIECES)))
def test_cut_anywhere_it_is_refused_or_shorter(cut: int) -> None:
    try:
        assert len(read_pieces(PIECES[:cut]).pieces) < 4
    except GGUFError:
        return

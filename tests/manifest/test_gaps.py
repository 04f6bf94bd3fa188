"""What lies between tensors: found, and laid out again."""

from __future__ import annotations

import pytest

from gguf_construct.core.chunks import Chunk, Copy, Literal, Swap, Zeros
from gguf_construct.core.codec import parse
from gguf_construct.errors import BuildError
from gguf_construct.manifest import gaps
from gguf_construct.manifest.gaps import Piece, fillers, lay_out
from tests.support import builders as b
from tests.support.plans import made


def tensor(name: bytes, nbytes: int, place: int) -> b.Tensor:
    return b.Tensor(name, (nbytes,), 24, b"x" * nbytes, place=place)


@pytest.mark.parametrize("step", [1 << 20, 7, 1])
def test_bytes_that_are_not_zero_are_found(step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gaps, "_STEP", step)
    tensors = (tensor(b"b", 10, 64), tensor(b"a", 10, 32), tensor(b"c", 3, 128))
    built = b.build(b.Model(tensors=tensors))
    data = bytearray(built.data)
    section = len(data) - built.data_start
    start = built.data_start
    assert fillers(parse(bytes(data)), section) == []
    data[start] = 1  # before the first tensor
    data[start + 127] = 1  # the last byte before the third
    assert fillers(parse(bytes(data)), section) == [(0, 32), (74, 54)]
    data[-1] = 9
    assert fillers(parse(bytes(data)), section)[-1] == (131, section - 131)


def test_tensors_that_share_bytes_leave_no_gap() -> None:
    tensors = (tensor(b"a", 40, 0), tensor(b"b", 8, 16), tensor(b"c", 8, 40))
    built = b.build(b.Model(tensors=tensors, pad_byte=7, pad_end=False))
    assert fillers(parse(built.data), 48) == []


SOURCE = bytes(range(50))
LAID_OUT: list[tuple[list[tuple[int, Chunk]], int | None, bytes]] = [
    ([], None, bytes(60)),
    ([], 5, bytes(5)),
    ([(0, Literal(b"abc"))], 3, b"abc"),
    ([(2, Literal(b"abc"))], 7, b"\0\0abc\0\0"),
    ([(4, Literal(b"d")), (0, Literal(b"abc"))], 5, b"abc\0d"),
    ([(0, Literal(b"abc")), (1, Literal(b"xyz"))], 4, b"abcz"),
    ([(0, Literal(b"abc")), (1, Literal(b"x"))], 4, b"abc\0"),
    ([(0, Literal(b"abc")), (1, Literal(b"xy"))], 4, b"abc\0"),
    ([(0, Copy(10, 4)), (2, Copy(20, 4))], None, SOURCE[10:14] + SOURCE[22:24] + bytes(54)),
    ([(0, Copy(10, 4)), (2, Zeros(5))], 7, SOURCE[10:14] + bytes(3)),
    ([(0, Swap(0, 4, ((2, 1),)))], 4, b"\1\0\3\2"),
]


@pytest.mark.parametrize(("pieces", "size", "content"), LAID_OUT)
def test_where_pieces_overlap_the_earlier_one_wins(
    pieces: list[tuple[int, Chunk]], size: int | None, content: bytes
) -> None:
    chunks = lay_out([Piece(at, chunk, 1) for at, chunk in pieces], size, 60)
    assert made(chunks, [SOURCE]) == content


def test_what_does_not_fit_is_refused() -> None:
    piece = Piece(2, Literal(b"abc"), 3)
    assert made(lay_out([piece], 5, 0)) == b"\0\0abc"
    with pytest.raises(BuildError, match="data_size is 4, but the tensors need 5 bytes"):
        lay_out([piece], 4, 0)
    with pytest.raises(BuildError, match="another byte order overlaps the one before") as caught:
        lay_out([Piece(0, Literal(b"abc"), 1), Piece(2, Swap(0, 4, ((2, 1),)), 8)], None, 0)
    assert (caught.value.path, caught.value.hint) == ("line 8", "give it another offset")

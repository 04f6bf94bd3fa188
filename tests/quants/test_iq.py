"""Types with codebooks, over made-up ones: which entry, sign and scale an element gets."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import numpy as np
import pytest

from gguf_construct.quants import codebook, dequantize
from tests.quants.samples import IDS, made_up_book, use_made_up_books

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(autouse=True)
def made_up_books(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No test here needs the gguf package."""
    yield from use_made_up_books(monkeypatch)


def entry(name: str, number: int) -> list[float]:
    """One entry of a made-up codebook."""
    values: list[float] = made_up_book(name)[0, 0, number].tolist()
    return values


def by_sign(scale: float, signs: list[int], values: list[float]) -> list[float]:
    """Each value, scaled and with its sign."""
    return [scale * sign * value for sign, value in zip(signs, values, strict=True)]


def test_iq2_xxs() -> None:
    # Entries 3 and 255; the second word: signs 1 and 3 (whose parity is even), scale 5.
    word = 1 | 3 << 7 | 5 << 28
    block = struct.pack("<e4BI", 2, 3, 255, 0, 0, word) + bytes(56)
    values = dequantize(block, IDS["IQ2_XXS"])
    scale = 2 * (0.5 + 5) * 0.25
    # Sign code 1 has one bit: the eighth element is negative as well.
    signs = [-1, 1, 1, 1, 1, 1, 1, -1]
    assert values[:8].tolist() == by_sign(scale, signs, entry("IQ2_XXS", 3))
    signs = [-1, -1, 1, 1, 1, 1, 1, 1]
    assert values[8:16].tolist() == by_sign(scale, signs, entry("IQ2_XXS", 255))


def test_iq2_xs() -> None:
    words = [511 | 1 << 9, *([0] * 31)]
    block = struct.pack("<e32H8B", 4, *words, 0x93, *([0] * 7))
    values = dequantize(block, IDS["IQ2_XS"])
    scale = 4 * (0.5 + 3) * 0.25
    signs = [-1, 1, 1, 1, 1, 1, 1, -1]
    assert values[:8].tolist() == by_sign(scale, signs, entry("IQ2_XS", 511))
    scale = 4 * (0.5 + 9) * 0.25
    assert values[16:24].tolist() == [scale * x for x in entry("IQ2_XS", 0)]


def test_iq3_s_takes_the_ninth_bit_of_an_entry_from_qh() -> None:
    block = (
        struct.pack("<e", 1)
        + bytes((7, *([0] * 63)))  # qs
        + bytes((1, *([0] * 7)))  # qh
        + bytes((0x08, *([0] * 31)))  # signs: element 3 alone
        + bytes((2, 0, 0, 0))  # scales
    )
    values = dequantize(block, IDS["IQ3_S"])
    signs = [1, 1, 1, -1]
    assert values[:4].tolist() == by_sign(5, signs, entry("IQ3_S", 256 + 7))


@pytest.mark.parametrize("negative", [0, 1])
def test_iq1_s_moves_its_entries_by_an_eighth(negative: int) -> None:
    words = [1 << 3 | 2 << 12 | negative << 15, *([0] * 7)]
    block = struct.pack("<e", 8) + bytes((9, 10, *([0] * 30))) + struct.pack("<8H", *words)
    values = dequantize(block, IDS["IQ1_S"])
    delta = -0.125 if negative else 0.125
    assert values[:8].tolist() == [8 * 5 * (x + delta) for x in entry("IQ1_S", 9)]
    assert values[8:16].tolist() == [8 * 5 * (x + delta) for x in entry("IQ1_S", 256 + 10)]


def test_iq1_m_has_its_scale_in_four_nibbles() -> None:
    (d,) = struct.unpack("<H", struct.pack("<e", 1.5))
    tops = [(d >> shift & 15) << 12 for shift in (0, 4, 8, 12)]
    tops[0] |= 3 | 1 << 3
    block = bytes((5, *([0] * 31))) + bytes((0x80 | 0x01, *([0] * 15))) + struct.pack("<4H", *tops)
    values = dequantize(block, IDS["IQ1_M"])
    assert values[:8].tolist() == [1.5 * 7 * (x + 0.125) for x in entry("IQ1_S", 256 + 5)]
    assert values[8:16].tolist() == [1.5 * 7 * (x - 0.125) for x in entry("IQ1_S", 0)]
    assert values[16:24].tolist() == [1.5 * 3 * (x + 0.125) for x in entry("IQ1_S", 0)]


def test_seven_bits_of_signs_have_even_parity() -> None:
    table = codebook.signs(7).view(np.int8).reshape(128, 8)
    assert ((table < 0).sum(axis=1) % 2 == 0).all()
    for code in range(128):
        assert [int(sign < 0) for sign in table[code, :7]] == [code >> bit & 1 for bit in range(7)]
    table = codebook.signs(8).view(np.int8).reshape(256, 8)
    assert [int(sign < 0) for sign in table[0x81]] == [1, 0, 0, 0, 0, 0, 0, 1]

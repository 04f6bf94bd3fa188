"""Passes over strings, against the obvious ones, for every kind of length field."""

from __future__ import annotations

import random
from struct import Struct
from struct import error as struct_error
from typing import TYPE_CHECKING

import pytest

from gguf_construct.runtime.strings import _RUN, _WORTH, skip_strings, turn_strings

if TYPE_CHECKING:
    from collections.abc import Callable

MANY = _WORTH + 77
FORMATS = ["<I", ">I", "<Q", ">Q"]

LENGTHS: dict[str, Callable[[random.Random], int]] = {
    "short": lambda rng: rng.randrange(20),
    "empty": lambda rng: 0,
    "long": lambda rng: rng.randrange(60, 400),
    "now and then long": lambda rng: rng.choice([3, 7, 12] * 40 + [64, 255, 256, 4000]),
    "about as long as the longest in a run": lambda rng: rng.randrange(60, 68),
}


def obviously(length: Struct, data: bytes, pos: int, num: int) -> int:
    for _ in range(num):
        pos += length.size + int(length.unpack_from(data, pos)[0])
    return pos


@pytest.mark.parametrize("length_format", FORMATS)
@pytest.mark.parametrize("kind", LENGTHS)
@pytest.mark.parametrize("num", [0, 1, 63, 64, 65, MANY])
def test_the_end_is_found(length_format: str, kind: str, num: int) -> None:
    rng, length = random.Random(num), Struct(length_format)
    strings = [rng.randbytes(LENGTHS[kind](rng)) for _ in range(num)]
    data = b"before" + b"".join(length.pack(len(one)) + one for one in strings)
    assert skip_strings(length, data + b"behind", 6, len(data) + 6, num) == len(data)


@pytest.mark.parametrize("length_format", FORMATS)
@pytest.mark.parametrize("at", [0, 1000, 64 * 30 + 1, MANY - 2, MANY - 1])
@pytest.mark.parametrize("lie", [0, 11, 100, 65536, (1 << 31) + 3, (1 << 63) + 5])
def test_lengths_that_lie(length_format: str, at: int, lie: int) -> None:
    length = Struct(length_format)
    strings = [length.pack(3) + b"abc"] * MANY
    strings[at] = length.pack(lie & (1 << 8 * length.size) - 1) + b"abc"
    data = b"".join(strings)

    def attempt(walk: Callable[[], int]) -> int | None:
        try:
            return walk()
        except (struct_error, OverflowError):
            return None

    found = attempt(lambda: skip_strings(length, data, 0, len(data), MANY))
    assert found == attempt(lambda: obviously(length, data, 0, MANY))


def test_what_looks_like_a_length_inside_a_string_is_none() -> None:
    length = Struct("<Q")
    inner = length.pack(5) + bytes(9) + length.pack(300)
    data = (length.pack(len(inner)) + inner) * MANY
    assert skip_strings(length, data, 0, len(data), MANY) == len(data)


@pytest.mark.parametrize("length_format", FORMATS)
@pytest.mark.parametrize("place", [0, 1, 62, 63])
def test_a_run_that_fails_at_each_place(length_format: str, place: int) -> None:
    length = Struct(length_format)
    # Inside the long string stands what could be read as the strings that are missing.
    long = length.pack(1) * 64
    data = b""
    for number in range(MANY):
        one = long if number % _RUN == place else bytes([number % 8]) * (number % 64)
        data += length.pack(len(one)) + one
    assert skip_strings(length, data + long, 0, len(data) + len(long), MANY) == len(data)


@pytest.mark.parametrize("length_format", FORMATS)
@pytest.mark.parametrize("kind", LENGTHS)
def test_lengths_are_turned_and_strings_are_not(length_format: str, kind: str) -> None:
    rng, length = random.Random(7), Struct(length_format)
    other = Struct(length_format.translate({ord("<"): ">", ord(">"): "<"}))
    texts = [rng.randbytes(LENGTHS[kind](rng)) for _ in range(500)]
    texts += [bytes(255), bytes(256), bytes(70_000)]
    data = b"".join(length.pack(len(text)) + text for text in texts)
    out = bytearray(data + b"behind")
    assert turn_strings(length, out, len(texts)) == len(data)
    assert out == b"".join(other.pack(len(text)) + text for text in texts) + b"behind"
    assert turn_strings(other, out, len(texts)) == len(data)
    assert out == data + b"behind"

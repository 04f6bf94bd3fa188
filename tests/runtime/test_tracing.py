"""The tracer: each fault with its place, and advice that fits."""

from __future__ import annotations

from struct import Struct
from typing import Any, NamedTuple

import pytest

from gguf_construct.errors import InvalidFieldError, LimitExceededError, TruncatedError
from gguf_construct.runtime.tracing import Span, Tracer
from gguf_construct.runtime.views import NaN


class Limits(NamedTuple):
    max_header_nbytes: int = 1000
    max_string_nbytes: int = 100
    max_metadata: int = 5


def tracer(
    data: bytes = bytes(64), order: str = "<", fold: int | None = 8, **limits: int
) -> Tracer:
    return Tracer(data, order, 3, Limits(**limits), fold)


def test_spans_know_their_length() -> None:
    assert Span(3, 10, "", "", None, "").nbytes == 7


def test_what_is_there_is_enough() -> None:
    one = tracer(bytes(10))
    one.need(2, 8, "p")
    one.need(10, 0, "p")
    with pytest.raises(TruncatedError, match="9 bytes, but 8 are left in the file") as caught:
        one.need(2, 9, "p")
    assert (caught.value.offset, caught.value.needed, caught.value.available) == (2, 9, 8)
    assert "compare its size" in str(caught.value.hint)
    with pytest.raises(TruncatedError, match="1 bytes, but 0 are left"):
        one.need(11, 1, "p")


def test_the_limit_of_the_header_is_blamed_where_the_bytes_are_there() -> None:
    one = tracer(bytes(50), max_header_nbytes=20)
    one.need(0, 20, "p")
    with pytest.raises(LimitExceededError, match="21 is above the limit max_header_nbytes = 20"):
        one.need(0, 21, "p")
    with pytest.raises(LimitExceededError, match="50 is above the limit") as caught:
        one.room(10, 40, 1, "p", 4)
    assert caught.value.offset == 4
    assert "raise the limit" in str(caught.value.hint)
    with pytest.raises(TruncatedError, match="41 items of at least 1 bytes, but 10 bytes are left"):
        one.room(10, 41, 1, "p", 4)
    with pytest.raises(TruncatedError, match="51 bytes, but 20 are left"):
        one.need(0, 51, "p")


@pytest.mark.parametrize(
    ("nbytes", "advice"),
    [
        (2**31, "the file was cut short"),
        (2**31 + 1, "no file holds that much"),
        (5 << 24, "the file was cut short"),
        (0x9000_0000, "no file holds that much"),
        # Read the other way round these are 5, 5 and 65.
        (5 << 56, "in the other byte order it would be 5;"),
        (64 << 56, "in the other byte order it would be 64;"),
        (65 << 56, "no file holds that much"),
    ],
)
def test_advice_on_a_length_that_is_too_large(nbytes: int, advice: str) -> None:
    one = tracer()
    with pytest.raises(TruncatedError) as caught:
        one.need(0, nbytes, "p", blame=40)
    assert caught.value.offset == 40
    assert advice in str(caught.value.hint)
    with pytest.raises(TruncatedError) as caught:
        one.need(0, nbytes, "p")
    assert "cut short" in str(caught.value.hint)


def test_names_stand_beside_items_below_their_prefix() -> None:
    one = tracer()
    one.name("metadata[3]", b"general.name\xff")
    assert one.shown("metadata[3].value") == "metadata[3] 'general.name\\\\xff'.value"
    assert one.shown("metadata[3][1]") == "metadata[3] 'general.name\\\\xff'[1]"
    assert one.shown("metadata[31].value") == "metadata[31].value"
    assert one.shown("metadata[3]") == "metadata[3] 'general.name\\\\xff'"
    assert one.shown("tensors[0]") == "tensors[0]"
    one.name("t", b"x" * 100)
    assert one.shown("t.a") == f"t '{'x' * 80}'.a"


@pytest.mark.parametrize("order", ["<", ">"])
def test_numbers(order: str) -> None:
    raw = Struct(f"{order}HI").pack(515, 0x7FA00001)
    one = tracer(raw, order)
    assert one.number(0, "u", 2, "p") == 515
    assert one.number(0, "s", 1, "p") == raw[0]
    found: Any = one.number(2, "f", 4, "p")
    assert isinstance(found, NaN)
    assert found.bits == 0x7FA00001
    with pytest.raises(TruncatedError, match="8 bytes, but 6"):
        one.number(0, "u", 8, "p")


def test_widths_depend_on_the_version() -> None:
    assert tracer().pick({1: ("u", 4), None: ("u", 8)}) == ("u", 8)
    assert tracer().pick({3: ("u", 4), None: ("u", 8)}) == ("u", 4)


def test_bytes_are_taken_and_blamed_on_their_length() -> None:
    one = tracer(b"abcdef")
    assert one.take(2, 3, "p", 0) == b"cde"
    with pytest.raises(TruncatedError) as caught:
        one.take(4, 3, "p", 1)
    assert caught.value.offset == 1


def test_limits_are_the_last_number_allowed() -> None:
    one = tracer()
    one.limit("max_metadata", 5, "p", 9)
    with pytest.raises(LimitExceededError, match="6 is above the limit max_metadata = 5") as caught:
        one.limit("max_metadata", 6, "p", 9)
    error = caught.value
    assert (error.offset, error.limit, error.maximum, error.actual) == (9, "max_metadata", 5, 6)
    assert error.hint == "if you trust the file, raise the limit (max_metadata=6)"
    with pytest.raises(LimitExceededError) as caught:
        one.limit("max_metadata", 65, "p", 9)
    assert "no file of this size" in str(caught.value.hint)
    with pytest.raises(LimitExceededError) as caught:
        one.limit("max_metadata", 64, "p", 9)
    assert "if you trust" in str(caught.value.hint)


def test_counts_need_room() -> None:
    one = tracer(bytes(20))
    one.room(4, 4, 4, "p", 0)
    one.room(30, 0, 4, "p", 0)
    with pytest.raises(TruncatedError, match="5 items of at least 4 bytes, but 16") as caught:
        one.room(4, 5, 4, "p", 2)
    assert (caught.value.offset, caught.value.needed, caught.value.available) == (2, 20, 16)


def test_constants() -> None:
    one = tracer(b"abcd")
    one.constant(1, b"bc", "p")
    with pytest.raises(InvalidFieldError, match="b'cd' is not b'xy'") as caught:
        one.constant(2, b"xy", "p")
    assert (caught.value.offset, caught.value.expected) == (2, "b'xy'")
    with pytest.raises(TruncatedError, match="3 bytes, but 2"):
        one.constant(2, b"cde", "p")


@pytest.mark.parametrize(
    ("num", "fold", "shown"),
    [(9, 8, 9), (10, 8, 8), (10, None, 10), (3, 8, 3), (2, 0, 0), (1, 0, 1)],
)
def test_long_arrays_are_folded(num: int, fold: int | None, shown: int) -> None:
    assert tracer(fold=fold).unfolded(num) == shown


def strings(*texts: bytes) -> bytes:
    return b"".join(bytes([len(text)]) + text for text in texts)


def test_texts_are_skipped_as_far_as_they_fit() -> None:
    data = strings(b"abc", b"", b"de")
    one = tracer(data)
    assert one.skip_texts(0, 3, "u", 1) == (3, len(data))
    assert one.skip_texts(0, 1, "u", 1) == (1, 4)
    assert one.skip_texts(0, 4, "u", 1) == (3, len(data))
    assert tracer(data[:-1]).skip_texts(0, 3, "u", 1) == (2, 5)
    assert tracer(data[:5]).skip_texts(0, 3, "u", 1) == (2, 5)
    assert tracer(data, max_string_nbytes=2).skip_texts(0, 3, "u", 1) == (0, 0)
    assert tracer(data, max_string_nbytes=3).skip_texts(0, 3, "u", 1) == (3, len(data))
    assert tracer(data, max_header_nbytes=5).skip_texts(0, 3, "u", 1) == (2, 5)

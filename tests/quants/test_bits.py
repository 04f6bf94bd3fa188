"""Packed bits, in the orders in which ggml packs them."""

from __future__ import annotations

import numpy as np
import pytest

from gguf_construct.quants import bits


def test_contiguous_makes_a_packed_copy() -> None:
    rows = np.arange(20, dtype=np.uint8).reshape(2, 10)
    part = bits.contiguous(rows[:, 3:7])
    assert part.tolist() == [[3, 4, 5, 6], [13, 14, 15, 16]]
    assert part.flags.c_contiguous
    part[:] = 0
    assert rows[0, 3] == 3


@pytest.mark.parametrize("order", ["<", ">"])
def test_native_turns_numbers_into_the_order_of_the_host(order: str) -> None:
    numbers = np.array([1, 258], f"{order}u2")
    found = bits.native(numbers, "u2")
    assert found.tolist() == [1, 258]
    assert found.dtype.isnative
    assert not np.shares_memory(found, numbers)


@pytest.mark.parametrize(
    ("num_bits", "byte", "expected"),
    [(4, 0xA3, [3, 10]), (2, 0b11_10_01_00, [0, 1, 2, 3]), (1, 0x81, [1, 0, 0, 0, 0, 0, 0, 1])],
)
def test_planes_and_spread_of_one_byte(num_bits: int, byte: int, expected: list[int]) -> None:
    one = np.array([[byte]], np.uint8)
    assert bits.planes(one, 1, num_bits).tolist() == [expected]
    assert bits.spread(one, num_bits).tolist() == [expected]


def test_planes_are_runs_of_bytes() -> None:
    two_runs = np.array([[0x21, 0x43, 0x65, 0x87], [0xFF, 0, 0, 0xF0]], np.uint8)
    assert bits.planes(two_runs, 2, 4).tolist() == [
        [1, 3, 2, 4, 5, 7, 6, 8],
        [15, 0, 15, 0, 0, 0, 0, 15],
    ]
    assert bits.planes(two_runs, 4, 4).tolist()[0] == [1, 3, 5, 7, 2, 4, 6, 8]
    assert bits.spread(two_runs, 4).tolist()[0] == [1, 2, 3, 4, 5, 6, 7, 8]


def test_interleaving_takes_run_after_run() -> None:
    planes = np.array([[[1, 2, 3, 4]], [[5, 6, 7, 8]]], np.uint8)
    assert bits.interleaved(planes, 2).tolist() == [[1, 2, 5, 6, 3, 4, 7, 8]]
    assert bits.interleaved(planes, 4).tolist() == [[1, 2, 3, 4, 5, 6, 7, 8]]


def test_signed_takes_the_bias_off_in_place() -> None:
    values = np.array([[0, 8, 15]], np.uint8)
    found = bits.signed(values, 8)
    assert found.tolist() == [[-8, 0, 7]]
    assert np.shares_memory(found, values)

"""Sizes for people, in both directions."""

from __future__ import annotations

import pytest

from gguf_construct.render.sizes import parse_size, size_text

SIZES = [
    ("0", 0),
    ("4096", 4096),
    ("4096B", 4096),
    ("64KiB", 64 << 10),
    ("64 kib", 64 << 10),
    ("64k", 64 << 10),
    ("1MiB", 1 << 20),
    ("1M", 1 << 20),
    ("1MB", 10**6),
    ("2GiB", 2 << 30),
]


@pytest.mark.parametrize(("text", "nbytes"), SIZES)
def test_sizes_are_read(text: str, nbytes: int) -> None:
    assert parse_size(text) == nbytes


@pytest.mark.parametrize("text", ["", "-1", "1.5k", "MiB", "1XB", "1 Mi B", "0x10"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(ValueError, match="is not a size"):
        parse_size(text)


def test_sizes_are_shown() -> None:
    assert [size_text(n) for n in (0, 1023, 1024, 253113024)] == [
        *("0 B", "1023 B", "1.0 KiB", "241.4 MiB")
    ]

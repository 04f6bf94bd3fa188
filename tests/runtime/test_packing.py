"""What the writers of the codec refuse, and bits that they keep."""

from __future__ import annotations

from struct import Struct

import pytest

from gguf_construct.errors import BuildError
from gguf_construct.runtime.packing import (
    pack,
    pack_absent,
    pack_number,
    pack_numbers,
    pack_strings,
)
from gguf_construct.runtime.views import NaN, NumberArray, StringArray


@pytest.mark.parametrize(
    ("form", "value", "shown"),
    [
        ("<B", 256, "256"),
        ("<B", -1, "-1"),
        ("<I", "x", "'x'"),
        ("<f", 1e39, "1e[+]39"),
        ("<Q", 2**64, "18446744073709551616"),
    ],
)
def test_what_does_not_fit_is_named(form: str, value: object, shown: str) -> None:
    with pytest.raises(BuildError, match=rf"{shown} does not fit the field") as caught:
        pack(Struct(form), "a.path", value)
    assert caught.value.path == "a.path"


def test_long_values_are_cut() -> None:
    with pytest.raises(BuildError, match=r"9{40} does not fit"):
        pack(Struct("<B"), "", int("9" * 50))


@pytest.mark.parametrize("order", ["<", ">"])
def test_a_nan_gets_its_own_bits_back(order: str) -> None:
    coder = Struct(f"{order}f")
    assert pack_number(coder, order, 4, "", NaN(0x7FA00001, 4)) == Struct(f"{order}I").pack(
        0x7FA00001
    )
    # Of another width only its being no number survives.
    assert pack_number(coder, order, 4, "", NaN(0x7FF0000000000001, 8)) == coder.pack(float("nan"))
    assert pack_number(coder, order, 4, "", 1.5) == coder.pack(1.5)


@pytest.mark.parametrize("order", ["<", ">"])
def test_numbers_of_a_view_are_taken_as_they_are(order: str) -> None:
    view = NumberArray(b"??" + Struct("<3H").pack(1, 2, 515), 2, 3, "<", "u", 2)
    expected = Struct(f"{order}3H").pack(1, 2, 515)
    assert bytes(pack_numbers(order, "u", 2, "", view)) == expected
    assert pack_numbers(order, "u", 2, "", [1, 2, 515]) == expected
    # A view of another kind or width goes through numbers.
    assert pack_numbers(order, "u", 4, "", view) == Struct(f"{order}3I").pack(1, 2, 515)
    assert pack_numbers(order, "f", 2, "", view) == Struct(f"{order}3e").pack(1, 2, 515)


@pytest.mark.parametrize("order", ["<", ">"])
def test_strings_of_a_view_and_others(order: str) -> None:
    coder = Struct(f"{order}Q")
    raw = b"".join(Struct("<Q").pack(len(text)) + text for text in (b"a", b"", b"ccc"))
    view = StringArray(b"?" + raw, 1, 3, 1 + len(raw), Struct("<Q"))
    expected = b"".join(coder.pack(len(text)) + text for text in (b"a", b"", b"ccc"))
    assert pack_strings(coder, "", view) == expected
    assert pack_strings(coder, "", [b"a", b"", b"ccc"]) == expected
    narrow = Struct(f"{order}I")
    assert pack_strings(narrow, "", view)[:5] == narrow.pack(1) + b"a"


def test_a_string_too_long_for_its_length_field_is_named() -> None:
    raw = Struct("<I").pack(300) + bytes(300)
    view = StringArray(raw, 0, 1, len(raw), Struct("<I"))
    with pytest.raises(BuildError, match="a string does not fit the field") as caught:
        pack_strings(Struct("<B"), "a.path", view)
    assert caught.value.path == "a.path"
    with pytest.raises(BuildError, match="300 does not fit"):
        pack_strings(Struct("<B"), "a.path", [bytes(300)])


@pytest.mark.parametrize("default", [0, 7, b""])
def test_a_field_that_is_absent_takes_no_bytes(default: int | bytes) -> None:
    assert pack_absent("body.flags", default, default) == b""


@pytest.mark.parametrize(("value", "default"), [(1, 0), (0, 1), (b"x", b"")])
def test_a_field_that_would_be_lost_is_named(value: int | bytes, default: int | bytes) -> None:
    with pytest.raises(BuildError, match=f"no such field, and its value {value!r}") as caught:
        pack_absent("body.flags", value, default)
    assert caught.value.path == "body.flags"

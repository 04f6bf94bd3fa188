"""Checked packing: what the write functions of the generated codec stand on."""

from __future__ import annotations

from contextlib import suppress
from struct import Struct
from struct import error as struct_error
from typing import TYPE_CHECKING, Any

from ..errors import BuildError
from .views import NaN, NumberArray, StringArray, number_format

if TYPE_CHECKING:
    from array import array


def pack(coder: Struct, path: str, *values: Any) -> bytes:
    """`coder.pack`, with a BuildError that names the field when a value does not fit."""
    try:
        return coder.pack(*values)
    except (struct_error, OverflowError, TypeError) as error:
        shown = ", ".join(repr(value)[:40] for value in values)
        raise BuildError(f"{shown} does not fit the field: {error}", path=path) from error


def pack_absent(path: str, value: Any, default: Any) -> bytes:
    """Nothing, for a field that this version lacks.  Raises BuildError where that loses data."""
    if value != default:
        why = f"this version of the format has no such field, and its value {value!r} would be lost"
        raise BuildError(why, path=path)
    return b""


def pack_number(coder: Struct, order: str, width: int, path: str, value: Any) -> bytes:
    """One number; a NaN that was read from a file gets its own bits back."""
    if value.__class__ is NaN and value.width == width:
        return Struct(f"{order}{number_format('u', width)}").pack(value.bits)
    return pack(coder, path, value)


def pack_numbers(order: str, kind: str, width: int, path: str, values: Any) -> bytes | array[int]:
    """Numbers back to back: a view is taken as it is (bytes swapped where needed)."""
    if isinstance(values, NumberArray) and (values.kind, values.width) == (kind, width):
        return values.encoded(order)
    coder = Struct(order + number_format(kind, width))
    return b"".join([pack_number(coder, order, width, path, value) for value in values])


def pack_strings(coder: Struct, path: str, values: Any) -> bytes | bytearray:
    """Length-prefixed strings back to back; a view is taken in one pass.  Raises BuildError."""
    if not isinstance(values, StringArray):
        length = coder.pack
        with suppress(struct_error):
            return b"".join([part for item in values for part in (length(len(item)), item)])
        return b"".join([pack(coder, path, len(item)) + item for item in values])  # says which
    try:
        return values.encoded(coder)
    except struct_error as error:
        raise BuildError(f"a string does not fit the field: {error}", path=path) from error

"""The header of .npy files: what numpy says in front of the bytes of an array.

Strategy: the header is a Python dictionary by the format's definition (NEP 1), with three keys.
Only what plain numbers in C order need is understood, by patterns, so nothing is evaluated.
"""

from __future__ import annotations

import re
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

from .._generated.types import BLOCKS
from ..errors import BuildError

if TYPE_CHECKING:
    from collections.abc import Sequence

MAX_HEADER_NBYTES = 1 << 16
_MAGIC = b"\x93NUMPY"
_MULTIPLE = 64
_LENGTHS = {1: Struct("<H"), 2: Struct("<I"), 3: Struct("<I")}
_KINDS = {"f": "f", "s": "i", "u": "u"}
_ENTRY = r"""\s*'(?:descr'\s*:\s*'(?P<order{0}>[<>|])(?P<kind{0}>[fiub])(?P<width{0}>[1248])'
|fortran_order'\s*:\s*(?P<fortran{0}>True|False)
|shape'\s*:\s*\((?P<shape{0}>[0-9,\s]*)\))\s*"""
_HEADER = re.compile(
    r"\{" + ",".join(_ENTRY.format(at) for at in range(3)) + r",?\s*\}\s*", re.VERBOSE
)


class NpyHeader(NamedTuple):
    """What comes before the elements.

    Attributes:
        order: "<" or ">"; "<" for single bytes.
        kind: "f" float, "s" signed, "u" unsigned.
        width: bytes of an element.
        shape: numpy's order.
        nbytes: length of the header.
    """

    order: str
    kind: str
    width: int
    shape: tuple[int, ...]
    nbytes: int


def npy_header(dtype: str, shape: Sequence[int]) -> bytes:
    """The header of an array of a dtype such as ``<f4``."""
    descr = f"|{dtype[1:]}" if dtype[2:] == "1" else dtype
    dims = "".join(f"{size}, " for size in shape)
    dims = dims if len(shape) == 1 else dims[:-2]
    text = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({dims.rstrip(' ')}), }}"
    used = len(_MAGIC) + 2 + _LENGTHS[1].size + len(text) + 1
    text += " " * (-used % _MULTIPLE) + "\n"
    return _MAGIC + bytes((1, 0)) + _LENGTHS[1].pack(len(text)) + text.encode("ascii")


def read_npy_header(data: bytes) -> NpyHeader:
    """The header at the start of a file, of which `data` are the first bytes.

    Raises:
        BuildError: it is not a .npy file with an array of plain numbers in C order.
    """
    length = _LENGTHS.get(data[6]) if data[:6] == _MAGIC and len(data) >= 12 else None
    if length is None:
        raise BuildError("this is not a .npy file")
    start = len(_MAGIC) + 2 + length.size
    end = start + length.unpack_from(data, len(_MAGIC) + 2)[0]
    # Runs of spaces would make the pattern try each way to share them out.
    text = " ".join(data[start:end].decode("latin-1").split())
    found = _HEADER.fullmatch(text) if end <= len(data) else None
    parts: dict[str, str] = {}
    for name, part in found.groupdict().items() if found is not None else ():
        if part is not None:
            parts[name[:-1]] = part
    if len(parts) != 5:
        raise BuildError("this .npy file does not hold an array of plain numbers")
    order, kind, width = parts["order"], parts["kind"], int(parts["width"])
    try:
        shape = tuple(int(size) for size in parts["shape"].split(",") if size.strip())
    except ValueError as error:
        raise BuildError("the shape in this .npy file is not valid") from error
    if (order == "|") != (width == 1):
        raise BuildError(f"{order}{kind}{width} is not a number type")
    if parts["fortran"] == "True" and sum(size > 1 for size in shape) > 1:
        raise BuildError("the array is in Fortran order", hint="save numpy.ascontiguousarray(it)")
    kind = {"i": "s", "b": "u"}.get(kind, kind)
    return NpyHeader(order.replace("|", "<"), kind, width, shape, end)


def dtype_of(type: int, order: str) -> str | None:
    """numpy's name for the elements of a tensor type; None for blocks and for bfloat16."""
    layout = BLOCKS.get(type)
    if layout is None or layout.num_elements > 1 or len(layout.fields) > 1:
        return None
    kind, width = layout.fields[0].type[:-1], layout.fields[0].width
    return f"{order}{_KINDS[kind]}{width}" if kind in _KINDS and kind != "u" else None


def type_of(header: NpyHeader) -> int | None:
    """The tensor type of an array's elements, or None."""
    wanted = f"<{_KINDS[header.kind]}{header.width}"
    return next((type for type in BLOCKS if dtype_of(type, "<") == wanted), None)

"""The header of .npy files: what numpy says in front of the bytes of an array."""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from .._generated.types import BLOCKS
from ..errors import BuildError

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["MAX_HEADER_NBYTES", "NpyHeader", "dtype_of", "npy_header", "read_npy_header", "type_of"]

MAX_HEADER_NBYTES = 1 << 16
_KINDS = {"f": "f", "s": "i", "u": "u"}


class NpyHeader(NamedTuple):
    """What stands before the elements.

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
    import numpy as np

    out = BytesIO()
    header = {"descr": np.dtype(dtype).str, "fortran_order": False, "shape": tuple(shape)}
    np.lib.format.write_array_header_1_0(out, header)
    return out.getvalue()


def read_npy_header(data: bytes) -> NpyHeader:
    """The header at the start of a file, of which `data` are the first bytes.

    Raises:
        BuildError: it is no .npy file, or no array of plain numbers in C order.
    """
    import numpy as np

    stream = BytesIO(data)
    try:
        version = np.lib.format.read_magic(stream)
        read = {
            (1, 0): np.lib.format.read_array_header_1_0,
            (2, 0): np.lib.format.read_array_header_2_0,
        }[version]
        shape, is_fortran, dtype = read(stream)
    except (ValueError, KeyError, SyntaxError, RecursionError, MemoryError) as error:
        raise BuildError(f"this is no .npy file: {error}") from error
    if dtype.kind not in "fiub" or dtype.names is not None or dtype.subdtype is not None:
        raise BuildError(f"an array of {dtype} cannot be used, only numbers")
    if is_fortran and sum(size > 1 for size in shape) > 1:
        raise BuildError("the array is in Fortran order", hint="save numpy.ascontiguousarray(it)")
    order = ">" if dtype.str[0] == ">" else "<"
    kind = {"i": "s", "b": "u"}.get(dtype.kind, dtype.kind)
    return NpyHeader(order, kind, dtype.itemsize, tuple(map(int, shape)), stream.tell())


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

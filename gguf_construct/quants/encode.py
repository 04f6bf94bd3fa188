"""Numbers to tensor bytes: numpy arrays as they are, or quantised by a library.

Strategy: plain types and half floats are a matter of numpy dtypes.  Block types need searches for
scales that make or break a model, so ggml's own code does them, by the package libgguf; what
gguf-py computes identically in numpy is left to it where libgguf is not installed.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from .._generated.types import BLOCKS, BlockLayout, GGMLType
from ..errors import BuildError
from .dtypes import as_bytes, block_dtype, field_dtype, layout_of
from .plain import is_plain, plain_dtype

_BFLOAT16 = "bfloat16"  # the name of ml_dtypes' type, which numpy itself does not have

# What gguf-py quantises with the very bytes of ggml's reference code.
_GGUF_PY = frozenset({GGMLType.Q8_0})


@cache
def _types() -> dict[np.dtype[Any], GGMLType]:
    """Numpy types that are tensor types themselves, in the host's byte order."""
    found = {
        plain_dtype(layout): GGMLType(number)
        for number, layout in BLOCKS.items()
        if is_plain(layout)
    }
    found[np.dtype(np.float16)] = GGMLType.F16
    return found


def type_of(array: npt.NDArray[Any]) -> GGMLType:
    """The tensor type that holds an array as it is.

    Raises:
        BuildError: there is none for its dtype.
    """
    if array.dtype.name == _BFLOAT16:
        return GGMLType.BF16
    found = _types().get(array.dtype.newbyteorder("="))
    if found is None and array.dtype.names:
        found = next((one for one in map(GGMLType, BLOCKS) if _is_blocks(array, one)), None)
    if found is not None:
        return found
    known = ", ".join(dtype.name for dtype in _types())
    raise BuildError(
        f"no tensor type holds {array.dtype} as it is",
        hint=f"convert it with astype to one of {known}, or name a tensor type",
    )


def _is_blocks(array: npt.NDArray[Any], type: GGMLType | int) -> bool:
    return array.dtype.names is not None and any(
        array.dtype == block_dtype(type, order) for order in ("little", "big")
    )


def num_per_row(array: npt.NDArray[Any], type: GGMLType | int) -> tuple[int, ...]:
    """The shape in elements of an array of numbers or of blocks of `type`."""
    if not _is_blocks(array, type):
        return array.shape
    return (*array.shape[:-1], array.shape[-1] * layout_of(type).num_elements)


def encode(
    array: npt.NDArray[Any],
    type: GGMLType | int,
    *,
    byte_order: str = "little",
    imatrix: npt.NDArray[Any] | None = None,
) -> npt.NDArray[np.uint8]:
    """The bytes of a tensor, as a view of the array where it has them already.

    Args:
        array: numbers in numpy's order of dimensions, or blocks as `typed_array` gives them.
        type: the tensor type to store.
        byte_order: of the result, "little" or "big".
        imatrix: the importance of each column (float32, as many as the last dimension), for
            types that are quantised by it.

    Raises:
        BuildError: rows are not whole blocks, a dtype does not fit, or the package that
            quantises to this type is not installed.
    """
    layout = layout_of(type)
    if _is_blocks(array, type):
        return as_bytes(array.astype(block_dtype(type, byte_order), copy=False))
    if array.dtype.hasobject or (array.dtype.kind in "cSUVMm" and array.dtype.name != _BFLOAT16):
        raise BuildError(f"an array of {array.dtype} holds no numbers for a tensor")
    if layout.num_elements == 1:
        return as_bytes(_plain(array, layout, byte_order))
    if not array.ndim or array.shape[-1] % layout.num_elements:
        row = array.shape[-1] if array.ndim else 1
        raise BuildError(
            f"rows of {row} elements are not whole {layout.name} blocks of {layout.num_elements}",
            hint="store it as F16 or F32",
        )
    values = np.ascontiguousarray(array, dtype=np.float32)
    data = as_bytes(_quantised(values, layout, imatrix))
    if data.size != values.size // layout.num_elements * layout.nbytes:
        raise BuildError(f"the quantiser gave {data.size} bytes of {layout.name}: wrong number")
    if byte_order == sys.byteorder:  # the libraries write as the host does
        return data
    blocks = data.view(block_dtype(type, sys.byteorder))
    return as_bytes(blocks.astype(block_dtype(type, byte_order)))


def _plain(array: npt.NDArray[Any], layout: BlockLayout, byte_order: str) -> npt.NDArray[Any]:
    """Numbers in the dtype of a type of one element per block."""
    wanted = field_dtype(layout.fields[0], byte_order)
    if layout.type == GGMLType.BF16:
        return _bfloat16_bits(array).astype(wanted, copy=False)
    if wanted.kind == "i" and not np.can_cast(array.dtype, wanted, "same_kind"):
        raise BuildError(
            f"{array.dtype} does not become {layout.name} by itself",
            hint="round and convert it with astype first",
        )
    with np.errstate(over="ignore"):
        stored = array.astype(wanted, copy=False)
    if wanted.kind == "i" and array.dtype.kind in "iu" and not np.array_equal(stored, array):
        raise BuildError(f"some numbers are too large for {layout.name}")
    return stored


def _bfloat16_bits(array: npt.NDArray[Any]) -> npt.NDArray[np.uint16]:
    """Rounded to the nearest, ties to even; NaNs stay NaNs.  (`ggml_compute_fp32_to_bf16`)"""
    if array.dtype.name == _BFLOAT16:
        return array.view(np.uint16)
    bits = np.ascontiguousarray(array, dtype=np.float32).view(np.uint32)
    rounded = (bits + (0x7FFF + ((bits >> 16) & 1))) >> 16
    quiet = (bits >> 16) | 64
    is_nan = (bits & 0x7FFFFFFF) > 0x7F800000
    return np.where(is_nan, quiet, rounded).astype(np.uint16)


def _quantised(
    values: npt.NDArray[np.float32], layout: BlockLayout, imatrix: npt.NDArray[Any] | None
) -> npt.NDArray[Any]:
    try:
        import libgguf
    except ImportError:
        if imatrix is None and layout.type in _GGUF_PY:
            return _by_gguf_py(values, layout)
        raise BuildError(
            f"quantising to {layout.name} needs the package libgguf, which is not installed",
            hint="pip install 'gguf-construct[quantize]'",
        ) from None
    return _by_libgguf(libgguf, values, layout, imatrix)


def _by_libgguf(
    library: Any,
    values: npt.NDArray[np.float32],
    layout: BlockLayout,
    imatrix: npt.NDArray[Any] | None,
) -> npt.NDArray[Any]:
    if imatrix is None and library.quantize_requires_imatrix(layout.type):
        raise BuildError(
            f"{layout.name} is quantised by an importance matrix only",
            hint="pass imatrix, an array with a number for each column",
        )
    columns = values.shape[-1]
    rows = values.size // columns if columns else 0
    weights = None
    if imatrix is not None:
        weights = np.ascontiguousarray(imatrix, dtype=np.float32)
        if weights.shape != (columns,):
            raise BuildError(f"an importance matrix of {columns} numbers is needed")
    try:
        return np.frombuffer(
            library.quantize_rows_raw(layout.type, values, rows, columns, weights), np.uint8
        )
    except ValueError as error:
        raise BuildError(f"libgguf does not quantise to {layout.name}: {error}") from error


def _by_gguf_py(values: npt.NDArray[np.float32], layout: BlockLayout) -> npt.NDArray[Any]:
    from gguf.constants import GGMLQuantizationType
    from gguf.quants import quantize

    found: npt.NDArray[Any] = quantize(values, GGMLQuantizationType(layout.type))
    return found

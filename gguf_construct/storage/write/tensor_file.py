"""Export one tensor as an array file that others read: .npy or .safetensors.

Strategy: raw data is a write plan (a header, then the tensor's bytes, swapped where the format
wants little-endian), decoded data a stream of pieces.  Both formats are a short header before
plain bytes; the safetensors package would need the whole array in memory, and has no bfloat16
for numpy.
"""

from __future__ import annotations

import json
import os
from io import BytesIO
from typing import TYPE_CHECKING, NamedTuple

from ...comparison.tensor_values import tensor_values
from ...core.chunks import Chunk, Copy, Literal, Swap, WritePlan
from ...errors import BuildError
from .new_file import write_plan
from .stream import write_pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ...core.tensors import TensorInfo
    from ..source.source import Source
    from .new_file import WriteResult

FORMATS = (".npy", ".safetensors")
"""File name endings that say the format."""

# Field type of the schema: numpy's name (its bits where numpy has no such type), safetensors'.
_PLAIN = {
    "f4": ("f4", "F32"),
    "f2": ("f2", "F16"),
    "bf2": ("u2", "BF16"),
    "f8": ("f8", "F64"),
    "s1": ("i1", "I8"),
    "s2": ("i2", "I16"),
    "s4": ("i4", "I32"),
    "s8": ("i8", "I64"),
}
_SAFETENSORS_ALIGNMENT = 8


class _Array(NamedTuple):
    """An array to be written: types without byte order, shape in numpy's order."""

    name: str
    numpy_type: str
    safetensors_type: str
    shape: tuple[int, ...]
    nbytes: int
    about: dict[str, str]


def export_tensor(
    tensor: TensorInfo,
    source: Source,
    path: str | os.PathLike[str],
    *,
    dequantize: bool = False,
    overwrite: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> WriteResult:
    """Write a tensor to a .npy or .safetensors file, in bounded memory.

    Raw, a quantised tensor is an array of bytes, a row of blocks for each row; others keep their
    element type (bfloat16 as its bits in .npy).  Dequantized, it is float32 in the tensor's shape.

    Args:
        tensor: a tensor of the file.
        source: the file.
        path: where to; its ending says the format.

    Raises:
        BuildError: no such format; the layout of the type is not known.
        TruncatedError: the tensor is not all in its file.
        WriteError: nothing was written.
    """
    ending = os.path.splitext(path)[1].lower()
    if ending not in FORMATS:
        known = " or ".join(FORMATS)
        raise BuildError(f"{os.fspath(path)}: no such format", hint=f"names end in {known}")
    values = tensor_values(tensor)
    if dequantize:
        array = _decoded_array(tensor)
        order = "<"
    else:
        array = _raw_array(tensor)
        order = _raw_order(tensor, array, ending)
    header = _npy_header(array, order) if ending == ".npy" else _safetensors_header(array)
    if not dequantize:
        plan = WritePlan((Literal(header), _raw_chunk(tensor, order)))
        result = write_plan(plan, [source], path, overwrite=overwrite, progress=progress)
        return result._replace(notes=(*result.notes, *_raw_notes(array, ending)))

    def pieces() -> Iterator[bytes | memoryview]:
        yield header
        for piece in values.pieces():
            little = piece.astype(piece.dtype.newbyteorder("<"), copy=False)
            yield memoryview(little).cast("B") if little.size else b""

    total = len(header) + array.nbytes
    return write_pieces(pieces(), total, path, overwrite=overwrite, progress=progress)


def _decoded_array(tensor: TensorInfo) -> _Array:
    from ...quants.plain import plain_dtype

    dtype = plain_dtype(tensor.require_layout())
    name = f"{dtype.kind}{dtype.itemsize}"
    field = name.replace("i", "s")
    nbytes = tensor.num_elements * dtype.itemsize
    about = {"ggml_type": tensor.type_name}
    return _Array(tensor.name, name, _PLAIN[field][1], tensor.shape, nbytes, about)


def _raw_array(tensor: TensorInfo) -> _Array:
    layout = tensor.require_layout()
    about = {"ggml_type": layout.name}
    if layout.num_elements == 1:
        numpy_type, safetensors_type = _PLAIN[layout.fields[0].type]
        shape = tensor.shape
    else:
        numpy_type, safetensors_type = "u1", "U8"
        row = tensor.shape[-1] // layout.num_elements * layout.nbytes
        shape = (*tensor.shape[:-1], row)
        about |= {"shape": str(list(tensor.shape)), "byte_order": tensor.byte_order}
    return _Array(tensor.name, numpy_type, safetensors_type, shape, tensor.size, about)


def _raw_order(tensor: TensorInfo, array: _Array, ending: str) -> str:
    """The byte order that raw elements are written in; blocks always stay as they are."""
    keeps = ending == ".npy" or array.numpy_type == "u1"
    return ">" if keeps and tensor.byte_order == "big" else "<"


def _raw_chunk(tensor: TensorInfo, order: str) -> Chunk:
    if (order == ">") == (tensor.byte_order == "big"):
        return Copy(tensor.data_offset, tensor.size)
    return Swap(tensor.data_offset, tensor.size, tensor.require_layout().swap)


def _raw_notes(array: _Array, ending: str) -> tuple[str, ...]:
    if ending == ".npy" and array.safetensors_type == "BF16":
        return ("numpy has no bfloat16: these are its bits as uint16; see --dequantize",)
    if array.safetensors_type == "U8":
        kind = array.about["ggml_type"]
        return (f"these are the bytes of {kind} blocks, not values; see --dequantize",)
    return ()


def _npy_header(array: _Array, order: str) -> bytes:
    import numpy as np

    out = BytesIO()
    sign = "|" if array.numpy_type.endswith("1") else order
    about = {"descr": sign + array.numpy_type, "fortran_order": False, "shape": array.shape}
    np.lib.format.write_array_header_1_0(out, about)
    return out.getvalue()


def _safetensors_header(array: _Array) -> bytes:
    """Length, JSON, spaces.  Source: the format's description in the safetensors README."""
    entry = {
        "dtype": array.safetensors_type,
        "shape": list(array.shape),
        "data_offsets": [0, array.nbytes],
    }
    text = json.dumps({"__metadata__": array.about, array.name: entry}).encode()
    text += b" " * (-len(text) % _SAFETENSORS_ALIGNMENT)
    return len(text).to_bytes(8, "little") + text

"""New tensors: from arrays, from datasets that are read late, from other models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._generated.types import GGMLType
from .._generated.types import TensorInfo as TensorRecord
from ..errors import BuildError
from .late_bytes import LateBytes
from .sizes import tensor_nbytes
from .tensors import TensorInfo
from .values import bytes_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


def tensor_type(type: GGMLType | int | str) -> int:
    """The id of a tensor type that is given as member, number or name (``Q4_K``).

    Raises:
        BuildError: there is no such type.
    """
    if not isinstance(type, str):
        return int(type)
    try:
        return GGMLType[type.upper()]
    except KeyError:
        names = ", ".join(GGMLType.__members__)
        raise BuildError(f"there is no tensor type {type!r}", hint=f"use one of {names}") from None


def make_tensor(
    name: str,
    value: Any,
    type: GGMLType | int | str | None,
    byte_order: str,
    imatrix: npt.NDArray[Any] | None = None,
) -> TensorInfo:
    """An entry for `Tensors`; see `Tensors.set`.  Raises BuildError."""
    raw_name = bytes_of(name, "tensor name")
    wanted = None if type is None else tensor_type(type)
    if isinstance(value, TensorInfo) and wanted in (None, value.type):
        return value.moved(value.record._replace(name=raw_name, offsets=()), -1)
    try:
        return _from_array(raw_name, value, wanted, byte_order, imatrix)
    except BuildError as error:
        if error.path is None:
            error.path = name
        raise


def _from_array(
    name: bytes,
    value: Any,
    wanted: int | None,
    byte_order: str,
    imatrix: npt.NDArray[Any] | None,
) -> TensorInfo:
    import numpy as np

    from ..quants import encode, type_of
    from ..quants.encode import num_per_row

    if np.ma.is_masked(value):
        raise BuildError("a masked array has elements without a value", hint="fill it first")
    is_late = not isinstance(value, np.ndarray) and all(
        hasattr(value, name) for name in ("shape", "dtype", "__array__")
    )
    # Of a late array only shape and dtype are looked at now.
    array = np.empty(0, value.dtype) if is_late else np.asarray(value)
    if isinstance(value, TensorInfo):
        array, is_late = np.empty(0, np.float32), True
    number = type_of(array) if wanted is None else wanted
    shape = tuple(value.shape) if is_late else num_per_row(array, number)
    dims = tuple(map(int, shape))[::-1]
    nbytes = tensor_nbytes(dims, number)
    if is_late and nbytes is None:
        encode(np.empty((1, *shape[-1:]), np.float32), number)  # says why
    if not is_late or nbytes is None:
        data = encode(array, number, byte_order=byte_order, imatrix=imatrix)
        return _entry(name, dims, number, byte_order, data.data.cast("B"))

    def make() -> npt.NDArray[np.uint8]:
        return encode(np.asarray(value), number, byte_order=byte_order, imatrix=imatrix)

    return _entry(name, dims, number, byte_order, LateBytes(nbytes, make))


def _entry(
    name: bytes, dims: tuple[int, ...], number: int, byte_order: str, data: Any
) -> TensorInfo:
    record = TensorRecord(name=name, num_dims=len(dims), dims=dims, ggml_type=number, ofs_data=0)
    return TensorInfo(record, -1, data, byte_order, 0, len(data), origin=data)

"""Tensors: the entries of the tensor table, with views of their data."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any

from .._generated.types import BLOCKS, BYTE_ORDERS, REMOVED_TYPES, GGMLType
from ..errors import BuildError, TruncatedError
from .chunks import Copy, Swap
from .closed import closed
from .late_bytes import LateBytes
from .sizes import tensor_nbytes
from .values import text_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .._generated import types
    from ..runtime.views import Buffer


def type_name(type: int) -> str:
    """The ggml name of a tensor type id; ``type 99`` for one that nobody knows."""
    try:
        return GGMLType(type).name
    except ValueError:
        return f"type {type}"


class DataBytes:
    """The bytes of a tensor, read as they are sliced: `data[start:end]`."""

    def __init__(self, buffer: Buffer | memoryview | LateBytes, start: int, nbytes: int) -> None:
        self._buffer = buffer
        self._start = start
        self._nbytes = nbytes

    def __len__(self) -> int:
        return self._nbytes

    def __getitem__(self, part: slice) -> bytes:
        start, end, _ = part.indices(self._nbytes)
        return bytes(self._buffer[self._start + start : self._start + max(start, end)])


class TensorInfo:
    """A tensor of a file.

    Attributes:
        record: the entry as the codec reads it.
        index: its place in the tensor table, from 0.
        data_offset: absolute offset of its first byte.
        extent: bytes up to the next tensor or the end of the file, padding included.
        origin: what its bytes are read from when it is written to a file: an open source, or
            bytes in memory; None for a document without a file.
    """

    __slots__ = ("_buffer", "byte_order", "data_offset", "extent", "index", "origin", "record")

    def __init__(
        self,
        record: types.TensorInfo,
        index: int,
        buffer: Buffer | memoryview | LateBytes,
        byte_order: str,
        data_offset: int,
        extent: int,
        origin: object = None,
    ) -> None:
        self.record = record
        self.origin = origin
        self.index = index
        self.byte_order = byte_order
        self.data_offset = data_offset
        self.extent = extent
        self._buffer = buffer

    @property
    def name(self) -> str:
        """The name; bytes that are not UTF-8 appear as lone surrogates."""
        return text_of(self.record.name)

    @property
    def dims(self) -> tuple[int, ...]:
        """Dimensions in file order: the fastest varying one first (ggml's `ne`)."""
        return self.record.dims

    @property
    def shape(self) -> tuple[int, ...]:
        """Dimensions in numpy's order: the fastest varying one last."""
        return self.record.dims[::-1]

    @property
    def num_elements(self) -> int:
        """Number of elements; a tensor without dimensions is a scalar and has one."""
        return prod(self.record.dims)

    @property
    def type(self) -> int:
        """The ggml type id; compare it with members of GGMLType."""
        return self.record.ggml_type

    @property
    def type_name(self) -> str:
        """The ggml type's name, such as ``Q4_K``."""
        return type_name(self.record.ggml_type)

    @property
    def offset(self) -> int:
        """Offset of the data, counted from the start of the data section."""
        return self.record.ofs_data

    @property
    def nbytes(self) -> int | None:
        """Bytes of data without padding; None where the type's layout is not known."""
        return tensor_nbytes(self.record.dims, self.record.ggml_type)

    @property
    def size(self) -> int:
        """Bytes of data; where the layout is not known, what the offsets leave for it.

        Raises:
            TruncatedError: the data reaches past the end of the file.
        """
        nbytes = self.nbytes
        if nbytes is None:
            nbytes = self.extent
        try:
            there = len(self._buffer)
        except ValueError:  # of a map
            raise closed() from None
        left = max(there - self.data_offset, 0)
        if nbytes > left or self.data_offset > there:
            raise TruncatedError(
                f"{nbytes} bytes of data from 0x{self.data_offset:x}, but the file ends "
                f"after {left} of them",
                offset=self._place("ofs_data"),
                path=f"tensor_infos[{self.index}] {self.name!r}",
                hint="the file was cut short or the offset is wrong; compare its size",
                needed=nbytes,
                available=left,
            )
        return nbytes

    @property
    def raw(self) -> bytes:
        """A copy of the data's bytes.

        Raises:
            TruncatedError: the data reached past the end of the file when it was opened.
            SourceChangedError: the file was cut since.
        """
        return self.pieces[:]

    @property
    def pieces(self) -> DataBytes:
        """The data, to be read slice by slice, each with the errors of `raw`."""
        return DataBytes(self._buffer, self.data_offset, self.size)

    @property
    def data(self) -> npt.NDArray[np.uint8]:
        """The data as a read-only numpy view of bytes (uint8).

        A view of the mapped file: it costs nothing, but if somebody cuts the file while it is in
        use, touching it ends the process (SIGBUS).  `raw` and `dequantize` read instead.

        Raises:
            TruncatedError: the data reaches past the end of the file.
        """
        import numpy as np

        nbytes = self.size
        if nbytes == 0:
            return np.empty(0, np.uint8)
        if isinstance(self._buffer, LateBytes):
            return np.frombuffer(self._buffer[:nbytes], np.uint8)
        return np.frombuffer(self._buffer, np.uint8, count=nbytes, offset=self.data_offset)

    def numpy(self) -> npt.NDArray[Any]:
        """The data as a read-only array in `shape`, neither decoded nor copied.

        Numbers have numpy's type for them in the byte order of the file (float16 for F16, the bits
        as uint16 for BF16).  Blocks are a structured array with the fields of ggml.ksy, whose last
        dimension counts blocks.

        Raises:
            BuildError: the layout of the type is not known, or numpy cannot hold the shape.
            TruncatedError: the data is not all in the file.
        """
        from ..quants import typed_array

        self.require_layout()
        try:
            return typed_array(self.data, self.type, self.shape, self.byte_order)
        except ValueError as error:
            raise self._unshapely() from error

    def dequantize(
        self, *, out: npt.NDArray[Any] | None = None, threads: int = 1
    ) -> npt.NDArray[Any]:
        """The elements as a numpy array in `shape`.

        float32; but F64 as float64 and I8 to I64 as integers, because float32 cannot hold them.
        For tensors larger than memory take rows (`tensor[10:20]`), or see
        `gguf_construct.quants.iter_dequantize`.

        Args:
            out: a contiguous array of that type and size to decode into.
            threads: how many of them decode.

        Raises:
            BuildError: the layout of the type is not known, its codebook is not installed, `out`
                does not fit, or numpy cannot hold the shape.
            TruncatedError: the data is not all in the file.
            SourceChangedError: the file was cut since it was opened.
        """
        from ..quants import dequantize

        self.require_layout()
        flat = dequantize(self.raw, self.type, byte_order=self.byte_order, out=out, threads=threads)
        return self._shaped(flat)

    def _shaped(self, flat: npt.NDArray[Any]) -> npt.NDArray[Any]:
        try:
            return flat.reshape(self.shape)
        except ValueError as error:
            raise self._unshapely() from error

    def _unshapely(self) -> BuildError:
        return BuildError(
            f"numpy cannot hold an array of shape {list(self.shape)}",
            offset=self._place("dims"),
            path=f"tensor_infos[{self.index}] {self.name!r}",
        )

    @property
    def ndim(self) -> int:
        """Number of dimensions."""
        return len(self.record.dims)

    def __len__(self) -> int:
        if not self.record.dims:
            raise TypeError("a tensor without dimensions has no length")
        return self.record.dims[-1]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> npt.NDArray[Any]:
        """The decoded elements: what `numpy.asarray(tensor)` gives.

        Raises:
            ValueError: `copy` is False, and the elements have to be decoded or converted.
        """
        import numpy as np

        values = self.dequantize()
        given = values if dtype is None else values.astype(dtype, copy=False)
        is_view = np.shares_memory(given, self.data) if given.size else True
        if copy is False and not is_view:
            raise ValueError(
                f"{self.name!r} is {self.type_name}: it cannot be decoded without a copy"
            )
        return given.copy() if copy and is_view else given

    def __getitem__(self, key: Any) -> Any:
        """Elements by numpy's rules; only the rows that are asked for are decoded.

        Raises:
            IndexError: as numpy does.
            BuildError, TruncatedError: as for `dequantize`.
        """
        import numpy as np

        first, *rest = key if isinstance(key, tuple) else (key,)
        is_rows = isinstance(first, (int, np.integer, slice)) and not isinstance(first, bool)
        if self.ndim < 2 or not is_rows or not self.num_elements:
            return self.dequantize()[key]
        from ..quants import dequantize

        self.require_layout()
        rows = self._rows(first)
        values = dequantize(rows, self.type, byte_order=self.byte_order)
        shape = (*rows.shape[:-1], *self.shape[1:])
        found = values.reshape(shape)
        if not rest:
            return found
        return found[tuple(rest) if rows.ndim == 1 else (slice(None), *rest)]

    def _rows(self, key: Any) -> npt.NDArray[np.uint8]:
        """The bytes of one row, or those of each row of a slice; nothing else is read."""
        import numpy as np

        nbytes = self.size // len(self)
        chosen = range(len(self))[key]
        if isinstance(chosen, int):
            return np.frombuffer(self.pieces[chosen * nbytes : (chosen + 1) * nbytes], np.uint8)
        if not chosen:
            return np.empty((0, nbytes), np.uint8)
        begin, end = min(chosen[0], chosen[-1]), max(chosen[0], chosen[-1]) + 1
        data = np.frombuffer(self.pieces[begin * nbytes : end * nbytes], np.uint8)
        return data.reshape(-1, nbytes)[:: chosen.step]

    def _place(self, field: str) -> int | None:
        """Where a field of the entry is in the file; None for one that is in no file yet."""
        return self.record.at(field) if self.record.offsets else None

    def chunk(self, order: str, source: int = 0) -> Copy | Swap:
        """Its bytes in a byte order ("<" or ">"), as part of a plan; `source` holds them.

        Raises:
            BuildError: they have to be swapped, and the layout of the type is not known.
            TruncatedError: they are not all in the file.
        """
        if BYTE_ORDERS[self.byte_order] != order:
            layout = self.require_layout().swap
            if any(width != 1 for width, _ in layout):
                return Swap(self.data_offset, self.size, layout, source)
        return Copy(self.data_offset, self.size, source)

    def moved(self, record: types.TensorInfo, index: int) -> TensorInfo:
        """The same data as another entry of a table."""
        return TensorInfo(
            record,
            index,
            self._buffer,
            self.byte_order,
            self.data_offset,
            self.extent,
            self.origin,
        )

    def is_in(self, buffer: Buffer) -> bool:
        """Whether its bytes lie in this very buffer."""
        return self._buffer is buffer

    def require_layout(self) -> types.BlockLayout:
        """The block layout of the tensor's type.

        Raises:
            BuildError: the type is removed or unknown, or rows are not a whole number of blocks.
        """
        path = f"tensor_infos[{self.index}] {self.name!r}"
        layout = BLOCKS.get(self.type)
        if layout is None:
            gone = REMOVED_TYPES.get(self.type)
            why = f": {gone}" if gone else ", which no known version of ggml defines"
            name = f"{self.type_name} ({self.type})" if gone else str(self.type)
            raise BuildError(
                f"tensor type {name}{why}",
                offset=self._place("ggml_type"),
                path=path,
                hint="convert the model again with a current tool",
            )
        if self.nbytes is None:
            raise BuildError(
                f"rows of {self.dims[0] if self.dims else 1} elements are not a whole number of "
                f"{layout.name} blocks of {layout.num_elements}",
                offset=self._place("dims"),
                path=path,
            )
        return layout

    def __repr__(self) -> str:
        return f"<TensorInfo {self.name!r} {self.type_name} {list(self.dims)}>"

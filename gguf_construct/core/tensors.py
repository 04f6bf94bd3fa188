"""Tensors: the entries of the tensor table, with views of their data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import prod
from typing import TYPE_CHECKING, Any, TypeVar, overload

from .._generated.types import BLOCKS, REMOVED_TYPES, GGMLType
from ..errors import BuildError, KeyNotFoundError, TruncatedError
from .sizes import tensor_nbytes
from .values import text_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from .._generated import types
    from ..runtime.views import Buffer

__all__ = ["TensorInfo", "Tensors", "type_name"]

_MAX_OVERLAP = 4

_T = TypeVar("_T")


def type_name(type: int) -> str:
    """The ggml name of a tensor type id; ``type 99`` for one that nobody knows."""
    try:
        return GGMLType(type).name
    except ValueError:
        return f"type {type}"


class TensorInfo:
    """A tensor of a file.

    Attributes:
        record: the entry as the codec reads it.
        index: its place in the tensor table, from 0.
        data_offset: absolute offset of its first byte.
        extent: bytes up to the next tensor or the end of the file, padding included.
    """

    __slots__ = ("_buffer", "byte_order", "data_offset", "extent", "index", "record")

    def __init__(
        self,
        record: types.TensorInfo,
        index: int,
        buffer: Buffer,
        byte_order: str,
        data_offset: int,
        extent: int,
    ) -> None:
        self.record = record
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
        left = max(len(self._buffer) - self.data_offset, 0)
        if nbytes > left or self.data_offset > len(self._buffer):
            raise TruncatedError(
                f"{nbytes} bytes of data from 0x{self.data_offset:x}, but the file ends "
                f"after {left} of them",
                offset=self.record.at("ofs_data"),
                path=f"tensor_infos[{self.index}] {self.name!r}",
                hint="the file was cut short or the offset is wrong; compare its size",
                needed=nbytes,
                available=left,
            )
        return nbytes

    @property
    def raw(self) -> bytes:
        """A copy of the data's bytes.  Raises TruncatedError."""
        nbytes = self.size
        return bytes(self._buffer[self.data_offset : self.data_offset + nbytes])

    @property
    def data(self) -> npt.NDArray[np.uint8]:
        """The data as a read-only numpy view of bytes (uint8).  Raises TruncatedError."""
        import numpy as np

        nbytes = self.size
        if nbytes == 0:
            return np.empty(0, np.uint8)
        return np.frombuffer(self._buffer, np.uint8, count=nbytes, offset=self.data_offset)

    def dequantize(self) -> npt.NDArray[Any]:
        """The elements as a numpy array in `shape`.

        float32; but F64 as float64 and I8 to I64 as integers, because float32 cannot hold them.
        For tensors larger than memory see `gguf_construct.quants.iter_dequantize`.

        Raises:
            BuildError: the layout of the type is not known, its codebook is not installed, or
                numpy cannot hold the shape.
            TruncatedError: the data is not all in the file.
        """
        from ..quants import dequantize

        self.require_layout()
        flat = dequantize(self.data, self.type, byte_order=self.byte_order)
        try:
            return flat.reshape(self.shape)
        except ValueError as error:
            raise BuildError(
                f"numpy cannot hold an array of shape {list(self.shape)}",
                offset=self.record.at("dims"),
                path=f"tensor_infos[{self.index}] {self.name!r}",
            ) from error

    def require_layout(self) -> types.BlockLayout:
        """The block layout of the tensor's type.

        Raises:
            BuildError: the type is removed or unknown, or rows are no whole number of blocks.
        """
        path = f"tensor_infos[{self.index}] {self.name!r}"
        layout = BLOCKS.get(self.type)
        if layout is None:
            gone = REMOVED_TYPES.get(self.type)
            why = f": {gone}" if gone else ", which no known version of ggml defines"
            name = f"{self.type_name} ({self.type})" if gone else str(self.type)
            raise BuildError(
                f"tensor type {name}{why}",
                offset=self.record.at("ggml_type"),
                path=path,
                hint="convert the model again with a current tool",
            )
        if self.nbytes is None:
            raise BuildError(
                f"rows of {self.dims[0] if self.dims else 1} elements are no whole number of "
                f"{layout.name} blocks of {layout.num_elements}",
                offset=self.record.at("dims"),
                path=path,
            )
        return layout

    def __repr__(self) -> str:
        return f"<TensorInfo {self.name!r} {self.type_name} {list(self.dims)}>"


class Tensors(Mapping[str, TensorInfo]):
    """The tensors of a document by name, in file order.

    A name that occurs twice gives the first tensor; `all` lists every entry.
    """

    def __init__(self, entries: list[TensorInfo]) -> None:
        self.all = tuple(entries)
        self._by_name: dict[str, TensorInfo] | None = None

    def require_bounded(self, file_size: int) -> None:
        """Refuse tensors that overlap so much that reading all of them means endless work.

        A small hostile file could ask for gigabytes of work that way.  Two names for the same
        bytes are fine.

        Raises:
            BuildError: the tensors have more than four times the bytes of the file.
            TruncatedError: a tensor reaches past the end of the file.
        """
        total = sum(entry.size for entry in self.all)
        if total > _MAX_OVERLAP * file_size:
            raise BuildError(
                f"the tensors claim {total} bytes of a file of {file_size}: they overlap",
                path="tensor_infos",
                hint="the file is damaged or hostile; validate it",
            )

    def _names(self) -> dict[str, TensorInfo]:
        if self._by_name is None:
            # Complete before it can be seen: threads may read the same document.
            by_name: dict[str, TensorInfo] = {}
            for entry in self.all:
                by_name.setdefault(entry.name, entry)
            self._by_name = by_name
        return self._by_name

    def __getitem__(self, name: str) -> TensorInfo:
        try:
            return self._names()[name]
        except KeyError:
            pass
        from .registry import close_matches

        matches = tuple(close_matches(name, list(self._names())))
        hint = f"did you mean {' or '.join(matches)}?" if matches else None
        raise KeyNotFoundError(f"no tensor {name!r}", hint=hint, key=name, matches=matches)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    @overload
    def get(self, name: str) -> TensorInfo | None: ...
    @overload
    def get(self, name: str, default: TensorInfo | _T) -> TensorInfo | _T: ...
    def get(self, name: str, default: Any = None) -> Any:
        """The tensor of that name, or `default` where it is absent."""
        return self._names().get(name, default)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._names()

    def __len__(self) -> int:
        return len(self._names())

    def __repr__(self) -> str:
        return f"<Tensors of {len(self.all)} entries>"

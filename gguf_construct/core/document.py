"""Document: a parsed file that remembers where each part lies in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._generated.types import LIMITS, ORDER_NAMES
from .closed import closed
from .field import Field
from .metadata import Metadata
from .tensor_list import Tensors
from .tensors import TensorInfo

if TYPE_CHECKING:
    from .._generated.types import Body, Limits
    from ..runtime.views import Buffer


class Document:
    """A GGUF file.

    Attributes:
        buffer: the file's bytes (bytes or a read-only mmap).
        order: byte order as struct writes it, "<" or ">".
        body: the header as it was read.
        limits: the safety limits under which it was read.
    """

    def __init__(
        self, buffer: Buffer, order: str, body: Body, limits: Limits | None = None
    ) -> None:
        self.buffer = buffer
        self.limits = LIMITS if limits is None else limits
        self.order = order
        self.body = body
        fields = [Field(record, buffer) for record in body.metadata]
        self._metadata = Metadata(fields, order, body.version)
        self._tensors: Tensors | None = None

    @property
    def metadata(self) -> Metadata:
        """The metadata pairs; editable."""
        return self._metadata

    @property
    def version(self) -> int:
        """Version of the format: 1, 2 or 3."""
        return self.body.version

    @property
    def byte_order(self) -> str:
        """``little`` or ``big``."""
        return ORDER_NAMES[self.order]

    @property
    def alignment(self) -> int:
        """Alignment of the data section in the file, in bytes."""
        return self.body.alignment

    @property
    def metadata_start(self) -> int:
        """Offset of the first metadata pair: the fixed part of the header ends there."""
        return self.body.at("metadata")

    @property
    def table_start(self) -> int:
        """Offset of the first tensor info; without tensors, of what follows the metadata."""
        return self.body.at("tensor_infos")

    @property
    def header_end(self) -> int:
        """Offset of the first byte behind the tensor infos."""
        return self.body.ofs_header_end

    @property
    def data_start(self) -> int:
        """Offset of the data section, from which tensor offsets count.

        In a file without tensors nothing needs aligning: there it never lies behind the end.
        """
        start = self.body.ofs_data
        return start if self.body.tensor_infos else min(start, self.file_size)

    @property
    def origin(self) -> object:
        """What the bytes of its tensors are read from when they go to another file."""
        return self.buffer

    @property
    def is_changed(self) -> bool:
        """Whether metadata or tensors were edited since the file was read."""
        edited = self._tensors is not None and self._tensors.is_changed
        return self._metadata.is_changed or edited

    @property
    def file_size(self) -> int:
        """Size of the file in bytes."""
        try:
            return len(self.buffer)
        except ValueError:  # of a map
            raise closed() from None

    @property
    def tensors(self) -> Tensors:
        """The tensors, in file order."""
        if self._tensors is None:
            self._tensors = Tensors(self._make_tensors(), self.buffer, self.byte_order)
        return self._tensors

    def adopt(self, buffer: Buffer) -> None:
        """Look for the data in another buffer, which holds the same file."""
        self.buffer = buffer
        self._tensors = None

    def _make_tensors(self) -> list[TensorInfo]:
        records = self.body.tensor_infos
        start, end = self.data_start, self.file_size
        ends: dict[int, int] = {}
        following = max(end - start, 0)
        for offset in sorted({record.ofs_data for record in records}, reverse=True):
            ends[offset] = following
            following = min(offset, following)
        name = self.byte_order
        return [
            TensorInfo(
                record,
                index,
                self.buffer,
                name,
                start + record.ofs_data,
                max(ends[record.ofs_data] - record.ofs_data, 0),
                self.origin,
            )
            for index, record in enumerate(records)
        ]

    def __repr__(self) -> str:
        return (
            f"<Document GGUF v{self.version} {self.byte_order}-endian, "
            f"{len(self.body.metadata)} metadata pairs, {len(self.body.tensor_infos)} tensors>"
        )

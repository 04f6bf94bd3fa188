"""One metadata pair: its exact type, its bytes, and its value as Python data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._generated.types import Array, MetadataKv, ValueType
from ..runtime.views import RecordArray
from .values import plain, spec_of, text_of, to_python

if TYPE_CHECKING:
    from ..runtime.views import Buffer


class Field:
    """One metadata pair, with its exact type and bytes.

    Attributes:
        record: the pair as the codec reads it.
        buffer: where its bytes are: the file, or bytes of its own once it was set.
        is_edited: whether it differs from the file.
    """

    __slots__ = ("buffer", "is_edited", "record")

    def __init__(self, record: MetadataKv, buffer: Buffer, *, is_edited: bool = False) -> None:
        self.record = record
        self.buffer = buffer
        self.is_edited = is_edited

    @property
    def raw_key(self) -> bytes:
        """The key's bytes."""
        return self.record.key

    @property
    def key(self) -> str:
        """The key; bytes that are not UTF-8 appear as lone surrogates."""
        return text_of(self.record.key)

    @property
    def value_type(self) -> ValueType:
        """The value type, as the file has it."""
        return ValueType(self.record.value_type)

    @property
    def type(self) -> str:
        """The type spec: ``uint32``, ``[string]``, ``[[int32]]``."""
        return spec_of(self.record.value_type, self.record.value)

    @property
    def value(self) -> Any:
        """The value as Python data; see `core.values.to_python`."""
        return to_python(self.record.value_type, self.record.value)

    @property
    def plain_value(self) -> Any:
        """The value with arrays as lists; needs no numpy."""
        return plain(self.record.value_type, self.record.value)

    @property
    def start(self) -> int:
        """Offset of the pair's first byte, in the file unless it was edited."""
        return self.record.start

    @property
    def value_start(self) -> int:
        """Offset of the value's first byte (behind the value type)."""
        return self.record.at("value")

    @property
    def end(self) -> int:
        """Offset of the first byte behind the pair."""
        return self.record.end

    @property
    def raw(self) -> bytes:
        """The value's bytes, without key and value type."""
        return bytes(self.buffer[self.value_start : self.end])

    @property
    def encoded(self) -> bytes:
        """The whole pair's bytes."""
        return bytes(self.buffer[self.start : self.end])

    @property
    def array_length(self) -> int | None:
        """Number of elements of an array, else None."""
        record = self.record
        return record.value.num_elements if record.value_type == ValueType.ARRAY else None

    def __repr__(self) -> str:
        return f"<Field {self.key!r} {self.type}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy or a pickle has bytes of its own and lives without the file."""
        start = self.start
        record = self.record._replace(
            value=_moved(self.record.value, start), offsets=_back(self.record.offsets, start)
        )
        return (_on_its_own, (record, self.encoded))


def _on_its_own(record: MetadataKv, encoded: bytes) -> Field:
    return Field(record, encoded, is_edited=True)


def _moved(value: Any, by: int) -> Any:
    """A value whose arrays point into a buffer that begins `by` bytes later."""
    if not isinstance(value, Array):
        return value
    elements = value.elements
    if isinstance(elements, RecordArray):
        elements = [_moved(item, by) for item in elements]
    return value._replace(elements=elements, offsets=_back(value.offsets, by))


def _back(offsets: tuple[int, ...], by: int) -> tuple[int, ...]:
    return tuple(offset - by for offset in offsets)

"""What a reader saw in a file, in one shape for all readers, and a plain reader of our own.

The plain reader is the simplest one that reads everything: sound files only, no limits, no
checks.  It gives the fields' places too, for files that no builder of ours wrote.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .builders import (
    ARRAY,
    BIG,
    DEFAULT_ALIGNMENT,
    FORMATS,
    LITTLE,
    STRING,
    UINT32,
    Array,
    ByteOrder,
    Span,
    Value,
    align,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from .case_types import Expected

Metadata = tuple[tuple[bytes, Value], ...]
Tensors = tuple[tuple[bytes, tuple[int, ...], int, int], ...]


@dataclass(frozen=True)
class Seen:
    """Values are canonical (see builders); tensors: name, dims, type id, relative offset."""

    version: int
    byte_order: ByteOrder
    alignment: int
    data_start: int | None  # None without tensors
    metadata: Metadata
    tensors: Tensors

    def map_values(self, change: Callable[[Value], Value]) -> Seen:
        """The same with every metadata value changed."""
        return replace(self, metadata=tuple((key, change(value)) for key, value in self.metadata))


def seen_of(expected: Expected) -> Seen:
    """What a reader should see in a valid case."""
    return Seen(
        expected.version,
        expected.byte_order,
        expected.alignment,
        expected.data_start,
        tuple((key, value) for key, _, value in expected.metadata),
        tuple((name, dims, type_id, offset) for name, dims, type_id, offset, _ in expected.tensors),
    )


def map_scalars(value: Value, change: Callable[[int, Any], Any]) -> Value:
    """`change(type id, payload)` applied to each scalar and string, inside arrays too."""

    def visit(type_id: int, payload: Any) -> Any:
        if isinstance(payload, Array):
            return Array(payload.type, tuple(visit(payload.type, item) for item in payload.items))
        return change(type_id, payload)

    return Value(value.type, visit(value.type, value.payload))


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data, self.pos = data, 4
        low, high = struct.unpack_from("<HH", data, 4)
        self.byte_order: ByteOrder = BIG if low == 0 and high else LITTLE
        self.prefix = "<" if self.byte_order == LITTLE else ">"
        self.spans: list[Span] = [Span("magic", 0, 4, ())]
        self.size = "Q"

    def number(self, path: str, form: str) -> int:
        start, self.pos = self.pos, self.pos + struct.calcsize("=" + form)
        self.spans.append(Span(path, start, self.pos, ()))
        return int(struct.unpack_from(self.prefix + form, self.data, start)[0])

    def string(self, path: str) -> bytes:
        length = self.number(path + ".len", self.size)
        start, self.pos = self.pos, self.pos + length
        self.spans.append(Span(path + ".data", start, self.pos, ()))
        return self.data[start : self.pos]

    def payload(self, path: str, type_id: int) -> Any:
        if type_id == STRING:
            return self.string(path)
        if type_id != ARRAY:
            return self.number(path, FORMATS[type_id])
        element = self.number(path + ".element_type", "I")
        count = self.number(path + ".num_elements", self.size)
        return Array(element, tuple(self.payload(f"{path}[{i}]", element) for i in range(count)))

    def pair(self, path: str) -> tuple[bytes, Value]:
        key = self.string(path + ".key")
        type_id = self.number(path + ".type", "I")
        return key, Value(type_id, self.payload(path + ".value", type_id))

    def tensor(self, path: str) -> tuple[bytes, tuple[int, ...], int, int]:
        name = self.string(path + ".name")
        num_dims = self.number(path + ".num_dims", "I")
        dims = tuple(self.number(f"{path}.dims[{i}]", self.size) for i in range(num_dims))
        return name, dims, self.number(path + ".type", "I"), self.number(path + ".offset", "Q")


def alignment_of(metadata: Metadata) -> int:
    """What the last UINT32 ``general.alignment`` says, else 32."""
    alignment = DEFAULT_ALIGNMENT
    for key, value in metadata:
        if key == b"general.alignment" and value.type == UINT32:
            alignment = value.payload
    return alignment


def read_plainly(data: bytes) -> tuple[Seen, tuple[Span, ...]]:
    """Read a sound file; on another one any exception may come."""
    reader = _Reader(data)
    version = reader.number("version", "I")
    reader.size = "I" if version == 1 else "Q"
    num_tensors = reader.number("num_tensors", reader.size)
    num_pairs = reader.number("num_metadata", reader.size)
    metadata = tuple(reader.pair(f"metadata[{i}]") for i in range(num_pairs))
    tensors = tuple(reader.tensor(f"tensors[{i}]") for i in range(num_tensors))
    alignment = alignment_of(metadata)
    data_start = align(reader.pos, alignment) if tensors else None
    seen = Seen(version, reader.byte_order, alignment, data_start, metadata, tensors)
    return seen, tuple(reader.spans)

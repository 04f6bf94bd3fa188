"""Hand-made GGUF bytes: the ground truth that the whole suite stands on.

Strategy: nothing here knows the library.  A `Model` says what shall be in the file, right or
deliberately wrong; `build` writes it with `struct` alone and notes where each field came to
lie, so a test can ask for the offset of any field without parsing anything.

Values are held in canonical form, so that they compare exactly: a float as the integer of its
bits, a bool as its byte, a string as bytes, an array as `Array`.
Source of the layout: docs/gguf.md of ggml; the 32-bit lengths of version 1 are from its history.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

ByteOrder = Literal["little", "big"]
LITTLE: ByteOrder = "little"
BIG: ByteOrder = "big"

UINT8, INT8, UINT16, INT16, UINT32, INT32, FLOAT32, BOOL, STRING, ARRAY = range(10)
UINT64, INT64, FLOAT64 = 10, 11, 12
TYPE_NAMES = (
    *("uint8", "int8", "uint16", "int16", "uint32", "int32", "float32", "bool"),
    *("string", "array", "uint64", "int64", "float64"),
)
SCALARS = tuple(i for i in range(13) if i not in (STRING, ARRAY))
# Floats are written from their bits, bools from their byte.
FORMATS = dict(zip(SCALARS, "BbHhIiIBQqQ", strict=True))
DEFAULT_ALIGNMENT = 32


class Str(NamedTuple):
    """A string whose length field may lie."""

    data: bytes
    length: int


class Array(NamedTuple):
    """Elements of one type; `stated` overrides the count field."""

    type: int
    items: tuple[Any, ...] = ()
    stated: int | None = None


class Value(NamedTuple):
    """A typed metadata value in canonical form; `type` may be any number."""

    type: int
    payload: Any


class Pair(NamedTuple):
    """A key and its value; the key's length field may lie through `Str`."""

    key: bytes | Str
    value: Value


class Tensor(NamedTuple):
    """A tensor.  `dims` in file order.  `place` is where the data really lies, relative to the
    data section (default: next aligned place); `offset` is what the info says (default: place)."""

    name: bytes | Str
    dims: tuple[int, ...]
    type: int = 0
    data: bytes = b""
    offset: int | None = None
    place: int | None = None
    num_dims: int | None = None


@dataclass(frozen=True)
class Model:
    """What a file shall hold.  `None` means: do it right."""

    pairs: tuple[Pair, ...] = ()
    tensors: tuple[Tensor, ...] = ()
    version: int = 3
    byte_order: ByteOrder = LITTLE
    alignment: int | None = None
    magic: bytes = b"GGUF"
    num_pairs: int | None = None
    num_tensors: int | None = None
    pad_header: bool | None = None
    pad_end: bool = True
    pad_byte: int = 0
    tail: bytes = b""


class Span(NamedTuple):
    """One field of the file.  `owners` are the offsets of the counts and lengths that demand it,
    innermost first: a reader that checks a count early may blame one of them."""

    path: str
    start: int
    end: int
    owners: tuple[int, ...]


@dataclass(frozen=True)
class Built:
    """The bytes and where everything lies in them."""

    model: Model
    data: bytes
    spans: tuple[Span, ...]
    alignment: int
    header_end: int
    data_start: int
    offsets: tuple[int, ...]  # relative data offset that each tensor info states
    marks: dict[str, int] = field(default_factory=dict)

    def at(self, path: str) -> int:
        """Absolute offset of a field such as ``metadata[0].key.len`` or ``tensors[1].type``."""
        return self.marks[path]


# ---- values ---------------------------------------------------------------------------------


def u8(number: int) -> Value:
    """A UINT8 value."""
    return Value(UINT8, number)


def u16(number: int) -> Value:
    """A UINT16 value."""
    return Value(UINT16, number)


def u32(number: int) -> Value:
    """A UINT32 value."""
    return Value(UINT32, number)


def i32(number: int) -> Value:
    """An INT32 value."""
    return Value(INT32, number)


def u64(number: int) -> Value:
    """A UINT64 value."""
    return Value(UINT64, number)


def f32(number: float) -> Value:
    """A FLOAT32 value, from a number."""
    return Value(FLOAT32, f32_bits(number))


def f64(number: float) -> Value:
    """A FLOAT64 value, from a number."""
    return Value(FLOAT64, f64_bits(number))


def boolean(byte: int) -> Value:
    """A BOOL value, from its byte."""
    return Value(BOOL, int(byte))


def text(data: bytes | str) -> Value:
    """A STRING value."""
    return Value(STRING, data.encode() if isinstance(data, str) else data)


def array(element_type: int, *items: Any, stated: int | None = None) -> Value:
    """An ARRAY value; nested arrays take `Array` items."""
    return Value(ARRAY, Array(element_type, items, stated))


def f32_bits(number: float) -> int:
    """The bits of a float32."""
    return int(struct.unpack("<I", struct.pack("<f", number))[0])


def f64_bits(number: float) -> int:
    """The bits of a float64."""
    return int(struct.unpack("<Q", struct.pack("<d", number))[0])


def spec_of(value: Value) -> str:
    """The type as text: ``uint32``, ``[string]``, ``[[int32]]`` (nested: the first element's)."""
    if value.type != ARRAY:
        return TYPE_NAMES[value.type]
    inner: Array = value.payload
    if inner.type == ARRAY and inner.items:
        return f"[{spec_of(Value(ARRAY, inner.items[0]))}]"
    return f"[{TYPE_NAMES[inner.type]}]"


# ---- writing --------------------------------------------------------------------------------


class _Writer:
    def __init__(self, version: int, byte_order: ByteOrder) -> None:
        self.out = bytearray()
        self.spans: list[Span] = []
        self.prefix = "<" if byte_order == LITTLE else ">"
        self.size = "I" if version == 1 else "Q"

    def raw(self, path: str, data: bytes, owners: tuple[int, ...] = ()) -> int:
        start = len(self.out)
        self.out += data
        self.spans.append(Span(path, start, len(self.out), owners))
        return start

    def number(self, path: str, form: str, number: int, owners: tuple[int, ...] = ()) -> int:
        return self.raw(path, struct.pack(self.prefix + form, number), owners)

    def string(self, path: str, value: bytes | Str, owners: tuple[int, ...] = ()) -> None:
        data, length = value if isinstance(value, Str) else (value, len(value))
        start = self.number(path + ".len", self.size, length, owners)
        self.raw(path + ".data", data, (start, *owners))

    def value(self, path: str, type_id: int, payload: Any, owners: tuple[int, ...]) -> None:
        if isinstance(payload, Array):
            self.number(path + ".element_type", "I", payload.type, owners)
            count = len(payload.items) if payload.stated is None else payload.stated
            start = self.number(path + ".num_elements", self.size, count, owners)
            for index, item in enumerate(payload.items):
                self.value(f"{path}[{index}]", payload.type, item, (start, *owners))
        elif isinstance(payload, (bytes, Str)) and type_id == STRING:
            self.string(path, payload, owners)
        elif isinstance(payload, bytes):  # unknown type: bytes as given
            self.raw(path, payload, owners)
        else:
            self.number(path, FORMATS[type_id], payload, owners)

    def pair(self, path: str, pair: Pair, owners: tuple[int, ...]) -> None:
        self.string(path + ".key", pair.key, owners)
        self.number(path + ".type", "I", pair.value.type, owners)
        self.value(path + ".value", pair.value.type, pair.value.payload, owners)

    def tensor(self, path: str, tensor: Tensor, offset: int, owners: tuple[int, ...]) -> None:
        self.string(path + ".name", tensor.name, owners)
        num_dims = len(tensor.dims) if tensor.num_dims is None else tensor.num_dims
        start = self.number(path + ".num_dims", "I", num_dims, owners)
        for index, dim in enumerate(tensor.dims):
            self.number(f"{path}.dims[{index}]", self.size, dim, (start, *owners))
        self.number(path + ".type", "I", tensor.type, owners)
        self.number(path + ".offset", "Q", offset, owners)


def align(position: int, alignment: int) -> int:
    """The next multiple of `alignment` at or after `position`; 0 aligns nothing."""
    return -(-position // alignment) * alignment if alignment else position


def declared_alignment(model: Model) -> int:
    """What the last UINT32 ``general.alignment`` says, else 32."""
    for pair in reversed(model.pairs):
        if pair.key == b"general.alignment" and pair.value.type == UINT32:
            return int(pair.value.payload)
    return DEFAULT_ALIGNMENT


def _lay_out(tensors: tuple[Tensor, ...], alignment: int) -> tuple[list[int], list[int]]:
    places, offsets, end = [], [], 0
    for tensor in tensors:
        place = align(end, alignment) if tensor.place is None else tensor.place
        places.append(place)
        offsets.append(place if tensor.offset is None else tensor.offset)
        end = max(end, place + len(tensor.data))
    return places, offsets


def _data_section(model: Model, places: list[int], alignment: int) -> bytes:
    end = max((p + len(t.data) for p, t in zip(places, model.tensors, strict=True)), default=0)
    size = align(end, alignment) if model.pad_end else end
    section = bytearray(bytes([model.pad_byte]) * size)
    for place, tensor in zip(places, model.tensors, strict=True):
        section[place : place + len(tensor.data)] = tensor.data
    return bytes(section)


def build(model: Model) -> Built:
    """Write `model`, right or wrong as it is."""
    writer = _Writer(model.version, model.byte_order)
    alignment = declared_alignment(model) if model.alignment is None else model.alignment
    places, offsets = _lay_out(model.tensors, alignment)
    writer.raw("magic", model.magic)
    writer.number("version", "I", model.version)
    count = len(model.tensors) if model.num_tensors is None else model.num_tensors
    tensors_at = writer.number("num_tensors", writer.size, count)
    count = len(model.pairs) if model.num_pairs is None else model.num_pairs
    pairs_at = writer.number("num_metadata", writer.size, count)
    for index, pair in enumerate(model.pairs):
        writer.pair(f"metadata[{index}]", pair, (pairs_at,))
    for index, tensor in enumerate(model.tensors):
        writer.tensor(f"tensors[{index}]", tensor, offsets[index], (tensors_at,))
    header_end = len(writer.out)
    data_start = align(header_end, alignment)
    if bool(model.tensors) if model.pad_header is None else model.pad_header:
        writer.out += bytes([model.pad_byte]) * (data_start - header_end)
    out = bytes(writer.out) + _data_section(model, places, alignment) + model.tail
    marks = {span.path: span.start for span in reversed(writer.spans)}
    for index, place in enumerate(places):
        marks[f"tensors[{index}].data"] = data_start + place
    return Built(
        model, out, tuple(writer.spans), alignment, header_end, data_start, tuple(offsets), marks
    )

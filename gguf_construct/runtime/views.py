"""What the generated codec stands on: lazy views of arrays, and exact NaNs.

Nothing here knows GGUF.  A view keeps (buffer, start, count) and decodes when asked, so a
vocabulary of 262,144 tokens costs one pass over its length fields when the file is opened,
and an index of offsets only once somebody looks a token up.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import islice, repeat
from operator import index as to_index
from struct import Struct
from struct import error as struct_error
from typing import Any, SupportsIndex, overload

from ..errors import SourceChangedError
from .strings import turn_strings

# Slices of it must be bytes: bytes and mmap qualify, memoryview does not.
Buffer = Any

_SHOWN = 5
_RUN = 1 << 16  # offsets that are held as a list
_UNSIGNED = {1: "B", 2: "H", 4: "I", 8: "Q"}


class Malformed(Exception):
    """A read function met bytes that it cannot accept; the tracer then finds out where and why."""


class OverLimit(Malformed):
    """A count or a depth is beyond its limit, whatever bytes follow."""


READ_FAULTS = (Malformed, struct_error, OverflowError, IndexError)


class NaN(float):
    """A NaN that remembers its bits, which a detour through a C double would change.

    Attributes:
        bits: the encoded value as an unsigned integer.
        width: its size in bytes, 4 or 8.
    """

    bits: int
    width: int

    def __new__(cls, bits: int, width: int) -> NaN:
        self = super().__new__(cls, "nan")
        self.bits, self.width = bits, width
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (NaN, (self.bits, self.width))


def exact_nan(order: str, raw: bytes) -> NaN:
    """The NaN whose encoding in byte order `order` ("<" or ">") is `raw`."""
    return NaN(int.from_bytes(raw, "little" if order == "<" else "big"), len(raw))


def number_format(kind: str, width: int) -> str:
    """The letter that struct uses for a number."""
    if kind == "f":
        return {2: "e", 4: "f", 8: "d"}[width]
    return _UNSIGNED[width] if kind == "u" else _UNSIGNED[width].lower()


def number_name(kind: str, width: int) -> str:
    """``uint64`` for kind u and 8 bytes."""
    return {"u": "uint", "s": "int", "f": "float"}[kind] + str(8 * width)


def _changed() -> SourceChangedError:
    return SourceChangedError(
        "an array is not where it was: the file was changed while it was in use",
        hint="open it again",
    )


@contextmanager
def _unchanged() -> Iterator[None]:
    """What was read before can be read again, unless somebody changed the file since."""
    try:
        yield
    except READ_FAULTS as error:
        raise _changed() from error


class _View:
    """What the views share: a buffer, where they start, how many elements they have."""

    __slots__ = ("buffer", "num", "start")

    def __init__(self, buffer: Buffer, start: int, num: int) -> None:
        self.buffer = buffer
        self.start = start
        self.num = num

    def _open(self) -> Buffer:
        """The buffer; the stand-in of a closed one refuses to tell its length."""
        len(self.buffer)
        return self.buffer

    def __len__(self) -> int:
        return self.num

    def __eq__(self, other: object) -> bool:
        """Equal to any sequence with equal items."""
        if not isinstance(other, (_View, list, tuple)) or len(self) != len(other):
            return False
        return all(mine == theirs for mine, theirs in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __iter__(self) -> Iterator[Any]:
        raise NotImplementedError

    def __repr__(self) -> str:
        shown = [repr(item) for item in islice(self, _SHOWN)]
        more = ", ..." if self.num > _SHOWN else ""
        return f"<{type(self).__name__} of {self.num}: [{', '.join(shown)}{more}]>"

    def _position(self, index: SupportsIndex) -> int:
        at = to_index(index)
        if at < 0:
            at += self.num
        if not 0 <= at < self.num:
            raise IndexError(f"index {index} is outside an array of {self.num} elements")
        return at


class NumberArray(_View, Sequence[int | float]):
    """Numbers of one type in a file.

    Attributes:
        order: "<" little-endian or ">" big-endian.
        kind: "u" unsigned, "s" signed, "f" float.
        width: bytes per number.
    """

    __slots__ = ("kind", "order", "width")

    def __init__(
        self, buffer: Buffer, start: int, num: int, order: str, kind: str, width: int
    ) -> None:
        super().__init__(buffer, start, num)
        self.order, self.kind, self.width = order, kind, width

    def __reduce__(self) -> tuple[Any, ...]:
        """A copy or a pickle has bytes of its own; so have those of the other views."""
        return (NumberArray, (self.raw, 0, self.num, self.order, self.kind, self.width))

    @property
    def end(self) -> int:
        """Absolute offset behind the last number."""
        return self.start + self.num * self.width

    @property
    def raw(self) -> bytes:
        """The bytes, as the file has them."""
        return bytes(self.buffer[self.start : self.end])

    @property
    def dtype(self) -> str:
        """numpy's name of the element type, with its byte order."""
        return f"{self.order}{'i' if self.kind == 's' else self.kind}{self.width}"

    def encoded(self, order: str) -> bytes | array[int]:
        """The bytes in byte order `order`."""
        if order == self.order or self.width == 1:
            return self.raw
        words = array(_UNSIGNED[self.width])
        words.frombytes(memoryview(self._open())[self.start : self.end])
        words.byteswap()
        return words

    @overload
    def __getitem__(self, index: SupportsIndex) -> int | float: ...
    @overload
    def __getitem__(self, index: slice) -> list[int | float]: ...
    def __getitem__(self, index: SupportsIndex | slice) -> int | float | list[int | float]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(self.num))]
        at = self.start + self._position(index) * self.width
        return self._decode(self.buffer[at : at + self.width])[0]

    def __iter__(self) -> Iterator[int | float]:
        step = 65536 * self.width
        for at in range(self.start, self.end, step):
            yield from self._decode(self.buffer[at : min(at + step, self.end)])

    def _decode(self, raw: bytes) -> Sequence[int | float]:
        form = number_format(self.kind, self.width)
        values = Struct(f"{self.order}{len(raw) // self.width}{form}").unpack(raw)
        if self.kind != "f" or all(value == value for value in values):
            return values
        width = self.width
        return [
            value if value == value else exact_nan(self.order, raw[at * width : at * width + width])
            for at, value in enumerate(values)
        ]


class StringArray(_View, Sequence[str]):
    """Length-prefixed strings in a file, kept as offsets.

    Items are text; bytes that are not UTF-8 become lone surrogates (``surrogateescape``), so
    that encoding them the same way gives the bytes back.  `raw` gives the bytes themselves.
    """

    __slots__ = ("_length", "_offsets", "end")

    def __init__(self, buffer: Buffer, start: int, num: int, end: int, length: Struct) -> None:
        super().__init__(buffer, start, num)
        self.end = end
        self._length = length
        self._offsets: array[int] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        raw = bytes(self.buffer[self.start : self.end])
        return (_strings, (raw, self.num, self._length.format))

    @property
    def length_nbytes(self) -> int:
        """Size of an item's length field."""
        return self._length.size

    @property
    def offsets(self) -> array[int]:
        """Absolute offset of each item's length field; made on first use."""
        if self._offsets is None:
            read, width, pos = self._length.unpack_from, self._length.size, self.start
            buffer = self._open()
            offsets = array("Q")
            with _unchanged():
                for first in range(0, self.num, _RUN):
                    found: list[int] = []  # of Python's numbers, which are large: only a few
                    append = found.append
                    for _ in repeat(None, min(_RUN, self.num - first)):
                        append(pos)
                        pos += read(buffer, pos)[0] + width
                    offsets.fromlist(found)
            self._require_end(pos)
            self._offsets = offsets
        return self._offsets

    def raw(self, index: SupportsIndex) -> bytes:
        """Item `index` as bytes."""
        offsets, at = self.offsets, self._position(index)
        stop = offsets[at + 1] if at + 1 < self.num else self.end
        return bytes(self.buffer[offsets[at] + self._length.size : stop])

    def iter_raw(self) -> Iterator[bytes]:
        """All items as bytes, in one pass and without an index."""
        read, width, pos = self._length.unpack_from, self._length.size, self.start
        buffer = self._open()
        with _unchanged():
            for _ in repeat(None, self.num):
                first = pos + width
                pos = first + read(buffer, pos)[0]
                yield buffer[first:pos]
        self._require_end(pos)

    def _require_end(self, pos: int) -> None:
        """Raise SourceChangedError when the last string ends elsewhere than it did."""
        if pos != self.end:
            raise _changed()

    def encoded(self, length: Struct) -> bytes | bytearray:
        """The bytes with length fields as `length` packs them; the strings stay as they are.

        Raises:
            struct.error: a string is too long for such a length field.
        """
        if length.format == self._length.format:
            return bytes(self.buffer[self.start : self.end])
        if length.size == self._length.size:
            return self._turned()
        parts: list[bytes] = []
        for item in self.iter_raw():
            parts += (length.pack(len(item)), item)
        return b"".join(parts)

    def _turned(self) -> bytearray:
        """`encoded` in the other byte order."""
        out = bytearray(memoryview(self._open())[self.start : self.end])
        with _unchanged():
            end = turn_strings(self._length, out, self.num)
        self._require_end(self.start + end)
        return out

    @overload
    def __getitem__(self, index: SupportsIndex) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: SupportsIndex | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(self.num))]
        return self.raw(index).decode("utf-8", "surrogateescape")

    def __iter__(self) -> Iterator[str]:
        for item in self.iter_raw():
            yield item.decode("utf-8", "surrogateescape")

    def __contains__(self, value: object) -> bool:
        return isinstance(value, (str, bytes)) and self._find(value, 0, self.num) is not None

    def index(self, value: str | bytes, start: int = 0, stop: int | None = None) -> int:
        """Number of the first item that equals `value`.  Raises ValueError without one."""
        first, last, _ = slice(start, stop).indices(self.num)
        found = self._find(value, first, last)
        if found is None:
            raise ValueError(f"{value!r} is not in the array")
        return found

    def count(self, value: object) -> int:
        """How many items equal `value`."""
        if not isinstance(value, (str, bytes)):
            return 0
        wanted = _as_bytes(value)
        return sum(item == wanted for item in self.iter_raw())

    def _find(self, value: str | bytes, start: int, stop: int) -> int | None:
        wanted = _as_bytes(value)
        for at, item in enumerate(self.iter_raw()):
            if at >= stop:
                break
            if at >= start and item == wanted:
                return at
        return None


def _strings(raw: bytes, num: int, length_format: str) -> StringArray:
    return StringArray(raw, 0, num, len(raw), Struct(length_format))


def _as_bytes(value: str | bytes) -> bytes | None:
    try:
        return value.encode("utf-8", "surrogateescape") if isinstance(value, str) else bytes(value)
    except UnicodeEncodeError:  # half of a surrogate pair, which encodes no bytes
        return None


class RecordArray(_View, Sequence[Any]):
    """Records of varying size in a file (arrays inside an array), read again on each walk."""

    __slots__ = ("_read", "end")

    def __init__(
        self,
        buffer: Buffer,
        start: int,
        num: int,
        end: int,
        read: Callable[[Buffer, int], tuple[Any, int]],
    ) -> None:
        super().__init__(buffer, start, num)
        self.end = end
        self._read = read

    def __reduce__(self) -> tuple[Any, ...]:
        return (list, (list(self),))

    @overload
    def __getitem__(self, index: SupportsIndex) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> list[Any]: ...
    def __getitem__(self, index: SupportsIndex | slice) -> Any:
        if isinstance(index, slice):
            return list(self)[index]
        wanted = self._position(index)
        return next(item for at, item in enumerate(self) if at == wanted)

    def __iter__(self) -> Iterator[Any]:
        pos = self.start
        with _unchanged():
            for _ in repeat(None, self.num):
                item, pos = self._read(self._open(), pos)
                yield item

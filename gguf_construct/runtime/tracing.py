"""What the generated trace stands on: field by field reading with the place of every fault.

The codec decides fast whether bytes are readable; the trace walks the same bytes slowly, yields
one span per field, and raises the precise error.  Nothing here knows GGUF.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import repeat
from struct import Struct
from struct import error as struct_error
from typing import Any, NamedTuple

from ..errors import InvalidFieldError, LimitExceededError, TruncatedError
from .views import Buffer, exact_nan, number_format

Widths = Mapping["int | None", "tuple[str, int]"]


class Span(NamedTuple):
    """One field of a file: bytes `start` to `end` (exclusive), absolute.

    `path` is the field path, `type` its type's name, `value` what it holds, and `field` the
    schema's name for it (``metadata_kv.value_type``), by which its documentation is found.
    """

    start: int
    end: int
    path: str
    type: str
    value: Any
    field: str

    @property
    def nbytes(self) -> int:
        """Length in bytes."""
        return self.end - self.start


class Tracer:
    """The state of one walk: the buffer, its order and version, limits, how arrays are folded.

    `fold` is the number of elements of a long array that get spans of their own before one
    span covers the rest; None unfolds everything.
    """

    def __init__(
        self, buffer: Buffer, order: str, version: int, limits: Any, fold: int | None
    ) -> None:
        self.buffer = buffer
        self.order = order
        self.version = version
        self.limits = limits
        self.fold = fold
        self.end = min(len(buffer), limits.max_header_nbytes)
        self.label = ("", "")

    def name(self, prefix: str, value: bytes) -> None:
        """From now on errors below `prefix` show `value` beside it."""
        text = value[:80].decode("utf-8", "backslashreplace")
        self.label = (prefix, f" {text!r}")

    def shown(self, path: str) -> str:
        """The path as errors show it."""
        prefix, text = self.label
        if prefix and path.startswith(prefix) and path[len(prefix) : len(prefix) + 1] in ".[":
            return prefix + text + path[len(prefix) :]
        return path

    # -- reading -----------------------------------------------------------------------------

    def need(self, pos: int, nbytes: int, path: str, blame: int | None = None) -> None:
        """Check that `nbytes` are there; `blame` is the offset of the field that asks for them."""
        left = max(self.end - pos, 0)
        if nbytes <= left:
            return
        offset = pos if blame is None else blame
        if self.end < len(self.buffer) and nbytes <= len(self.buffer) - pos:
            self._over("max_header_nbytes", pos + nbytes, path, offset)
        message = f"{nbytes} bytes, but {left} are left in the file"
        raise TruncatedError(
            message,
            offset=offset,
            path=self.shown(path),
            hint=self._advice(nbytes, left, offset, blame),
            needed=nbytes,
            available=left,
        )

    def _advice(self, nbytes: int, left: int, offset: int, blame: int | None) -> str:
        if blame is not None and nbytes > 2**31:
            width = 8 if nbytes >= 2**32 else 4
            swapped = int.from_bytes(nbytes.to_bytes(max(width, 8), "little"), "big")
            swapped >>= 64 - 8 * max(width, 8)
            if swapped <= left:
                return f"read in the other byte order it would be {swapped}; is the field swapped?"
            return "no file holds that much: the field is damaged, or the file is hostile"
        return "the file was cut short or the field is damaged; compare its size, download it again"

    def number(self, pos: int, kind: str, width: int, path: str) -> Any:
        """One number."""
        self.need(pos, width, path)
        raw = self.buffer[pos : pos + width]
        value = Struct(self.order + number_format(kind, width)).unpack(raw)[0]
        return value if value == value else exact_nan(self.order, raw)

    def pick(self, widths: Widths) -> tuple[str, int]:
        """The kind and width of a number that depends on the version."""
        return widths.get(self.version) or widths[None]

    def take(self, pos: int, nbytes: int, path: str, blame: int) -> bytes:
        """Raw bytes; the field at offset `blame` says how many."""
        self.need(pos, nbytes, path, blame)
        return bytes(self.buffer[pos : pos + nbytes])

    # -- checks ------------------------------------------------------------------------------

    def limit(self, name: str, value: int, path: str, offset: int) -> None:
        """Refuse a count above the limit of that name."""
        if value > getattr(self.limits, name):
            self._over(name, value, path, offset)

    def _over(self, name: str, value: int, path: str, offset: int) -> None:
        maximum = getattr(self.limits, name)
        hint = f"if you trust the file, raise the limit ({name}={value})"
        if value > len(self.buffer):
            hint = "no file of this size holds that many: the field is damaged, or the file hostile"
        raise LimitExceededError(
            f"{value} is above the limit {name} = {maximum}",
            offset=offset,
            path=self.shown(path),
            hint=hint,
            limit=name,
            maximum=maximum,
            actual=value,
        )

    def room(self, pos: int, num: int, least: int, path: str, blame: int) -> None:
        """Check a count against the bytes left, before anything is walked or allocated."""
        left = max(self.end - pos, 0)
        if num * least <= left:
            return
        if self.end < len(self.buffer) and num * least <= len(self.buffer) - pos:
            self._over("max_header_nbytes", pos + num * least, path, blame)
        message = f"{num} items of at least {least} bytes, but {left} bytes are left in the file"
        raise TruncatedError(
            message,
            offset=blame,
            path=self.shown(path),
            hint=self._advice(num * least, left, blame, blame),
            needed=num * least,
            available=left,
        )

    def wrong(self, value: object, expected: str, path: str, offset: int) -> InvalidFieldError:
        """The error of a field that holds what it must not."""
        return InvalidFieldError(
            f"{value} is not {expected}",
            offset=offset,
            path=self.shown(path),
            hint="the file is damaged here, or was written by a newer or broken tool",
            expected=expected,
            actual=value,
        )

    def constant(self, pos: int, data: bytes, path: str) -> None:
        """Check bytes that never change."""
        self.need(pos, len(data), path)
        found = bytes(self.buffer[pos : pos + len(data)])
        if found != data:
            raise self.wrong(repr(found), repr(data), path, pos)

    # -- long arrays -------------------------------------------------------------------------

    def unfolded(self, num: int) -> int:
        """How many of `num` elements get spans of their own."""
        return num if self.fold is None or num <= self.fold + 1 else self.fold

    def skip_texts(self, pos: int, num: int, kind: str, width: int) -> tuple[int, int]:
        """Skip up to `num` length-prefixed items: how many of them fit, and where they end."""
        read = Struct(self.order + number_format(kind, width)).unpack_from
        buffer, start = self.buffer, pos
        try:
            for _ in repeat(None, num):
                pos += read(buffer, pos)[0] + width
        except (struct_error, OverflowError, IndexError):
            pos = self.end + 1
        if pos <= self.end and pos - start <= self.limits.max_string_nbytes:
            return num, pos
        # Not all fit, or one may be above the limit: once more, with a look at each.
        end, most, pos = self.end, self.limits.max_string_nbytes, start
        for index in range(num):
            if pos + width > end:
                return index, pos
            nbytes = read(buffer, pos)[0]
            if nbytes > most or pos + width + nbytes > end:
                return index, pos
            pos += width + nbytes
        return num, pos

"""A hexdump that marks every field, by colour or by letter.

Strategy: rows of 16 bytes at multiples of 16.  A field's first byte has the field's letter in
front of it; the letters of a row are explained below it, so letters can be used again and the
dump reads well without colours too.  The middle of a long field is left out.
"""

from __future__ import annotations

from string import ascii_letters
from typing import TYPE_CHECKING, NamedTuple

from .map_text import value_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..runtime.tracing import Span
    from ..runtime.views import Buffer

ROW_NBYTES = 16
_VALUE_WIDTH = 40


class Entry(NamedTuple):
    """A line of the legend: the field's running number, its letter and what it is."""

    number: int
    letter: str
    text: str


class Cell(NamedTuple):
    """One byte; `letter` is a space unless the field starts here, or the dump does."""

    byte: int
    number: int
    letter: str


class Row(NamedTuple):
    """Up to 16 bytes from `offset`; None for a byte outside the wanted range."""

    offset: int
    cells: list[Cell | None]
    legend: list[Entry]

    @property
    def text(self) -> str:
        """The bytes as ASCII, others as dots."""
        return "".join(
            " " if cell is None else chr(cell.byte) if 32 <= cell.byte < 127 else "."
            for cell in self.cells
        )


class Elision(NamedTuple):
    """Bytes in the middle of a long field that are not shown."""

    nbytes: int
    path: str


class _Fields:
    """The spans of the wanted range, numbered as they come."""

    def __init__(self, spans: Iterable[Span], start: int) -> None:
        self._spans = iter(spans)
        self._start = start
        self._number = -1
        self.current: Span | None = None
        self.is_new = False

    def at(self, offset: int) -> Span | None:
        """The span that holds a byte, None behind the last one; offsets only ever rise."""
        while self.current is None or self.current.end <= offset:
            self.current = next(self._spans, None)
            if self.current is None:
                return None
            if self.current.end > max(offset, self._start):
                self._number += 1
                self.is_new = True
        return self.current

    def entry(self, span: Span, offset: int) -> Entry:
        value = value_of(span)
        value = value if len(value) <= _VALUE_WIDTH else f"{value[: _VALUE_WIDTH - 2]}.."
        inside = f" (from 0x{span.start:x})" if span.start < offset else ""
        return Entry(self._number, self.letter, f"{span.path}{inside} = {value}")

    @property
    def letter(self) -> str:
        return ascii_letters[self._number % len(ascii_letters)]

    @property
    def number(self) -> int:
        return self._number


def hexdump(
    buffer: Buffer, spans: Iterable[Span], start: int, end: int, *, full: bool = False
) -> Iterator[Row | Elision]:
    """The rows of a dump of the bytes `start` to `end`, as far as the spans go.

    Args:
        buffer: the file's bytes.
        spans: the spans of the range, in file order and without gaps.
        start: first byte.
        end: behind the last byte.
        full: show the middle of long fields too.
    """
    fields = _Fields(spans, start)
    first = fields.at(start)
    start, end = max(start, first.start if first else end), min(end, len(buffer))
    offset = start - start % ROW_NBYTES
    while offset < end:
        row = _row(buffer, fields, offset, max(start, offset), min(offset + ROW_NBYTES, end))
        if not any(row.cells):
            return
        yield row
        offset += ROW_NBYTES
        span = fields.current
        if full or span is None or span.start > offset - ROW_NBYTES:
            continue
        # The last row that the field fills is shown, as is the first.
        last = (min(span.end, end) - 1) // ROW_NBYTES * ROW_NBYTES
        if last - offset > ROW_NBYTES:
            yield Elision(last - offset, span.path)
            offset = last


def _row(buffer: Buffer, fields: _Fields, offset: int, start: int, end: int) -> Row:
    cells: list[Cell | None] = [None] * (start - offset)
    legend: list[Entry] = []
    for at, byte in enumerate(bytes(buffer[start:end]), start):
        span = fields.at(at)
        if span is None:
            break
        letter = fields.letter if fields.is_new else " "
        if fields.is_new:
            legend.append(fields.entry(span, at))
            fields.is_new = False
        cells.append(Cell(byte, fields.number, letter))
    cells += [None] * (ROW_NBYTES - len(cells))
    return Row(offset, cells, legend)

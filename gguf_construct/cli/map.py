"""``map``: every byte of a file explained, one byte looked up, or a coloured hexdump."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from ..storage.source.source import open_to_show
from .shared.exit_codes import FINE, MALFORMED, decide
from .shared.messages import report_error
from .shared.options import file_argument, json_option, limits_option
from .shared.output import colours, print_json, print_lines, styled
from .shared.reading import given

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from .._generated.types import Limits
    from ..errors import ParseError
    from ..render.hexdump import Elision, Row
    from ..runtime.tracing import Span
    from ..runtime.views import Buffer

_EPILOG = """\b
Examples:
  gguf-construct map model.gguf
  gguf-construct map model.gguf --at 0x1a4f
  gguf-construct map model.gguf --path tokenizer.ggml.tokens[17]
  gguf-construct map model.gguf --hex --start 0 --length 512

Long arrays are folded unless --full is given. A broken file is mapped as far as it can be read: the
first bad byte is marked with !, and the exit code is 3."""

_COLUMN_COLOURS = ("bright_black", None, "cyan", "yellow", "green", "bright_black")
_FIELD_COLOURS = ("cyan", "yellow", "green", "magenta", "bright_blue", "bright_red", "bright_cyan")
_WIDTH = 100


def _number(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:
    """A place or a size as people write it: decimal, or hexadecimal with 0x."""
    if value is None:
        return None
    try:
        number = int(value, 0)
    except ValueError as error:
        raise click.BadParameter(f"{value!r} is not a number; write 6735 or 0x1a4f") from error
    if number < 0:
        raise click.BadParameter("must not be negative")
    return number


@click.command("map", epilog=_EPILOG)
@file_argument
@click.option("--at", callback=_number, metavar="OFFSET", help="Which field is this byte?")
@click.option("--path", "field_path", metavar="PATH", help="Only a field path, key or tensor name.")
@click.option("--full", is_flag=True, help="Every element of every array.")
@click.option("--hex", "as_hex", is_flag=True, help="A hexdump, each field in its own colour.")
@click.option("--start", callback=_number, metavar="OFFSET", help="Only from this byte on.")
@click.option("--length", callback=_number, metavar="N", help="Only so many bytes.")
@json_option
@limits_option
def command(
    file: str,
    at: int | None,
    field_path: str | None,
    full: bool,
    as_hex: bool,
    start: int | None,
    length: int | None,
    as_json: bool,
    limits: Limits | None,
) -> int:
    """Explain every byte of FILE: offset, bytes, path, type, value, meaning."""
    if as_hex and as_json:
        raise click.UsageError("--hex and --json exclude each other")
    if at is not None and (field_path is not None or as_hex or start is not None or full):
        raise click.UsageError("--at explains one byte and only goes with --json")
    with open_to_show(given(file)) as source:
        buffer = source.buffer
        from ..byte_map.spans import fault_of

        fault = fault_of(buffer, limits)
        if fault is not None:
            from ..core.not_gguf import advise_joining

            advise_joining(fault, file)
        code = decide(FINE if fault is None else MALFORMED)
        if at is not None:
            _tell(buffer, file, at, as_json, limits)
            return code if fault is None else report_error(fault)
        first = 0 if start is None else start
        end = len(buffer) if length is None else min(first + length, len(buffer))
        spans = _window(_spans(buffer, field_path, full, limits), first, end)
        if as_json:
            from ..render.map_json import map_lines

            print_lines(map_lines(spans, file, len(buffer), fault))
        elif as_hex:
            for run in [spans] if field_path is None else _runs(spans):
                print_lines(_dump(buffer, run, first, end, full=full))
        else:
            print_lines(_list(buffer, spans, fault))
        return code if fault is None else report_error(fault)


def _spans(buffer: Buffer, path: str | None, full: bool, limits: Limits | None) -> Iterator[Span]:
    from ..byte_map.spans import FOLD, byte_map

    fold = None if full else FOLD
    if path is None:
        return byte_map(buffer, limits=limits, fold=fold)
    from ..byte_map.find import spans_of

    return spans_of(buffer, path, limits=limits, fold=fold)


def _window(spans: Iterable[Span], start: int, end: int) -> Iterator[Span]:
    for span in spans:
        if span.start >= end and span.start < span.end:
            return
        if span.end > start or span.start == span.end:
            yield span


def _tell(buffer: Buffer, file: str, at: int, as_json: bool, limits: Limits | None) -> None:
    from ..byte_map.find import find_span

    if at >= len(buffer):
        raise click.UsageError(
            f"0x{at:x} is past the end of the file, which has {len(buffer)} bytes"
        )
    found = find_span(buffer, at, limits=limits)
    if as_json:
        from ..render.map_json import found_json

        print_json(found_json(found, file, at))
        return
    from ..render.map_text import found_rows

    rows = found_rows(found, buffer, at)
    print_lines(f"{styled(label.ljust(10), 'cyan')}{styled(text)}" for label, text in rows)


def _list(buffer: Buffer, spans: Iterable[Span], fault: ParseError | None) -> Iterator[str]:
    from ..render.escaping import one_line
    from ..render.map_text import span_columns

    bad = fault.offset if fault is not None else None
    width, paint = _terminal_width(), colours()
    for span in spans:
        is_bad = bad is not None and (span.start <= bad < span.end or span.type == "unreadable")
        left = width - 2
        parts = [styled("! ", "red") if is_bad else "  "]
        for text, colour in zip(span_columns(span, buffer), _COLUMN_COLOURS, strict=True):
            shown = one_line(text)[: max(left, 0)]
            left -= len(shown) + 2
            parts.append(f"{styled(shown, colour) if paint else shown}  ")
        yield "".join(parts).rstrip()


def _terminal_width() -> int:
    """Columns of the terminal on stdout; elsewhere lines are not cut."""
    if not sys.stdout.isatty():
        return sys.maxsize
    return os.get_terminal_size(sys.stdout.fileno()).columns


# -- hexdump -------------------------------------------------------------------------------------


def _dump(
    buffer: Buffer, spans: Iterable[Span], start: int, end: int, *, full: bool
) -> Iterator[str]:
    from ..render.hexdump import Row, hexdump

    width = min(_terminal_width(), _WIDTH)
    for row in hexdump(buffer, spans, start, end, full=full):
        if isinstance(row, Row):
            yield from _row_lines(row, width)
        else:
            yield _elision(row)


def _runs(spans: Iterable[Span]) -> Iterator[list[Span]]:
    """Spans that follow each other without a gap."""
    run: list[Span] = []
    for span in spans:
        if run and run[-1].end != span.start:
            yield run
            run = []
        run.append(span)
    if run:
        yield run


def _field_colour(number: int) -> str:
    return _FIELD_COLOURS[number % len(_FIELD_COLOURS)]


def _elision(row: Elision) -> str:
    return styled(f"{'*':>9} {row.nbytes} more bytes of {row.path}", "bright_black")


def _row_lines(row: Row, width: int) -> Iterator[str]:
    from ..render.escaping import one_line

    cells = "".join(
        "   "
        if cell is None
        else styled(f"{cell.letter}{cell.byte:02x}", _field_colour(cell.number))
        for cell in row.cells
    )
    yield f"{row.offset:08x} {cells}  |{row.text}|"
    line, used = "", 0
    for entry in row.legend:
        text = one_line(f"{entry.letter} {entry.text}")
        if used and used + len(text) + 12 > width:
            yield " " * 10 + line.rstrip()
            line, used = "", 0
        line += styled(text, _field_colour(entry.number)) + "   "
        used += len(text) + 3
    if line:
        yield " " * 10 + line.rstrip()

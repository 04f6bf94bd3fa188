"""Standard output: lines, tables, JSON, raw bytes.

Everything that a verb prints goes through here, and is escaped on the way: nothing from a file
reaches a terminal raw.  Bytes stay as they are in pipes and files only (`print_bytes`).
"""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from ...errors import WriteError
from ...render.escaping import encoded, one_line, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

_BATCH = 500  # lines that are written at once
_MAX_WIDTH = 128  # of a padded column: one long cell must not blow up every row
_MAX_FOLDED = 4096  # characters of a cell that a table on a terminal folds

_done: str | None = None


def colours(stream: Any = None) -> bool:
    """Whether a stream takes colours: a terminal, unless NO_COLOR or FORCE_COLOR say otherwise."""
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return bool((sys.stdout if stream is None else stream).isatty())


def styled(text: str, colour: str | None = None, *, bold: bool = False) -> str:
    """Text for one line of standard output, escaped and, where wanted, in colour."""
    text = one_line(text)
    return click.style(text, fg=colour, bold=bold) if (colour or bold) and colours() else text


def print_line(text: str = "", colour: str | None = None, *, bold: bool = False) -> None:
    """Print one line, whatever is in it."""
    _write(f"{styled(text, colour, bold=bold)}\n")


def print_lines(lines: Iterable[str]) -> None:
    """Print lines made of `styled` parts, or of text that is known to be safe."""
    lines = iter(lines)
    while batch := list(islice(lines, _BATCH)):
        _write("\n".join([*batch, ""]))


def print_text(text: str) -> None:
    """Print a text of several lines as it is in a pipe, escaped on a terminal."""
    print_bytes(encoded(text))


def print_diff(diff: str) -> None:
    """Print a unified diff in the usual colours."""
    for line in diff.split("\n"):
        print_line(line, {"+": "green", "-": "red", "@": "cyan"}.get(line[:1]))


def print_bytes(data: bytes) -> None:
    """Print bytes exactly; on a terminal escaped, with a newline at the end."""
    if sys.stdout.isatty():
        _write(f"{printable(data.decode('utf-8', 'surrogateescape'))}\n")
        return
    flush()
    with _standard_output():
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()


def print_json(content: Mapping[str, Any]) -> None:
    """Print one JSON document, the version of our JSON first."""
    from ...render.json_text import SCHEMA, dump

    _write(f"{dump({'schema': SCHEMA, **content})}\n")


def print_source(text: str, language: str) -> None:
    """Print source code in the terminal's own colours."""
    from rich.console import Console
    from rich.syntax import Syntax

    shown = Syntax(
        printable(text),
        language,
        theme="ansi_dark",
        background_color="default",
        line_numbers=True,
        word_wrap=True,
    )
    with _standard_output():
        Console().print(shown)


def print_rows(rows: Iterable[tuple[str, str]]) -> None:
    """Print names and texts, the texts below each other."""
    rows = list(rows)
    width = max(len(name) for name, _ in rows)
    print_lines(f"{styled(name.ljust(width))}  {one_line(text)}" for name, text in rows)


def print_table(
    title: str, columns: Sequence[str], rows: Iterable[Sequence[str]], right: Sequence[int] = ()
) -> None:
    """Print rows under column heads; the columns numbered in `right` are right-aligned.

    On a terminal long cells are folded; in a pipe nothing is cut.
    """
    cells = [[one_line(cell) for cell in row] for row in rows]
    if sys.stdout.isatty() and colours():
        _print_rich(title, columns, cells, right)
    else:
        print_lines(_plain(title, columns, cells, right))


def _print_rich(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]
) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for at, column in enumerate(columns):
        justify: Any = "right" if at in right else "left"
        table.add_column(column, justify=justify, overflow="fold", header_style="bold cyan")
    for row in rows:
        table.add_row(*[Text(_cut(cell)) for cell in row])
    with _standard_output():
        Console().print(table)


def _cut(cell: str) -> str:
    return cell if len(cell) <= _MAX_FOLDED else f"{cell[:_MAX_FOLDED]}..."


def _plain(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]
) -> Iterator[str]:
    if title:
        yield title
    lines = [columns, *rows]
    last = len(columns) - 1
    widths = [
        0 if at == last and at not in right else min(max(len(one[at]) for one in lines), _MAX_WIDTH)
        for at in range(len(columns))
    ]
    for line in lines:
        cells = [
            cell.rjust(width) if at in right else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        yield "  ".join(cells).rstrip()


def report_done(what: str) -> None:
    """Note what was done to a file, to be said if the report about it cannot be printed."""
    global _done
    _done = what


def flush() -> None:
    """Write out what is still in the buffer."""
    with _standard_output():
        sys.stdout.flush()


def _write(text: str) -> None:
    with _standard_output():
        click.echo(text, nl=False, color=colours())


@contextmanager
def _standard_output() -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        hint = f"only the report is missing: {_done}" if _done else None
        why = f"standard output cannot be written: {error.strerror}"
        raise WriteError(why, hint=hint) from error

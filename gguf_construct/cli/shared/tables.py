"""Tables on a terminal (rich) and in a pipe (plain columns, nothing cut)."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from .messages import colours, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["print_table"]


def print_table(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int] = ()
) -> None:
    """Print rows under column heads; the columns numbered in `right` are right-aligned."""
    if sys.stdout.isatty() and colours(sys.stdout):
        _rich(title, columns, rows, right)
    else:
        _plain(title, columns, rows, right)


def _rich(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]
) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, title_justify="left", title_style="bold", box=None, pad_edge=False)
    for at, column in enumerate(columns):
        table.add_column(
            column,
            justify="right" if at in right else "left",
            overflow="fold",
            header_style="bold cyan",
        )
    for row in rows:
        table.add_row(*[Text(printable(cell)) for cell in row])
    Console().print(table)


def _plain(
    title: str, columns: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]
) -> None:
    if title:
        click.echo(title)
    lines = [list(columns), *[[printable(cell) for cell in row] for row in rows]]
    last = len(columns) - 1
    widths = [max(len(line[at]) for line in lines) for at in range(len(columns))]
    for line in lines:
        cells = [
            cell.rjust(width) if at in right else cell.ljust(width if at != last else 0)
            for at, (cell, width) in enumerate(zip(line, widths, strict=True))
        ]
        click.echo("  ".join(cells).rstrip())

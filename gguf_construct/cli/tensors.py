"""``tensors``: the list of tensors, with totals by type."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .shared.options import file_argument, json_option, limits_option
from .shared.output import print_json, print_line, print_table
from .shared.reading import open_given

if TYPE_CHECKING:
    from .._generated.types import Limits

_COLUMNS = ("name", "type", "shape", "elements", "bytes", "offset", "bits/w")
_TOTALS = ("type", "tensors", "elements", "bytes", "share", "bits/w")

_EPILOG = """\b
Examples:
  gguf-construct tensors model.gguf
  gguf-construct tensors model.gguf 'blk.0.*' --sort size
  gguf-construct tensors model.gguf --totals
  gguf-construct tensors model.gguf --json | jq '.total.bits_per_weight'

Shapes are in numpy's order (the file lists dimensions the other way round), offsets count from
the start of the file. With PATTERNs (* and ? as in a shell), totals are those of what matches."""


@click.command("tensors", epilog=_EPILOG)
@file_argument
@click.argument("patterns", nargs=-1, metavar="[PATTERN]...")
@click.option(
    "--sort",
    type=click.Choice(["name", "size", "type", "offset", "elements"]),
    help="Order of the list; the default is that of the file. Largest first.",
)
@click.option("--totals", "only_totals", is_flag=True, help="Only the totals by type.")
@json_option
@limits_option
def command(
    file: str,
    patterns: tuple[str, ...],
    sort: str | None,
    only_totals: bool,
    as_json: bool,
    limits: Limits | None,
) -> None:
    """List the tensors of FILE whose names match one of the PATTERNs, or all of them."""
    from ..comparison.tensor_list import select_tensors, type_totals

    with open_given(file, limits) as model:
        chosen = select_tensors(model.tensors.all, patterns, sort)
        totals, together = type_totals(chosen)
        if as_json:
            from ..render.tensor_json import list_json

            shown = [] if only_totals else chosen
            print_json(list_json(model.path, shown, totals, together))
            return
        from ..render.tensor_text import list_rows, total_rows

        if not only_totals:
            print_table("", _COLUMNS, list_rows(chosen), right=(3, 4, 5, 6))
            print_line()
        print_table("", _TOTALS, total_rows(totals, together), right=(1, 2, 3, 4, 5))

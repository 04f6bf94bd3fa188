"""``tensors``: the list of tensors, with totals by type; and edits of that list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .shared.options import file_argument, force_value_option, limits_option, writing_options
from .shared.output import print_json, print_line, print_table
from .shared.reading import open_given
from .shared.tensor_edits import TensorEdits, edit_tensors, pair_of

if TYPE_CHECKING:
    from .._generated.types import Limits
    from .shared.options import Writing

_COLUMNS = ("name", "type", "shape", "elements", "bytes", "offset", "bits/w")
_TOTALS = ("type", "tensors", "elements", "bytes", "share", "bits/w")

_EPILOG = """\b
Examples:
  gguf-construct tensors model.gguf
  gguf-construct tensors model.gguf 'blk.0.*' --sort size
  gguf-construct tensors model.gguf --totals
  gguf-construct tensors model.gguf --json | jq '.total.bits_per_weight'

Shapes are in numpy's order (the file lists dimensions the other way round), offsets count from
the start of the file. With PATTERNs (* and ? as in a shell), totals are those of what matches.

\b
Edits, done in this order whatever the order of the options; each takes names or patterns:
  gguf-construct tensors m.gguf --drop 'v.*' --drop 'mm.*' -o text-only.gguf
  gguf-construct tensors m.gguf --rename 'v.*=vision.*' -i
  gguf-construct tensors m.gguf --take other.gguf:'blk.3.*' -o mixed.gguf
  gguf-construct tensors m.gguf --requantize 'blk.*.ffn_*=Q8_0' -o small.gguf
  gguf-construct tensors m.gguf --order token_embd.weight --order 'blk.*' -i

Only what is named changes: all other tensors keep their bytes. An edit that llama.cpp could not
load is refused. Metadata stay as they are: see set, unset and rename."""


@click.command("tensors", epilog=_EPILOG)
@file_argument
@click.argument("patterns", nargs=-1, metavar="[PATTERN]...")
@click.option(
    "--sort",
    type=click.Choice(["name", "size", "type", "offset", "elements"]),
    help="Order of the list; the default is that of the file. Largest first.",
)
@click.option("--totals", "only_totals", is_flag=True, help="Only the totals by type.")
@click.option("--drop", multiple=True, metavar="PATTERN", help="Take tensors out.")
@click.option(
    "--rename",
    multiple=True,
    callback=pair_of("OLD=NEW"),
    metavar="OLD=NEW",
    help="Give tensors other names; * in NEW is what * in OLD stood for.",
)
@click.option(
    "--take",
    multiple=True,
    callback=pair_of("OTHER:PATTERN"),
    metavar="OTHER:PATTERN",
    help="Put tensors of the model OTHER in, instead of those with their names or at the end.",
)
@click.option(
    "--requantize",
    multiple=True,
    callback=pair_of("PATTERN=TYPE"),
    metavar="PATTERN=TYPE",
    help="Store tensors as TYPE (F16, Q8_0, Q4_K); by pattern, only matrices.",
)
@click.option("--order", multiple=True, metavar="PATTERN", help="Put tensors first.")
@force_value_option
@writing_options(keeps_data=False)
@limits_option
def command(
    file: str,
    patterns: tuple[str, ...],
    sort: str | None,
    only_totals: bool,
    drop: tuple[str, ...],
    rename: list[tuple[str, str]],
    take: list[tuple[str, str]],
    requantize: list[tuple[str, str]],
    order: tuple[str, ...],
    force_value: bool,
    writing: Writing,
    limits: Limits | None,
) -> None:
    """List the tensors of FILE whose names match a PATTERN, or all of them; or edit them."""
    edits = TensorEdits(drop, rename, take, requantize, order)
    if any(edits):
        if patterns or sort or only_totals:
            raise click.UsageError("either list tensors or edit them: PATTERNs belong to --drop")
        edit_tensors(file, edits, writing, limits, force=force_value)
        return
    if writing.output or writing.in_place or writing.dry_run:
        raise click.UsageError("nothing to write: say what to edit, such as --drop PATTERN")
    from ..comparison.tensor_list import select_tensors, type_totals

    with open_given(file, limits) as model:
        chosen = select_tensors(model.tensors.all, patterns, sort)
        totals, together = type_totals(chosen)
        if writing.as_json:
            from ..render.tensor_json import list_json

            shown = [] if only_totals else chosen
            print_json(list_json(model.path, shown, totals, together))
            return
        from ..render.tensor_text import list_rows, total_rows

        if not only_totals:
            print_table("", _COLUMNS, list_rows(chosen), right=(3, 4, 5, 6))
            print_line()
        print_table("", _TOTALS, total_rows(totals, together), right=(1, 2, 3, 4, 5))

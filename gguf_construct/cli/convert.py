"""``convert``: another byte order, another version of the format."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .shared.editing import open_to_write
from .shared.options import file_argument, limits_option, writing_options
from .shared.writing import choose_target, execute

if TYPE_CHECKING:
    from .._generated.types import Limits
    from .shared.options import Writing

_EPILOG = """\b
Examples:
  gguf-construct convert m.gguf --endian big -o m-be.gguf
  gguf-construct convert m-be.gguf --endian little -i
  gguf-construct convert old-v1.gguf --to-version 3 -o new.gguf

\b
Every multi-byte field of every block of every known tensor type is swapped; padding, gaps
and bytes after the last tensor stay as they are, so converting back gives the old file.
With -i the finished file replaces FILE in one step.
A file that already is what you ask for is copied with -o and left alone with -i."""


@click.command("convert", epilog=_EPILOG)
@file_argument
@click.option(
    "--endian",
    type=click.Choice(["big", "little"]),
    help="The byte order. Big-endian files are always version 3.",
)
@click.option(
    "--to-version",
    type=click.Choice(["2", "3"]),
    help="The version. Version 1 is only read.",
)
@writing_options(keeps_data=False)
@limits_option
def command(
    file: str, endian: str | None, to_version: str | None, writing: Writing, limits: Limits | None
) -> None:
    """Convert FILE to another byte order or version of the format."""
    from ..planning.convert import plan_convert

    if endian is None and to_version is None:
        raise click.UsageError("say what to convert: --endian big|little, --to-version 2|3")
    target = choose_target(file, writing)
    with open_to_write(file, target, writing, limits) as model:
        version = None if to_version is None else int(to_version)
        found = plan_convert(model, byte_order=endian, version=version)
        notes = []
        if not found.changes:
            order = f"{model.byte_order}-endian version {model.version}"
            notes.append(f"it already was {order}: copied")
        planned = found.to_save(model, model.facts_about(target.output))
        execute(model, planned, found.changes, target, writing, notes=notes, title="converting")

"""``convert``: another byte order, another version of the format."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..model import open_model
from .options import file_argument, limits_option, output_options, read_limits
from .writing import choose_target, confirm_target, progress_bar, report_nothing, report_write

if TYPE_CHECKING:
    from ..model import Model
    from ..ops.convert import Conversion
    from .writing import Target

__all__ = ["command"]

_EPILOG = """\b
Examples:
  gguf-construct convert m.gguf --endian big -o m-be.gguf
  gguf-construct convert m-be.gguf --endian little -i
  gguf-construct convert old-v1.gguf --to-version 3 -o new.gguf

\b
Every multi-byte field of every block of every known tensor type is swapped; padding, gaps
and bytes behind the last tensor stay as they are, so converting back gives the old file.
FILE is never written to; with -i the finished file takes its place in one step.
A file that already is what you ask for is copied with -o, and left alone with -i."""


@click.command("convert", epilog=_EPILOG)
@file_argument()
@click.option(
    "--endian",
    type=click.Choice(["big", "little"]),
    help="The byte order. Big-endian files are always version 3.",
)
@click.option(
    "--to-version", type=click.Choice(["2", "3"]), help="The version; version 1 is read, too."
)
@output_options
@limits_option
def command(
    file: str,
    endian: str | None,
    to_version: str | None,
    output: str | None,
    in_place: bool,
    force: bool,
    yes: bool,
    quiet: bool,
    as_json: bool,
    limits: tuple[str, ...],
) -> None:
    """Convert FILE to another byte order or version of the format."""
    from ..ops.convert import plan_convert

    if endian is None and to_version is None:
        raise click.UsageError("say what to convert: --endian big|little, --to-version 2|3")
    target = choose_target(file, output, in_place, force)
    with open_model(file, limits=read_limits(limits)) as model:
        version = None if to_version is None else int(to_version)
        planned = plan_convert(model, byte_order=endian, version=version)
        if in_place and not planned.changes:
            report_nothing(file, (), as_json)
            return
        confirm_target(target, yes)
        _write(model, planned, target, quiet, as_json)


def _write(model: Model, planned: Conversion, target: Target, quiet: bool, as_json: bool) -> None:
    with progress_bar(quiet, "converting") as progress:
        path = None if target.in_place else target.path
        result = model.write(planned.plan, path, overwrite=target.overwrite, progress=progress)
    if not planned.changes:
        same = f"it already was {model.byte_order}-endian version {model.version}: copied"
        result = result._replace(notes=(same, *result.notes))
    report_write(result, planned.changes, quiet=quiet, as_json=as_json)

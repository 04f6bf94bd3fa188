"""``show``: what is in a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .shared.options import file_argument, json_option, limits_option
from .shared.output import print_json, print_line, print_rows, print_table
from .shared.reading import open_given

if TYPE_CHECKING:
    from .._generated.types import Limits
    from ..model import Model

_EPILOG = """\b
Examples:
  gguf-construct show model.gguf
  gguf-construct show model.gguf --no-tensors --full
  gguf-construct show model.gguf --json | jq '.metadata[].key'

Long strings and arrays are cut unless --full is given. Shapes are in numpy's order."""


@click.command("show", epilog=_EPILOG)
@file_argument
@click.option("--tensors/--no-tensors", default=True, help="List the tensors too.")
@click.option("--full", is_flag=True, help="Do not cut long strings and arrays.")
@json_option
@limits_option
def command(file: str, tensors: bool, full: bool, as_json: bool, limits: Limits | None) -> None:
    """Show summary, metadata and tensors of FILE."""
    with open_given(file, limits) as model:
        if as_json:
            from ..render.json_text import show_json

            print_json(show_json(model, model.path, full=full, tensors=tensors))
        else:
            _print_text(model, full, tensors)


def _print_text(model: Model, full: bool, tensors: bool) -> None:
    from ..render.text import field_rows, summary_rows, tensor_rows

    print_rows(summary_rows(model, model.path))
    print_line()
    print_table("Metadata", ("key", "type", "value"), field_rows(model, full))
    if tensors and model.tensors.all:
        print_line()
        columns = ("name", "type", "shape", "size", "offset")
        print_table("Tensors", columns, tensor_rows(model.tensors.all), right=(3, 4))

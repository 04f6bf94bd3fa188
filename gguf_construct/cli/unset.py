"""``unset``: remove metadata keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .shared.editing import editing
from .shared.options import (
    complete_key,
    file_argument,
    force_value_option,
    limits_option,
    writing_options,
)

if TYPE_CHECKING:
    from .._generated.types import Limits
    from .shared.options import Writing

_EPILOG = """\b
Examples:
  gguf-construct unset m.gguf -i general.description
  gguf-construct unset m.gguf -o out.gguf split.no split.count split.tensors.count
  gguf-construct unset m.gguf -i general.name --occurrence 1

Removing general.alignment lays the data section out again for the default alignment."""


@click.command("unset", epilog=_EPILOG)
@file_argument
@click.argument("keys", nargs=-1, required=True, metavar="KEY...", shell_complete=complete_key)
@click.option("--occurrence", type=int, metavar="N", help="Which one, from 0, if the key repeats.")
@click.option("--missing-ok", is_flag=True, help="Ignore keys that are not there.")
@force_value_option
@writing_options()
@limits_option
def command(
    file: str,
    keys: tuple[str, ...],
    occurrence: int | None,
    missing_ok: bool,
    force_value: bool,
    writing: Writing,
    limits: Limits | None,
) -> None:
    """Remove KEYs from FILE; the others keep their order."""
    from ..editing.changes import unset_key

    with editing(file, keys, writing, limits) as edit:
        wanted = [key for key in keys if not missing_ok or key in edit.model.metadata]
        edit.save([unset_key(edit.model, key, occurrence, force=force_value) for key in wanted])

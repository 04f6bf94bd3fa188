"""``unset``: remove metadata keys."""

from __future__ import annotations

import click

from .shared.editing import open_for_edit
from .shared.options import (
    Writing,
    complete_key,
    file_argument,
    limits_option,
    read_limits,
    writing_options,
)
from .shared.writing import choose_target, save_edits

__all__ = ["command"]

_EPILOG = """\b
Examples:
  gguf-construct unset m.gguf -i general.description
  gguf-construct unset m.gguf -o out.gguf split.no split.count split.tensors.count
  gguf-construct unset m.gguf -i general.name --occurrence 1

Removing general.alignment lays the data section out again for the default alignment."""


@click.command("unset", epilog=_EPILOG)
@file_argument()
@click.argument("keys", nargs=-1, required=True, metavar="KEY...", shell_complete=complete_key)
@click.option("--occurrence", type=int, metavar="N", help="Which one, from 0, if the key repeats.")
@click.option("--missing-ok", is_flag=True, help="Do not mind keys that are not there.")
@writing_options()
@limits_option
def command(
    file: str,
    keys: tuple[str, ...],
    occurrence: int | None,
    missing_ok: bool,
    writing: Writing,
    limits: tuple[str, ...],
) -> None:
    """Remove KEYs from FILE; the order of the others stays."""
    from ..editing.changes import unset_key

    target = choose_target(file, writing)
    model, target = open_for_edit(file, target, keys, writing, read_limits(limits))
    with model:
        wanted = [key for key in keys if not missing_ok or key in model.metadata]
        changes = [unset_key(model, key, occurrence) for key in wanted]
        save_edits(model, changes, target, writing)

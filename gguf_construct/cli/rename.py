"""``rename``: give a metadata key another name."""

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
  gguf-construct rename m.gguf -i general.nmae general.name
  gguf-construct rename m.gguf -o out.gguf qwen2.block_count qwen3.block_count"""


@click.command("rename", epilog=_EPILOG)
@file_argument()
@click.argument("old", metavar="OLD", shell_complete=complete_key)
@click.argument("new", metavar="NEW")
@writing_options()
@limits_option
def command(
    file: str,
    old: str,
    new: str,
    writing: Writing,
    limits: tuple[str, ...],
) -> None:
    """Rename key OLD of FILE to NEW; type, value and place stay."""
    from ..editing.changes import rename_key

    target = choose_target(file, writing)
    model, target = open_for_edit(file, target, (old, new), writing, read_limits(limits))
    with model:
        changes = [rename_key(model, old, new)]
        save_edits(model, changes, target, writing)

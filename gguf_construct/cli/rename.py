"""``rename``: give a metadata key another name."""

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
  gguf-construct rename m.gguf -i general.nmae general.name
  gguf-construct rename m.gguf -o out.gguf qwen2.block_count qwen3.block_count"""


@click.command("rename", epilog=_EPILOG)
@file_argument
@click.argument("old", metavar="OLD", shell_complete=complete_key)
@click.argument("new", metavar="NEW")
@force_value_option
@writing_options()
@limits_option
def command(
    file: str, old: str, new: str, force_value: bool, writing: Writing, limits: Limits | None
) -> None:
    """Rename key OLD of FILE to NEW; type, value and place stay."""
    from ..editing.changes import rename_key

    with editing(file, (old, new), writing, limits) as edit:
        edit.save([rename_key(edit.model, old, new, force=force_value)])

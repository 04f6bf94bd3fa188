"""``template unset``: remove chat templates."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..shared.editing import editing
from ..shared.options import file_argument, limits_option, writing_options
from .source import name_option

if TYPE_CHECKING:
    from ..._generated.types import Limits
    from ..shared.options import Writing

_EPILOG = """\b
Examples:
  gguf-construct template unset m.gguf -o out.gguf
  gguf-construct template unset m.gguf --name tool_use -i
  gguf-construct template unset m.gguf --all -i"""


@click.command("unset", epilog=_EPILOG)
@file_argument
@name_option
@click.option("--all", "everything", is_flag=True, help="Remove named templates too.")
@writing_options()
@limits_option
def unset_command(
    file: str, name: str | None, everything: bool, writing: Writing, limits: Limits | None
) -> None:
    """Remove a chat template from FILE: the default one unless --name or --all is given."""
    from ...editing.chat_templates import unset_chat_template
    from ...templates.keys import DEFAULT, template_key, templates_of

    if everything and name is not None:
        raise click.UsageError("--name and --all exclude each other")
    with editing(file, [template_key(name or DEFAULT)], writing, limits) as edit:
        names = [*templates_of(edit.model.metadata)] if everything else []
        edit.save(
            [
                change
                for one in names or [name or DEFAULT]
                for change in unset_chat_template(edit.model, one)
            ]
        )

"""The verb `template`: its subcommands, a file each."""

from __future__ import annotations

import click

from .check import check_command
from .diff import diff_command
from .render import render_command
from .set import set_command
from .show import show_command
from .unset import unset_command

_EPILOG = """\b
Examples:
  gguf-construct template show m.gguf > template.jinja
  gguf-construct template set m.gguf chat_template.jinja -o fixed.gguf
  gguf-construct template check m.gguf
  gguf-construct template render m.gguf --conversation tools
  gguf-construct template diff m.gguf tokenizer_config.json

\b
Templates are strangers' programs: they run in a sandbox, in a process of its own, with
limits of time, memory and output."""


@click.group("template", epilog=_EPILOG)
def command() -> None:
    """Show, set, render, check and compare chat templates."""


for _subcommand in (
    show_command,
    set_command,
    unset_command,
    render_command,
    check_command,
    diff_command,
):
    command.add_command(_subcommand)

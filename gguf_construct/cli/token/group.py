"""The verb `token`: its subcommands, a file each."""

from __future__ import annotations

import click

from .find import find_command
from .list import list_command
from .set import set_command

__all__ = ["command"]

_EPILOG = """\b
Examples:
  gguf-construct token list m.gguf
  gguf-construct token find m.gguf '<|im_end|>'
  gguf-construct token set m.gguf eos '<|im_end|>' -o fixed.gguf"""


@click.group("token", epilog=_EPILOG)
def command() -> None:
    """List, find and set special tokens by text."""


for _subcommand in (list_command, find_command, set_command):
    command.add_command(_subcommand)

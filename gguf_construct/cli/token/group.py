"""The verb `token`: its subcommands, a file each."""

from __future__ import annotations

import click

from .find import find_command
from .list import list_command
from .mark import mark_command
from .set import set_command

_EPILOG = """\b
Examples:
  gguf-construct token list m.gguf
  gguf-construct token find m.gguf '<|im_end|>'
  gguf-construct token set m.gguf eos '<|im_end|>' -o fixed.gguf
  gguf-construct token mark m.gguf '<start_of_turn>' '<end_of_turn>' control -i"""


@click.group("token", epilog=_EPILOG)
def command() -> None:
    """List, find, set and mark special tokens by text."""


for _subcommand in (list_command, find_command, set_command, mark_command):
    command.add_command(_subcommand)

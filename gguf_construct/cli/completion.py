"""``completion``: the script that teaches a shell our verbs, options and keys."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from .shared.output import print_lines

_EPILOG = """\b
Examples:
  bash   eval "$(gguf-construct completion bash)"        in ~/.bashrc
  zsh    eval "$(gguf-construct completion zsh)"         in ~/.zshrc
  fish   gguf-construct completion fish > ~/.config/fish/completions/gguf-construct.fish"""


@click.command("completion", epilog=_EPILOG)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the completion script for SHELL."""
    kind = get_completion_class(shell)
    assert kind is not None
    root = ctx.find_root()
    script = kind(root.command, {}, "gguf-construct", "_GGUF_CONSTRUCT_COMPLETE")
    print_lines([script.source()])

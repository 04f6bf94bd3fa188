"""``spec``: the schema that everything here is generated from."""

from __future__ import annotations

import click

from ..storage.source.resources import spec_names, spec_text
from .shared.output import print_text

_EPILOG = """\b
Examples:
  gguf-construct spec                 the container (gguf.ksy)
  gguf-construct spec ggml            the blocks of every tensor type
  gguf-construct spec keys            the standard metadata keys
  gguf-construct spec weights         the tensors that architectures have
  gguf-construct spec projectors      the keys and tensors that projectors have

The .ksy files are Kaitai Struct schemas: https://kaitai.io compiles them for other languages."""


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in spec_names() if name.startswith(incomplete)]


@click.command("spec", epilog=_EPILOG)
@click.argument("name", default="gguf", metavar="[NAME]", shell_complete=_complete)
def command(name: str) -> None:
    """Print the schema NAME: gguf, ggml, keys, weights or projectors."""
    names = spec_names()
    if name not in names:
        raise click.UsageError(f"no schema {name!r}; choose from {', '.join(sorted(names))}")
    print_text(spec_text(names[name]))

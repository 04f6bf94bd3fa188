"""``get``: one metadata value, raw on stdout."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..model import open_model
from .shared.options import complete_key, file_argument, json_option, limits_option
from .shared.output import print_bytes, print_json, print_line, print_lines

if TYPE_CHECKING:
    from .._generated.types import Limits
    from ..core.metadata import Field

__all__ = ["command"]

_EPILOG = """\b
Examples:
  gguf-construct get model.gguf general.architecture
  gguf-construct get model.gguf tokenizer.chat_template > template.jinja
  gguf-construct get model.gguf tokenizer.ggml.eos_token_id --json

In a pipe or file a string is printed byte for byte, without a newline after it; on a terminal
control characters are escaped. Numbers and booleans take a line, arrays are printed as JSON."""


@click.command("get", epilog=_EPILOG)
@file_argument
@click.argument("key", shell_complete=complete_key)
@click.option("--occurrence", type=int, metavar="N", help="Which one, from 0, if the key repeats.")
@json_option
@limits_option
def command(
    file: str, key: str, occurrence: int | None, as_json: bool, limits: Limits | None
) -> None:
    """Print the value of KEY in FILE."""
    with open_model(file, limits=limits) as model:
        found = model.metadata.occurrences(key)
        if len(found) > 1 and occurrence is None:
            places = ", ".join(f"{at}: 0x{field.start:x}" for at, field in enumerate(found))
            raise click.UsageError(
                f"{key!r} occurs {len(found)} times (at {places}) and readers differ in which "
                "they take; choose with --occurrence"
            )
        field = model.metadata.field(key)
        if occurrence is not None:
            if not 0 <= occurrence < len(found):
                raise click.UsageError(f"{key!r} has no occurrence {occurrence}")
            field = found[occurrence]
        if as_json:
            from ..render.json_text import field_json

            shown = field_json(field)
            print_json({name: shown[name] for name in ("key", "type", "value")})
        else:
            _print_raw(field)


def _print_raw(field: Field) -> None:
    if field.type == "string":
        print_bytes(field.record.value)
    elif field.type.startswith("["):
        from ..render.json_text import dump, value_json

        print_lines([dump(value_json(field))])
    elif field.type == "bool":
        print_line("true" if field.value else "false")
    else:
        print_line(repr(field.value))

"""``get``: one metadata value, raw on stdout."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .shared.messages import note
from .shared.options import (
    NEW_FILE,
    complete_key,
    file_argument,
    force_option,
    json_option,
    limits_option,
)
from .shared.output import print_bytes, print_json, print_line, print_lines
from .shared.reading import open_given

if TYPE_CHECKING:
    from .._generated.types import Limits
    from ..core.field import Field

_EPILOG = """\b
Examples:
  gguf-construct get model.gguf general.architecture
  gguf-construct get model.gguf tokenizer.chat_template > template.jinja
  gguf-construct get model.gguf tokenizer.chat_template -o template.jinja
  gguf-construct get model.gguf tokenizer.ggml.eos_token_id --json

In a pipe or file a string is printed byte for byte, without a newline after it; on a terminal
control characters are escaped. Numbers and booleans take a line, arrays are printed as JSON."""


@click.command("get", epilog=_EPILOG)
@file_argument
@click.argument("key", shell_complete=complete_key)
@click.option("--occurrence", type=int, metavar="N", help="Which one, from 0, if the key repeats.")
@click.option("-o", "--output", type=NEW_FILE, metavar="OUT", help="Write a string to OUT.")
@force_option
@json_option
@limits_option
def command(
    file: str,
    key: str,
    occurrence: int | None,
    output: str | None,
    force: bool,
    as_json: bool,
    limits: Limits | None,
) -> None:
    """Print the value of KEY in FILE."""
    with open_given(file, limits) as model:
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
        if output is not None:
            _write(field, output, force)
        elif as_json:
            from ..render.json_text import field_json

            shown = field_json(field)
            print_json({name: shown[name] for name in ("key", "type", "value")})
        else:
            _print_raw(field)


def _write(field: Field, path: str, force: bool) -> None:
    """Write a string to a file byte for byte, whatever a shell does to what it redirects."""
    from ..storage.write.small_files import write_bytes

    if field.type != "string":
        raise click.UsageError(f"-o writes strings; {field.key!r} is {field.type}: use --json")
    write_bytes(path, field.record.value, overwrite=force)
    note(f"wrote {path}: {len(field.record.value)} bytes")


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

"""``set``: change metadata values, safely."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from .shared.editing import editing, refuse_repeated
from .shared.options import (
    complete_key,
    file_argument,
    force_type_option,
    force_value_option,
    limits_option,
    writing_options,
)

if TYPE_CHECKING:
    from .._generated.types import Limits
    from ..editing.assignment import Assignment
    from ..editing.changes import Change
    from ..model import Model
    from .shared.options import Writing

_EPILOG = """\b
Examples:
  gguf-construct set m.gguf -o fixed.gguf tokenizer.chat_template=@template.jinja
  gguf-construct set m.gguf -i tokenizer.ggml.eos_token_id=106
  gguf-construct set m.gguf -i general.name="My model" my.key:uint32=7
  gguf-construct set m.gguf -i 'general.tags=["chat", "en"]'

\b
Values: @PATH reads a file (@- standard input), kept byte for byte; @@ is a plain @.
Types: the file's, else the standard one, else :TYPE, as in my.key:float32=0.5.
Arrays are JSON. What is not edited stays as it is, byte for byte; -n shows what -i would write."""


def _complete(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [f"{key}=" for key in complete_key(ctx, param, incomplete)]


@click.command("set", epilog=_EPILOG)
@file_argument
@click.argument(
    "assignments",
    nargs=-1,
    required=True,
    metavar="KEY[:TYPE]=VALUE...",
    shell_complete=_complete,
)
@force_type_option
@force_value_option
@writing_options()
@limits_option
def command(
    file: str,
    assignments: tuple[str, ...],
    force_type: bool,
    force_value: bool,
    writing: Writing,
    limits: Limits | None,
) -> None:
    """Set metadata keys of FILE; new keys go to the end, old ones keep their place."""
    from ..editing.assignment import parse_assignment

    keys = [text.partition("=")[0] for text in assignments]
    with editing(file, keys, writing, limits) as edit:
        wanted = [parse_assignment(text, edit.model.metadata) for text in assignments]
        refuse_repeated(one.key for one in wanted)
        edit.save([_apply(edit.model, one, force_type, force_value) for one in wanted])


def _apply(model: Model, wanted: Assignment, force_type: bool, force: bool) -> Change:
    from ..editing.assignment import parse_value
    from ..editing.changes import set_value

    value: str | bytes = wanted.text
    if wanted.from_file:
        from ..storage.write.small_files import read_value

        value = read_value(wanted.text)
    spec = wanted.type or model.metadata.type_for(wanted.key)
    if isinstance(value, bytes) and spec == "string" and not force:
        from ..editing.checks import refuse_no_text

        refuse_no_text(value, wanted.key)
    parsed = parse_value(value, spec, wanted.key)
    return set_value(model, wanted.key, parsed, wanted.type, force=force, force_type=force_type)

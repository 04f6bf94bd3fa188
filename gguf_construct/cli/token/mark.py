"""``token mark``: give tokens a type, by text or id."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...core.registry import token_type_names
from ..shared.editing import editing
from ..shared.messages import note
from ..shared.options import file_argument, limits_option, writing_options

if TYPE_CHECKING:
    from ..._generated.types import Limits
    from ..shared.options import Writing

_EPILOG = f"""\b
Examples:
  gguf-construct token mark m.gguf '<start_of_turn>' control -i
  gguf-construct token mark m.gguf '<start_of_turn>' '<end_of_turn>' control -o fixed.gguf
  gguf-construct token mark m.gguf 106 107 user_defined -i

\b
Types: {", ".join(token_type_names()[1:])}.
Only tokens of type control, user_defined and unknown are found whole in a prompt; a turn
marker of type normal falls apart into pieces. A number is an id unless --text is given."""


@click.command("mark", epilog=_EPILOG)
@file_argument
@click.argument("tokens", nargs=-1, required=True, metavar="TEXT|ID...")
@click.argument("kind", metavar="TYPE")
@click.option("--id", "by_id", is_flag=True, help="The tokens are given by id.")
@click.option("--text", "by_text", is_flag=True, help="The tokens are given by text, digits too.")
@writing_options()
@limits_option
def mark_command(
    file: str,
    tokens: tuple[str, ...],
    kind: str,
    by_id: bool,
    by_text: bool,
    writing: Writing,
    limits: Limits | None,
) -> None:
    """Mark tokens of FILE as control tokens, or as another TYPE."""
    from ...core.token_arrays import TYPES_KEY
    from ...editing.token_types import set_token_type, type_named
    from ...tokens.vocabulary import Vocabulary, describe

    name = type_named(kind)
    wanted = [_token(one, by_id, by_text) for one in tokens]
    with editing(file, [TYPES_KEY], writing, limits) as edit:
        before = Vocabulary(edit.model)
        changes = set_token_type(edit.model, wanted, name)
        for change in changes:
            id = int(change.key[change.key.index("[") + 1 : -1])
            if not writing.quiet and change.is_change:
                note(f"{describe(before[id])} -> {name}")
        edit.save(changes)


def _token(typed: str, by_id: bool, by_text: bool) -> str | int:
    from ...tokens.search import id_typed

    if by_id and by_text:
        raise click.UsageError("--id and --text exclude each other")
    id = None if by_text else id_typed(typed)
    if by_id and id is None:
        raise click.UsageError(f"{typed!r} is not an id")
    return typed if id is None else id

"""``token set``: give tokens roles, by text or id."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ...core.registry import add_token_flags, token_roles
from ..shared.editing import editing, refuse_repeated
from ..shared.messages import note
from ..shared.options import file_argument, force_value_option, limits_option, writing_options

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..._generated.types import Limits
    from ...editing.changes import Change
    from ...model import Model
    from ..shared.options import Writing

_EPILOG = f"""\b
Examples:
  gguf-construct token set m.gguf eos '<|im_end|>' -o fixed.gguf
  gguf-construct token set m.gguf eos '<|im_end|>' bos '<s>' --add-bos -i
  gguf-construct token set m.gguf pad 0 -i
  gguf-construct token set m.gguf --no-add-bos -i

\b
Roles: {", ".join(token_roles())}.
A number is an id unless --text is given. A text that no token has, or that several
tokens may have, is refused with candidates."""


def _flag_options(function: Callable[..., Any]) -> Callable[..., Any]:
    for role in reversed(add_token_flags()):
        function = click.option(
            f"--add-{role}/--no-add-{role}",
            default=None,
            help=f"Whether prompts get the {role} token added.",
        )(function)
    return function


@click.command("set", epilog=_EPILOG)
@file_argument
@click.argument("pairs", nargs=-1, metavar="[ROLE TEXT|ID]...")
@click.option("--id", "by_id", is_flag=True, help="The tokens are given by id.")
@click.option("--text", "by_text", is_flag=True, help="The tokens are given by text, digits too.")
@click.option("--mark-control", is_flag=True, help="Mark the tokens as control tokens too.")
@_flag_options
@force_value_option
@writing_options()
@limits_option
def set_command(
    file: str,
    pairs: tuple[str, ...],
    by_id: bool,
    by_text: bool,
    mark_control: bool,
    force_value: bool,
    writing: Writing,
    limits: Limits | None,
    **flags: bool | None,
) -> None:
    """Set special tokens of FILE by text or id."""
    from ...editing.token_roles import set_add_token, set_token

    wanted = _wanted(pairs, by_id, by_text)
    chosen = {name.removeprefix("add_"): add for name, add in flags.items() if add is not None}
    if not wanted and not chosen:
        raise click.UsageError("say what to set: ROLE TEXT, such as eos '<|im_end|>'")
    with editing(file, [*token_roles().values()], writing, limits) as edit:
        model = edit.model
        changes: list[Change] = []
        for role, token in wanted:
            before = _current(model, role)
            changes += set_token(model, role, token, mark=mark_control, force=force_value)
            after = _current(model, role)
            if not writing.quiet and before != after:
                note(f"{role}: {before} -> {after}")
        changes += [set_add_token(model, role, add) for role, add in chosen.items()]
        edit.save(changes)


def _wanted(pairs: tuple[str, ...], by_id: bool, by_text: bool) -> list[tuple[str, str | int]]:
    from ...editing.token_roles import role_named
    from ...tokens.search import id_typed

    if by_id and by_text:
        raise click.UsageError("--id and --text exclude each other")
    if len(pairs) % 2:
        raise click.UsageError(f"{pairs[-1]!r} has no token: write ROLE TEXT or ROLE ID")
    found: list[tuple[str, str | int]] = []
    for role, token in zip(pairs[::2], pairs[1::2], strict=True):
        id = None if by_text else id_typed(token)
        if by_id and id is None:
            raise click.UsageError(f"{token!r} is not an id")
        found.append((role, token if id is None else id))
    refuse_repeated(role_named(role) for role, _ in found)
    return found


def _current(model: Model, role: str) -> str:
    """The token that has a role now, in words."""
    from ...editing.token_roles import role_named
    from ...tokens.special import special_tokens
    from ...tokens.vocabulary import describe

    name = role_named(role)
    for row in special_tokens(model):
        if row.role == name and row.source == "file":
            return describe(row.token) if row.token else str(row.id)
    return "none"

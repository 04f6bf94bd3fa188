"""``token``: list, find and set special tokens by text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from ...core.registry import add_token_flags
from ...model import open_model
from ..shared.messages import note, warn
from ..shared.options import file_argument, json_option, limits_option, read_limits
from .set import set_command

if TYPE_CHECKING:
    from ...model import Model
    from ...tokens.special import SpecialToken
    from ...tokens.vocabulary import Token

__all__ = ["command"]

_EPILOG = """\b
Examples:
  gguf-construct token list m.gguf
  gguf-construct token find m.gguf '<|im_end|>'
  gguf-construct token set m.gguf eos '<|im_end|>' -o fixed.gguf"""


@click.group("token", epilog=_EPILOG)
def command() -> None:
    """List, find and set special tokens by text."""


command.add_command(set_command)


# ---- list -----------------------------------------------------------------------------------

_LIST_EPILOG = """\b
Where an id comes from:
  file     the metadata key says so
  default  llama.cpp assumes it for this tokenizer
  text     llama.cpp finds it by its text; of several it takes any"""


@command.command("list", epilog=_LIST_EPILOG)
@file_argument()
@json_option
@limits_option
def list_command(file: str, as_json: bool, limits: tuple[str, ...]) -> None:
    """Show the special tokens of FILE, and where generation stops."""
    from ...tokens.special import special_tokens, stop_tokens
    from ...tokens.vocabulary import Vocabulary

    with open_model(file, limits=read_limits(limits)) as model:
        vocabulary = Vocabulary(model)
        rows, stops = special_tokens(model), stop_tokens(model)
        flags = _flags(model)
        if as_json:
            _print_json(
                {
                    "path": file,
                    "tokenizer": vocabulary.tokenizer,
                    "num_tokens": len(vocabulary),
                    "tokens": [_special_json(row) for row in rows],
                    "added": flags,
                    "stops": [_token_json(token) for token in stops],
                }
            )
        else:
            _print_list(rows, stops, flags)


def _flags(model: Model) -> dict[str, bool | None]:
    """Whether each token with a flag is added to prompts; None where the file does not say."""
    found: dict[str, bool | None] = {}
    for role, key in add_token_flags().items():
        value = model.metadata.get(key)
        found[role] = value if isinstance(value, bool) else None
    return found


def _print_list(
    rows: list[SpecialToken], stops: list[Token], flags: dict[str, bool | None]
) -> None:
    from ..shared.tables import print_table

    cells = [
        (
            row.role,
            "" if row.id is None else str(row.id),
            _quoted(row.token) if row.token else "",
            (row.token.type if row.token else None) or "",
            row.source,
            row.key,
        )
        for row in rows
    ]
    print_table("", ("role", "id", "text", "type", "from", "key"), cells, right=(1,))
    said = [f"{role} {'yes' if add else 'no'}" for role, add in flags.items() if add is not None]
    click.echo()
    click.echo(f"added to prompts: {', '.join(said) or 'the file does not say'}")
    listed = ", ".join(f"{token.id} {_quoted(token)}" for token in stops)
    click.echo(f"llama.cpp stops at: {listed or 'nothing'}")
    for row in rows:
        if row.note:
            warn(f"{row.key}: {row.note}")


def _quoted(token: Token) -> str:
    from ...render.text import quote

    return quote(token.text)


def _print_json(content: dict[str, Any]) -> None:
    from ...render.json_text import SCHEMA, dump

    click.echo(dump({"schema": SCHEMA, **content}))


def _token_json(token: Token) -> dict[str, Any]:
    from ...render.json_text import text_json

    return {
        "id": token.id,
        "text": text_json(token.raw),
        "type": token.type,
        "stands_for": text_json(token.stands_for),
    }


def _special_json(row: SpecialToken) -> dict[str, Any]:
    from ...render.json_text import text_json

    return {
        "role": row.role,
        "key": row.key,
        "id": row.id,
        "text": text_json(row.token.raw) if row.token else None,
        "type": row.token.type if row.token else None,
        "added": row.add,
        "source": row.source,
        "note": row.note or None,
    }


# ---- find -----------------------------------------------------------------------------------

_FIND_EPILOG = r"""\b
Examples:
  gguf-construct token find m.gguf '<|im_end|>'
  gguf-construct token find m.gguf 106
  gguf-construct token find m.gguf '\n'
  gguf-construct token find m.gguf --regex '^<\|.*\|>$'

\b
Texts are understood in any spelling: escapes (\n, \x0A, <0x0A>), a space, the signs that
stand for it in vocabularies. Exit code 1 when no token is found."""


@command.command("find", epilog=_FIND_EPILOG)
@file_argument()
@click.argument("wanted", metavar="TEXT|ID")
@click.option("-r", "--regex", is_flag=True, help="TEXT is a regular expression.")
@json_option
@limits_option
@click.pass_context
def find_command(
    ctx: click.Context, file: str, wanted: str, regex: bool, as_json: bool, limits: tuple[str, ...]
) -> None:
    """Find tokens of FILE by text, id or regular expression."""
    from ...tokens.search import find_tokens, suggestions
    from ...tokens.vocabulary import Vocabulary

    with open_model(file, limits=read_limits(limits)) as model:
        found = find_tokens(model, wanted, regex=regex)
        close = [] if found or regex else suggestions(Vocabulary(model), wanted)
    if as_json:
        tokens, near = [*map(_token_json, found)], [*map(_token_json, close)]
        _print_json({"path": file, "tokens": tokens, "close": near})
    elif found:
        _print_tokens(found)
    else:
        _say_nothing(wanted, close)
    ctx.exit(0 if found else 1)


def _print_tokens(found: list[Token]) -> None:
    from ...core.values import text_of
    from ...render.text import quote
    from ..shared.tables import print_table

    cells = [
        (
            str(token.id),
            quote(token.text),
            token.type or "",
            "" if token.stands_for == token.raw else quote(text_of(token.stands_for)),
        )
        for token in found
    ]
    print_table("", ("id", "text", "type", "stands for"), cells, right=(0,))


def _say_nothing(wanted: str, close: list[Token]) -> None:
    from ...tokens.vocabulary import describe

    note(f"no token {wanted!r}")
    if close:
        note(f"close ones are {', '.join(map(describe, close))}")

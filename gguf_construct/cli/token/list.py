"""``token list``: the special tokens of a model, and where generation stops."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...core.registry import add_token_flags
from ..shared.messages import warn
from ..shared.options import file_argument, json_option, limits_option
from ..shared.output import print_json, print_line, print_table
from ..shared.reading import open_given

if TYPE_CHECKING:
    from ..._generated.types import Limits
    from ...model import Model
    from ...tokens.special import SpecialToken
    from ...tokens.vocabulary import Token

_EPILOG = """\b
Where an id comes from:
  file     the metadata key says so
  default  llama.cpp assumes it for this tokenizer
  text     llama.cpp finds it by its text; of several it takes any"""


@click.command("list", epilog=_EPILOG)
@file_argument
@json_option
@limits_option
def list_command(file: str, as_json: bool, limits: Limits | None) -> None:
    """Show the special tokens of FILE, and where generation stops."""
    from ...render.token_json import special_json, token_json
    from ...tokens.special import special_tokens, stop_tokens
    from ...tokens.vocabulary import Vocabulary

    with open_given(file, limits) as model:
        vocabulary = Vocabulary(model)
        rows, stops = special_tokens(model), stop_tokens(model)
        flags = _flags(model)
        if not as_json:
            _print_list(rows, stops, flags)
            return
        print_json(
            {
                "path": file,
                "tokenizer": vocabulary.tokenizer,
                "num_tokens": len(vocabulary),
                "tokens": [special_json(row) for row in rows],
                "added": flags,
                "stops": [token_json(token) for token in stops],
            }
        )


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
    from ...render.escaping import quote

    cells = [
        (
            row.role,
            "" if row.id is None else str(row.id),
            quote(row.token.text) if row.token else "",
            (row.token.type if row.token else None) or "",
            row.source,
            row.key,
        )
        for row in rows
    ]
    print_table("", ("role", "id", "text", "type", "from", "key"), cells, right=(1,))
    said = [f"{role} {'yes' if add else 'no'}" for role, add in flags.items() if add is not None]
    print_line()
    print_line(f"added to prompts: {', '.join(said) or 'the file does not say'}")
    listed = ", ".join(f"{token.id} {quote(token.text)}" for token in stops)
    print_line(f"llama.cpp stops at: {listed or 'nothing'}")
    for row in rows:
        if row.note:
            warn(f"{row.key}: {row.note}")

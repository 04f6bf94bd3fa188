"""``token find``: tokens by text, id or regular expression."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..shared.exit_codes import FINDINGS, FINE, decide
from ..shared.messages import note
from ..shared.options import file_argument, json_option, limits_option
from ..shared.output import print_json, print_table
from ..shared.reading import open_given

if TYPE_CHECKING:
    from ..._generated.types import Limits
    from ...tokens.vocabulary import Token

_EPILOG = r"""\b
Examples:
  gguf-construct token find m.gguf '<|im_end|>'
  gguf-construct token find m.gguf 106
  gguf-construct token find m.gguf '\n'
  gguf-construct token find m.gguf --regex '^<\|.*\|>$'

\b
Texts are understood in any spelling: escapes (\n, \x0A, <0x0A>), a space, the signs that
stand for it in vocabularies. Exit code 1 when no token is found."""


@click.command("find", epilog=_EPILOG)
@file_argument
@click.argument("wanted", metavar="TEXT|ID")
@click.option("-r", "--regex", is_flag=True, help="TEXT is a regular expression.")
@json_option
@limits_option
def find_command(file: str, wanted: str, regex: bool, as_json: bool, limits: Limits | None) -> int:
    """Find tokens of FILE by text, id or regular expression."""
    from ...render.token_json import token_json
    from ...tokens.search import find_tokens, suggestions
    from ...tokens.vocabulary import Vocabulary, describe

    with open_given(file, limits) as model:
        found = find_tokens(model, wanted, regex=regex)
        close = [] if found or regex else suggestions(Vocabulary(model), wanted)
    code = decide(FINE if found else FINDINGS)
    if as_json:
        tokens, near = [*map(token_json, found)], [*map(token_json, close)]
        print_json({"path": file, "tokens": tokens, "close": near})
    elif found:
        _print_tokens(found)
    else:
        note(f"no token {wanted!r}")
        if close:
            note(f"close matches: {', '.join(map(describe, close))}")
    return code


def _print_tokens(found: list[Token]) -> None:
    from ...core.values import text_of
    from ...render.escaping import quote

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

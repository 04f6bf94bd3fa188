"""What llama.cpp's lexer cannot read: seen in the tokens, for the syntax tree has lost it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_ESCAPE = re.compile(r"\\([^ntrbfv\\'\"])", re.DOTALL)
_PLAIN_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_MAX_DIGITS = 18  # of which every number fits into 64 bits


def spelling_limits(source: str) -> Iterator[tuple[int, str]]:
    """Lines and messages, in the order of the source."""
    from jinja2.exceptions import TemplateSyntaxError

    from .environment import make_environment

    try:
        for line, token, text in make_environment().lex(source):
            if message := _message(token, text):
                yield line, message
    except TemplateSyntaxError:
        return  # reported as such


def _message(token: str, text: str) -> str | None:
    if token == "raw_begin":
        return "llama.cpp has no statement 'raw'"
    if token in ("block_begin", "variable_begin") and text.endswith("+"):
        return f"llama.cpp cannot parse {text!r}"
    if token in ("block_end", "variable_end") and text.startswith("+"):
        return f"llama.cpp cannot parse {text.strip()!r}"
    if token == "string" and (escape := _ESCAPE.search(text)):
        return f"llama.cpp does not know the escape '\\{escape[1]}' in a text"
    if token in ("integer", "float"):
        is_plain = _PLAIN_NUMBER.fullmatch(text)
        if not is_plain or (token == "integer" and len(text) > _MAX_DIGITS):
            return f"llama.cpp cannot read the number {text[:40]}"
    if token == "name" and not text.isascii():
        return f"llama.cpp cannot read the name {text!r}: it is not ASCII"
    return None

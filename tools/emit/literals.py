"""Python literals as text, already formatted: one line where it fits, else one item per line.

A literal is a `str` of finished source (`quoted` makes strings), or a `Group` of literals.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

WIDTH = 100


@dataclass(frozen=True)
class Text:
    """A string literal, which may be split into several."""

    value: str


@dataclass(frozen=True)
class Group:
    """An opening, named or plain items, and a closing."""

    opening: str
    items: tuple[tuple[str, Literal], ...]
    closing: str
    lone_comma: bool = False


Literal = str | Text | Group


def quoted(text: str) -> Text:
    """A string literal."""
    return Text(text)


def sequence(items: Iterable[Literal]) -> Group:
    """A tuple."""
    return Group("(", tuple(("", item) for item in items), ")", lone_comma=True)


def call(name: str, plain: Iterable[Literal], **named: Literal) -> Group:
    """A call with positional, then keyword arguments."""
    items = [("", item) for item in plain]
    items += [(f"{key}=", item) for key, item in named.items()]
    return Group(f"{name}(", tuple(items), ")")


def mapping(items: Iterable[tuple[Literal, Literal]]) -> Group:
    """A dictionary; keys stay on one line."""
    return Group("{", tuple((f"{_flat(key)}: ", value) for key, value in items), "}")


def render(literal: Literal, head: str = "", tail: str = "", indent: int = 0) -> Iterator[str]:
    """The lines of `head literal tail`."""
    pad = " " * indent
    line = f"{pad}{head}{_flat(literal)}{tail}"
    if len(line) <= WIDTH or isinstance(literal, str):
        yield line
    elif isinstance(literal, Text):
        yield f"{pad}{head}("
        pieces = textwrap.wrap(
            literal.value,
            WIDTH - indent - 10,
            drop_whitespace=False,
            break_on_hyphens=False,
            break_long_words=False,
        )
        yield from (f"{pad}    {_string(piece)}" for piece in pieces)
        yield f"{pad}){tail}"
    else:
        yield f"{pad}{head}{literal.opening}"
        for name, item in literal.items:
            yield from render(item, name, ",", indent + 4)
        yield f"{pad}{literal.closing}{tail}"


def _flat(literal: Literal) -> str:
    if isinstance(literal, str):
        return literal
    if isinstance(literal, Text):
        return _string(literal.value)
    body = ", ".join(name + _flat(item) for name, item in literal.items)
    comma = "," if literal.lone_comma and len(literal.items) == 1 else ""
    return f"{literal.opening}{body}{comma}{literal.closing}"


def _string(text: str) -> str:
    """Double quotes unless that needs escapes; ASCII only, so no reader's encoding matters."""
    body = text.encode("unicode_escape").decode("ascii")
    if '"' in body and "'" not in body:
        return f"'{body}'"
    return '"' + body.replace('"', '\\"') + '"'

"""The subset of Kaitai's expression language that the schema may use.

A Pratt parser to a small tree.  What it does not know is an error, never a guess.
Source of the grammar: the Kaitai Struct user guide, section "Expression language".
"""

from __future__ import annotations

import re
from dataclasses import dataclass


class ExprError(ValueError):
    """The text is not an expression of the supported subset."""


@dataclass(frozen=True)
class Integer:
    """A decimal or hexadecimal number."""

    value: int


@dataclass(frozen=True)
class Truth:
    """``true`` or ``false``."""

    value: bool


@dataclass(frozen=True)
class Name:
    """A field, instance, parameter, or one of ``_root``, ``_io``, ``_index``."""

    id: str


@dataclass(frozen=True)
class EnumMember:
    """``file::enum::member`` or ``enum::member``; `enum` is the path without the member."""

    enum: tuple[str, ...]
    member: str


@dataclass(frozen=True)
class List:
    """``[1, 2, 3]``: in the schema always bytes or small numbers."""

    items: tuple[Expr, ...]


@dataclass(frozen=True)
class Attribute:
    """``of.id``."""

    of: Expr
    id: str


@dataclass(frozen=True)
class Index:
    """``of[at]``."""

    of: Expr
    at: Expr


@dataclass(frozen=True)
class Cast:
    """``of.as<type>``."""

    of: Expr
    type: str


@dataclass(frozen=True)
class Not:
    """``not of``."""

    of: Expr


@dataclass(frozen=True)
class Binary:
    """``left op right``."""

    op: str
    left: Expr
    right: Expr


@dataclass(frozen=True)
class Ternary:
    """``test ? yes : no``."""

    test: Expr
    yes: Expr
    no: Expr


Leaf = Integer | Truth | Name | EnumMember | List
Expr = Leaf | Attribute | Index | Cast | Not | Binary | Ternary

_TOKEN = re.compile(
    r"\s*(?:(0x[0-9a-fA-F_]+|\d[\d_]*)|([A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)"
    r"|(<<|>>|<=|>=|==|!=|[-+*/%&|^<>?:.,()\[\]]))"
)
_POWER = {
    "or": 2, "and": 3,
    "==": 5, "!=": 5, "<": 5, "<=": 5, ">": 5, ">=": 5,
    "|": 6, "^": 7, "&": 8, "<<": 9, ">>": 9,
    "+": 10, "-": 10, "*": 11, "/": 11, "%": 11,
}  # fmt: skip
_NOT_POWER = 4
# The schema's deepest expression has some 25 levels; each takes several calls of Python.
_DEEPEST = 60


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = self._split(text)
        self.at = 0
        self.depth = 0

    @staticmethod
    def _split(text: str) -> list[str]:
        tokens, pos = [], 0
        stripped = text.rstrip()
        while pos < len(stripped):
            match = _TOKEN.match(stripped, pos)
            if match is None:
                raise ExprError(f"cannot read {stripped[pos:]!r} in expression {text!r}")
            tokens.append(match.group().strip())
            pos = match.end()
        return tokens

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def next(self) -> str:
        token = self.peek()
        self.at += 1
        return token

    def expect(self, token: str) -> None:
        found = self.next()
        if found != token:
            raise ExprError(f"expected {token!r}, found {found or 'the end'!r} in {self.text!r}")

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ExprError("the expression is nested too deeply")

    def ternary(self) -> Expr:
        self.deeper()
        tree = self.binary(0)
        if self.peek() == "?":
            self.next()
            yes = self.ternary()
            self.expect(":")
            tree = Ternary(tree, yes, self.ternary())
        self.depth -= 1
        return tree

    def binary(self, floor: int) -> Expr:
        before = self.depth
        left = self.prefix()
        while (power := _POWER.get(self.peek(), -1)) > floor:
            self.deeper()
            op = self.next()
            left = Binary(op, left, self.binary(power))
        self.depth = before
        return left

    def prefix(self) -> Expr:
        if self.peek() == "not":
            self.next()
            self.deeper()
            inner = Not(self.binary(_NOT_POWER))
            self.depth -= 1
            return inner
        return self.postfix(self.atom())

    def atom(self) -> Expr:
        token = self.next()
        if token == "(":
            inner = self.ternary()
            self.expect(")")
            return inner
        if token == "[":
            return List(tuple(self.arguments("]")))
        if token[:1].isdigit():
            return self.integer(token)
        if token in ("true", "false"):
            return Truth(token == "true")
        if "::" in token:
            *enum, member = token.split("::")
            return EnumMember(tuple(enum), member)
        if re.match(r"[A-Za-z_]", token):
            return Name(token)
        raise ExprError(f"unexpected {token or 'end'!r} in {self.text!r}")

    @staticmethod
    def integer(token: str) -> Integer:
        try:
            return Integer(int(token.replace("_", ""), 0))
        except ValueError as error:
            raise ExprError(f"{token[:40]!r} is not a number") from error

    def postfix(self, of: Expr) -> Expr:
        before = self.depth
        while self.peek() in (".", "["):
            self.deeper()
            of = self.member(of)
        self.depth = before
        return of

    def member(self, of: Expr) -> Expr:
        """`of` with the one attribute, cast or index that follows it."""
        if self.next() == "[":
            at = self.ternary()
            self.expect("]")
            return Index(of, at)
        id = self.name()
        if id != "as":
            return Attribute(of, id)
        self.expect("<")
        cast = Cast(of, self.name())
        self.expect(">")
        return cast

    def name(self) -> str:
        token = self.next()
        if not re.match(r"[A-Za-z_]", token):
            raise ExprError(f"expected a name, found {token or 'the end'!r} in {self.text!r}")
        return token

    def arguments(self, close: str) -> list[Expr]:
        items: list[Expr] = []
        while self.peek() != close:
            items.append(self.ternary())
            if self.peek() != close:
                self.expect(",")
        self.next()
        return items

    def finish(self) -> None:
        if self.at < len(self.tokens):
            raise ExprError(f"left over: {' '.join(self.tokens[self.at :])!r} in {self.text!r}")


def parse_expr(text: str) -> Expr:
    """The tree of an expression.  Raises ExprError."""
    parser = _Parser(text)
    tree = parser.ternary()
    parser.finish()
    return tree


def parse_call(text: str) -> tuple[str, tuple[Expr, ...]]:
    """A type reference with its arguments: ``file::type(a, b)`` gives the name and the trees."""
    name, bracket, rest = text.partition("(")
    if not bracket:
        return text.strip(), ()
    parser = _Parser(rest)
    arguments = parser.arguments(")")
    parser.finish()
    return name.strip(), tuple(arguments)


def walk(tree: Expr) -> list[Expr]:
    """The tree's nodes, the outermost first."""
    match tree:
        case Attribute(of=of) | Cast(of=of) | Not(of=of):
            inner = [of]
        case Index(of=of, at=at):
            inner = [of, at]
        case Binary(left=left, right=right):
            inner = [left, right]
        case Ternary(test=test, yes=yes, no=no):
            inner = [test, yes, no]
        case List(items=items):
            inner = list(items)
        case _:
            inner = []
    return [tree, *(node for part in inner for node in walk(part))]

"""Translate schema expressions to Python, given what each name means."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tools.ksy.errors import Place, SchemaError
from tools.ksy.expr import (
    Attribute,
    Binary,
    Cast,
    EnumMember,
    Expr,
    Index,
    Integer,
    List,
    Name,
    Not,
    Ternary,
    Truth,
)

from .shapes import Number, Shape, Text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


class ElidedError(Exception):
    """The expression asks for an instance of a type that the codec reads as a bare number."""


@dataclass(frozen=True)
class Term:
    """Python code and the shape of what it gives; a list has the shape of its items."""

    code: str
    shape: Shape | None = None
    is_list: bool = False


@dataclass(frozen=True)
class Scope:
    """What names mean here: fields and parameters, and how to find an enum member's number."""

    names: Mapping[str, Term]
    enum_value: Callable[[EnumMember], int]
    place: Place


def translate(tree: Expr, scope: Scope) -> str:
    """Python code of an expression, with brackets around it where it is not a single operand."""
    return _term(tree, scope).code


def translate_bare(tree: Expr, scope: Scope) -> str:
    """Like `translate`, without the outermost brackets: for a statement of its own."""
    code = translate(tree, scope)
    return code[1:-1] if isinstance(tree, (Binary, Not, Ternary)) else code


def _term(tree: Expr, scope: Scope) -> Term:
    match tree:
        case Integer(value=value) | Truth(value=value):
            return Term(repr(value))
        case Name(id=id):
            if id not in scope.names:
                raise SchemaError(scope.place, f"{id!r} is not known at this point")
            return scope.names[id]
        case EnumMember():
            return Term(str(scope.enum_value(tree)))
        case List(items=items):
            return Term(repr(bytes(_literal(item, scope) for item in items)))
        case Cast(of=of):
            return _term(of, scope)
        case Attribute(of=of, id=id):
            return _attribute(of, id, scope)
        case Index(of=of, at=at):
            inner = _term(of, scope)
            return Term(f"{inner.code}[{translate(at, scope)}]", inner.shape)
        case Not(of=of):
            return Term(f"(not {translate(of, scope)})")
        case Binary(op=op, left=left, right=right):
            python = "//" if op == "/" else op
            return Term(f"({translate(left, scope)} {python} {translate(right, scope)})")
        case Ternary(test=test, yes=yes, no=no):
            parts = [translate(part, scope) for part in (yes, test, no)]
            return Term("({} if {} else {})".format(*parts))


def _literal(tree: Expr, scope: Scope) -> int:
    if not isinstance(tree, Integer):
        raise SchemaError(scope.place, "a list may only hold numbers")
    return tree.value


def _attribute(of: Expr, id: str, scope: Scope) -> Term:
    dotted = f"{of.id}.{id}" if isinstance(of, Name) else ""
    if dotted in scope.names:
        return scope.names[dotted]
    inner = _term(of, scope)
    match inner.shape:
        case Text(len_id=len_id, data_id=data_id, length=length):
            if id == data_id:
                return Term(inner.code)
            if id == len_id:
                return Term(f"len({inner.code})", length)
        case Number() | None if id == "value":
            return Term(inner.code, inner.shape)
        case Number():
            raise ElidedError(f"{id!r} of a number")
        case _:
            pass
    return Term(f"{inner.code}.{id}")


def evaluate(tree: Expr, names: Mapping[str, int], scope: Scope) -> int:
    """The number that an expression of constants and `names` comes to, at generation time."""
    known = {id: Term(repr(value)) for id, value in names.items()}
    code = translate(tree, Scope(known, scope.enum_value, scope.place))
    return int(eval(code, {"__builtins__": {}}))

"""The faults that can be planted into a module: each is one short stretch of text, replaced.

Strategy: the syntax tree says where operators, numbers, conditions, calls, locks and `raise`
stand; the text around them stays as it is, so that line numbers do, too.  Annotations,
docstrings, f-strings and what is only for type checkers are left alone: nothing runs there.
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
_OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.FloorDiv,
    ast.FloorDiv: ast.Mult,
    ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitXor: ast.BitOr,
}
_NOTHING = '__import__("contextlib").nullcontext()'


class Fault(NamedTuple):
    """One change of a module's text.

    Attributes:
        kind: what is changed: ``comparison``, ``arithmetic``, ``logic``, ``number``,
            ``condition``, ``call``, ``lock``, ``raise`` or ``loop``.
        scope: the class and function that it lies in.
        line: from 1.
        begin, end: the range of the text, in bytes of UTF-8.
        old, new: what is there and what takes its place.
    """

    kind: str
    scope: str
    line: int
    begin: int
    end: int
    old: str
    new: str

    def __str__(self) -> str:
        where = f"line {self.line}" + (f", in {self.scope}" if self.scope else "")
        return f"{where}: {_short(self.old)} -> {_short(self.new)} ({self.kind})"


def plant(path: Path, fault: Fault) -> None:
    """Write the fault into a file."""
    text = path.read_bytes()
    path.write_bytes(text[: fault.begin] + fault.new.encode() + text[fault.end :])


def faults_in(text: str) -> list[Fault]:
    """Every fault that a module has room for, in the order of the text."""
    found = list(_Finder(text).walk(ast.parse(text), ""))
    return sorted(set(found), key=lambda fault: (fault.begin, fault.end, fault.new))


class _Finder:
    def __init__(self, text: str) -> None:
        self.text = text.encode()
        self.starts = [0]
        for line in self.text.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))

    def walk(self, node: ast.AST, scope: str) -> Iterator[Fault]:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            scope = f"{scope}.{node.name}".strip(".")
        for kind, where, new in _changes(node):
            yield self._fault(kind, scope, where, new)
        for child in _what_runs(node):
            yield from self.walk(child, scope)

    def _fault(self, kind: str, scope: str, node: ast.expr | ast.stmt, new: str) -> Fault:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        begin = self.starts[node.lineno - 1] + node.col_offset
        end = self.starts[node.end_lineno - 1] + node.end_col_offset
        old = self.text[begin:end].decode()
        return Fault(kind, scope, node.lineno, begin, end, old, new)


def _changes(node: ast.AST) -> Iterator[tuple[str, ast.expr | ast.stmt, str]]:
    if isinstance(node, ast.If) and _is_for_type_checkers(node):
        return
    match node:
        case ast.Compare(left=left, ops=operators, comparators=others):
            for at, operator in enumerate(operators):
                ops = list(operators)
                ops[at] = _COMPARISONS[type(operator)]()
                yield "comparison", node, _text(ast.Compare(left, ops, others))
        case ast.BinOp(left=left, op=binary, right=right) if type(binary) in _OPERATORS:
            if not (_is_words(left) or _is_words(right)):
                yield "arithmetic", node, _text(ast.BinOp(left, _OPERATORS[type(binary)](), right))
        case ast.AugAssign(target=target, op=binary, value=value) if type(binary) in _OPERATORS:
            changed = ast.AugAssign(target, _OPERATORS[type(binary)](), value)
            yield "arithmetic", node, ast.unparse(changed)
        case ast.BoolOp(op=ast.And(), values=values):
            yield "logic", node, _text(ast.BoolOp(ast.Or(), values))
        case ast.BoolOp(op=ast.Or(), values=values):
            yield "logic", node, _text(ast.BoolOp(ast.And(), values))
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield "logic", node, _text(operand)
        case ast.Constant(value=bool(value)):
            yield "number", node, str(not value)
        case ast.Constant(value=int(value)):
            yield "number", node, f"({value + 1})"
        case ast.If(test=test) | ast.While(test=test) | ast.IfExp(test=test):
            yield "condition", test, "True" if not isinstance(node, ast.While) else "False"
            if not isinstance(node, ast.While):
                yield "condition", test, "False"
        case ast.Expr(value=ast.Call()):
            yield "call", node, "pass"
        case ast.Raise():
            yield "raise", node, "pass"
        case ast.With(items=items):
            for item in items:
                if isinstance(item.context_expr, ast.Call) and item.optional_vars is None:
                    yield "lock", item.context_expr, _NOTHING
        case ast.Continue():
            yield "loop", node, "break"
        case ast.Break():
            yield "loop", node, "continue"
        case _:
            pass


def _text(node: ast.expr) -> str:
    return f"({ast.unparse(node)})"


def _is_words(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (
        isinstance(node, ast.Constant) and isinstance(node.value, str)
    )


def _what_runs(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of a node in which a fault could make a difference."""
    if isinstance(node, ast.If) and _is_for_type_checkers(node):
        return
    # An assertion says what the type checker cannot see; it decides nothing.
    if isinstance(node, (ast.JoinedStr, ast.Assert)) or _is_only_for_readers(node):
        return
    for name, value in ast.iter_fields(node):
        if name in {"annotation", "returns", "decorator_list"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield child


def _is_for_type_checkers(node: ast.If) -> bool:
    return "TYPE_CHECKING" in ast.unparse(node.test)


def _is_only_for_readers(node: ast.AST) -> bool:
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    return isinstance(node, ast.Assign) and any(
        isinstance(target, ast.Name) and target.id in {"__all__", "TYPE_CHECKING", "__slots__"}
        for target in node.targets
    )


def _short(text: str) -> str:
    words = " ".join(text.split())
    return f"`{words if len(words) <= 70 else words[:67] + '...'}`"

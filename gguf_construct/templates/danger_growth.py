"""Ways to use up time or memory: huge numbers, loops in loops, texts that double, recursion."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .danger import Danger
from .syntax import leaf_name, walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeGuard

    from jinja2 import nodes

_MANY = 20_000
_ASTRONOMICAL = 1e30
_MAX_DEPTH = 20  # of sums and products of constants: deeper ones are no constants
_HUGE_WIDTH = re.compile(r"%[-+ #0]*\d{5,}|\{[^{}]*:[^{}]*\d{5,}|%\.\d{5,}")
_WIDE = frozenset(
    {
        *("center", "indent", "wordwrap", "tojson", "batch", "slice"),
        *("ljust", "rjust", "zfill", "expandtabs"),
    }
)


def growth_dangers(tree: nodes.Template, everything: Sequence[nodes.Node]) -> Iterator[Danger]:
    """Loops, numbers and texts that grow beyond what a prompt could use."""
    from jinja2 import nodes

    yield from _loops(tree)
    for node in everything:
        if isinstance(node, nodes.Macro):
            yield from _recursion(node)
        elif message := _large(node):
            yield Danger(node.lineno, message)


def _loops(tree: nodes.Node) -> Iterator[Danger]:
    """Nested loops over ranges, and texts that double in a loop."""
    from jinja2 import nodes

    stack: list[tuple[nodes.Node, int, bool]] = [(tree, 1, False)]
    while stack:
        node, times, inside = stack.pop()
        if isinstance(node, nodes.For):
            rounds = _rounds(node.iter)
            times, inside = times * rounds, True
            if times > _MANY:
                yield Danger(node.lineno, f"a loop that runs {times:,} times takes all the time")
                continue
        if inside and isinstance(node, nodes.Assign) and _doubles(node):
            yield Danger(node.lineno, "a value that doubles in each round of a loop fills memory")
        stack.extend((child, times, inside) for child in node.iter_child_nodes())


def _rounds(node: nodes.Node) -> int:
    """How often a loop over this runs, as far as constants say; at least once."""
    from jinja2 import nodes

    while isinstance(node, nodes.Filter) and node.node is not None:
        node = node.node
    if _is_range(node):
        numbers = [value for value in map(_number, node.args) if value is not None]
        return max(1, *map(int, numbers)) if numbers else 1
    if isinstance(node, nodes.Const) and isinstance(node.value, str):
        return max(1, len(node.value))
    if isinstance(node, (nodes.Mul, nodes.Pow)):
        return max(1, int(_number(node) or _factor(node)))
    return 1


def _is_range(node: nodes.Node) -> TypeGuard[nodes.Call]:
    from jinja2 import nodes

    return (
        isinstance(node, nodes.Call)
        and isinstance(node.node, nodes.Name)
        and node.node.name == "range"
    )


def _factor(node: nodes.BinExpr) -> float:
    return max([value for value in (_number(node.left), _number(node.right)) if value], default=1)


def _number(node: nodes.Node, depth: int = 0) -> float | None:
    """The value of an expression of constant numbers; at most _ASTRONOMICAL."""
    from jinja2 import nodes

    if isinstance(node, nodes.Const):
        is_number = isinstance(node.value, (int, float)) and not isinstance(node.value, bool)
        return float(min(node.value, _ASTRONOMICAL)) if is_number else None
    if not isinstance(node, (nodes.Mul, nodes.Pow, nodes.Add, nodes.Sub)) or depth > _MAX_DEPTH:
        return None
    left, right = _number(node.left, depth + 1), _number(node.right, depth + 1)
    if left is None or right is None:
        return None
    if isinstance(node, nodes.Mul):
        return min(left * right, _ASTRONOMICAL)
    if isinstance(node, nodes.Pow):
        try:
            return float(min(abs(left) ** right, _ASTRONOMICAL))
        except (OverflowError, ZeroDivisionError):
            return _ASTRONOMICAL
    return left + right if isinstance(node, nodes.Add) else left - right


def _doubles(node: nodes.Assign) -> bool:
    """`x = x ~ x`, `x = x + x`, `x = x * x` and the same with two of three operands."""
    from jinja2 import nodes

    target = _spelled(node.target)
    if not isinstance(node.node, (nodes.Concat, nodes.Add, nodes.Mul)) or not target:
        return False
    return [_spelled(one) for one in walk(node.node)].count(target) >= 2


def _spelled(node: nodes.Node) -> str:
    from jinja2 import nodes

    if isinstance(node, nodes.Name):
        return node.name
    if isinstance(node, nodes.NSRef):
        return f"{node.name}.{node.attr}"
    if isinstance(node, nodes.Getattr) and isinstance(node.node, nodes.Name):
        return f"{node.node.name}.{node.attr}"
    return ""


def _recursion(macro: nodes.Macro) -> Iterator[Danger]:
    """A macro that calls itself outside of any condition or loop never returns."""
    from jinja2 import nodes

    stack: list[nodes.Node] = list(macro.body)
    while stack:
        node = stack.pop()
        if isinstance(node, (nodes.If, nodes.CondExpr, nodes.For, nodes.And, nodes.Or)):
            continue
        called = node.node if isinstance(node, nodes.Call) else None
        if isinstance(called, nodes.Name) and called.name == macro.name:
            yield Danger(node.lineno, f"the macro {macro.name!r} calls itself without an end")
        stack.extend(node.iter_child_nodes())


def _large(node: nodes.Node) -> str | None:
    from jinja2 import nodes

    if isinstance(node, (nodes.Mul, nodes.Pow)):
        value = _number(node)
        if max(value or 0, _factor(node)) > _MANY:
            return "a number or a text that grows beyond any prompt fills memory"
    if _is_range(node) and _rounds(node) > _MANY:
        return f"a range of {_rounds(node):,} numbers takes all the time"
    if _widest(node) > _MANY:
        return "a text of that width fills memory"
    if isinstance(node, nodes.Const) and isinstance(node.value, str):
        width = _HUGE_WIDTH.search(node.value)
        return f"the width in the format {node.value[:40]!r} fills memory" if width else None
    return None


def _widest(node: nodes.Node) -> float:
    """The largest number that is given to a filter or a method that makes texts of a width."""
    from jinja2 import nodes

    given: list[nodes.Node] = []
    if isinstance(node, nodes.Filter) and node.name in _WIDE:
        given = [*node.args, *(one.value for one in node.kwargs)]
    elif isinstance(node, nodes.Call) and leaf_name(node.node) in _WIDE:
        given = [*node.args]
    return max([value for value in map(_number, given) if value], default=0)

"""What llama.cpp's template engine cannot do, seen in the syntax tree.

A template that meets one of these limits while llama.cpp looks at it keeps the whole model from
loading; in a branch that is reached later it fails that one request.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .engines import (
    LLAMA_ALIASES,
    LLAMA_BUILTINS,
    LLAMA_OPERATORS,
    LLAMA_TESTS,
    LLAMA_TEXT_FILTERS,
    LLAMA_UNKNOWN_FUNCTIONS,
    LLAMA_UNKNOWN_LOOP,
    LLAMA_UNKNOWN_STATEMENTS,
    PYTHON_METHODS,
)
from .llama_spelling import spelling_limits
from .operand_kinds import kind_of
from .syntax import walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jinja2 import nodes


class Limit(NamedTuple):
    """Something that llama.cpp's engine cannot do.

    Attributes:
        line: where it is, from 1.
        code: "template-llama-" and filter, test, tag, operator, method, call or syntax;
            template-llama-differs where it gives another result instead of failing.
        message: what it is.
    """

    line: int
    code: str
    message: str


def llama_limits(source: str, tree: nodes.Template) -> list[Limit]:
    """Every limit that a template meets, once, by line."""
    found: dict[tuple[str, str], int] = {}
    for line, message in spelling_limits(source):
        found.setdefault(("syntax", message), line)
    for node in walk(tree):
        for kind, message in _limits(node):
            found.setdefault((kind, message), node.lineno)
    return sorted(
        Limit(line, f"template-llama-{kind}", message) for (kind, message), line in found.items()
    )


def _limits(node: nodes.Node) -> Iterator[tuple[str, str]]:
    from jinja2 import nodes

    if isinstance(node, nodes.Stmt):
        yield from _statement(node)
    elif isinstance(node, nodes.Filter):
        yield from _filter(node)
    elif isinstance(node, nodes.Test):
        if node.name not in LLAMA_TESTS:
            yield "test", f"llama.cpp has no test {node.name!r}"
    elif isinstance(node, nodes.Compare):
        yield from _comparison(node)
    elif isinstance(node, nodes.BinExpr) and node.operator in LLAMA_OPERATORS:
        yield from _operation(node.operator, node.left, node.right)
    elif isinstance(node, nodes.Concat):
        # From left to right: once there is a text, all that is added becomes text.
        if len(node.nodes) > 1:
            yield from _operation("~", node.nodes[0], node.nodes[1])
    elif isinstance(node, nodes.Call):
        yield from _call(node)
    elif isinstance(node, nodes.Tuple) and node.ctx == "load" and len(node.items) < 2:
        yield "syntax", "llama.cpp cannot parse a tuple of fewer than two items"
    elif isinstance(node, nodes.Getitem) and kind_of(node.node) == "text":
        yield "differs", "llama.cpp counts the characters of a text in bytes, from the start only"


def _statement(node: nodes.Stmt) -> Iterator[tuple[str, str]]:
    from jinja2 import nodes

    tag = LLAMA_UNKNOWN_STATEMENTS.get(type(node).__name__)
    if tag is not None:
        yield "tag", f"llama.cpp has no statement {tag!r}"
    if isinstance(node, nodes.For):
        if node.recursive:
            yield "tag", "llama.cpp has no recursive loops"
        targets = node.target.items if isinstance(node.target, nodes.Tuple) else []
        if any(isinstance(one, nodes.Tuple) for one in targets):
            yield "syntax", "llama.cpp cannot unpack a tuple inside a tuple"
        if kind_of(node.iter) in ("text", "number", "boolean", "none"):
            yield "operator", f"llama.cpp cannot loop over a {kind_of(node.iter)}"
    if isinstance(node, nodes.AssignBlock) and node.filter is not None:
        yield "syntax", "llama.cpp has no filter in a 'set' block"
    # An extension's attribute is what {% generation %} becomes.
    plain = (nodes.Name, nodes.ExtensionAttribute)
    if isinstance(node, nodes.CallBlock) and not isinstance(node.call.node, plain):
        yield "syntax", "llama.cpp can 'call' only a macro by its name"


def _comparison(node: nodes.Compare) -> Iterator[tuple[str, str]]:
    signs = {"lt": "<", "lteq": "<=", "gt": ">", "gteq": ">=", "in": "in", "notin": "in"}
    if len(node.ops) > 1 and any(one.op in ("lt", "lteq", "gt", "gteq") for one in node.ops):
        yield "operator", "llama.cpp has no chained comparison, such as 0 < x < 2"
        return
    left = node.expr
    for one in node.ops:
        if one.op in signs:
            yield from _operation(signs[one.op], left, one.expr)
        left = one.expr


def _operation(
    sign: str, left: nodes.Node | None, right: nodes.Node | None
) -> Iterator[tuple[str, str]]:
    allowed = LLAMA_OPERATORS[sign]
    if not allowed:
        yield "operator", f"llama.cpp has no operator {sign!r}"
        return
    one, other = kind_of(left), kind_of(right)
    if not _fits(one, other, allowed):
        kinds = " and ".join(kind for kind in (one or "a variable", other or "a variable"))
        yield "operator", f"llama.cpp cannot use {sign!r} on {kinds}"


def _fits(left: str, right: str, allowed: frozenset[tuple[str, str]]) -> bool:
    """Whether some pair allows these kinds; an unknown kind may be any."""
    return any(_matches(left, one) and _matches(right, other) for one, other in allowed)


def _matches(kind: str, pattern: str) -> bool:
    return not kind or kind == pattern or (pattern == "*" and kind != "none")


def _filter(node: nodes.Filter) -> Iterator[tuple[str, str]]:
    name = LLAMA_ALIASES.get(node.name, node.name)
    kind = kind_of(node.node)
    known: frozenset[str] = frozenset().union(*LLAMA_BUILTINS.values()) - {"unique"}
    if kind and not node.args and not node.kwargs and name in LLAMA_TEXT_FILTERS:
        kind = "text"
    if name not in known:
        yield "filter", f"llama.cpp has no filter {node.name!r}"
    elif kind and name not in LLAMA_BUILTINS[kind]:
        yield "filter", f"llama.cpp has no filter {node.name!r} for a {kind}"
    else:
        yield from _arguments(name, node.args, node.kwargs, is_filter=True)


def _call(node: nodes.Call) -> Iterator[tuple[str, str]]:
    from jinja2 import nodes

    if node.dyn_args is not None or node.dyn_kwargs is not None:
        yield "call", "llama.cpp cannot unpack arguments with * or **"
    if isinstance(node.node, nodes.Name) and node.node.name in LLAMA_UNKNOWN_FUNCTIONS:
        yield "call", f"llama.cpp has no function {node.node.name!r}"
    if not isinstance(node.node, nodes.Getattr):
        return
    name, owner = node.node.attr, node.node.node
    if isinstance(owner, nodes.Name) and owner.name == "loop" and name in LLAMA_UNKNOWN_LOOP:
        yield "method", f"llama.cpp has no 'loop.{name}'"
        return
    kind = kind_of(owner)
    everything: frozenset[str] = frozenset().union(*LLAMA_BUILTINS.values())
    known = LLAMA_BUILTINS[kind] if kind else everything
    if name not in known and (kind or name in PYTHON_METHODS):
        yield "method", f"llama.cpp has no method {name!r}" + (f" for a {kind}" if kind else "")
        return
    yield from _arguments(name, node.args, node.kwargs, is_filter=False)
    if name == "format" and kind == "text" and not _is_simple_format(owner):
        yield "method", "llama.cpp formats only plain {} places"


def _is_simple_format(node: nodes.Node) -> bool:
    import re

    text = str(getattr(node, "value", "{}"))
    return not re.search(r"\{(?!\})", text.replace("{}", ""))


def _arguments(
    name: str,
    args: Sequence[nodes.Node],
    kwargs: Sequence[nodes.Keyword | nodes.Pair],
    *,
    is_filter: bool,
) -> Iterator[tuple[str, str]]:
    """Filters and methods that are there, but not with these arguments."""
    from jinja2 import nodes

    keys = {one.key: one.value for one in kwargs}
    kind = "filter" if is_filter else "method"
    if name == "tojson" and "sort_keys" in keys and not _is_false(keys["sort_keys"]):
        yield kind, "llama.cpp cannot sort keys in 'tojson'"
    if name == "map" and args:
        yield kind, "llama.cpp can 'map' attributes only, not filters"
    if name == "replace" and (len(args) > 2 or "count" in keys):
        yield kind, "llama.cpp cannot 'replace' a given number of times"
    if name in ("startswith", "endswith") and args and isinstance(args[0], nodes.Tuple):
        yield kind, f"llama.cpp takes one text for {name!r}, no tuple"
    if name in ("split", "rsplit") and kwargs:
        yield kind, f"llama.cpp has no named arguments for {name!r}"
    if name == "slice" and is_filter:
        yield kind, "llama.cpp has another filter 'slice': start, end and step"
    if is_filter and name in ("select", "reject") and args:
        yield "differs", f"llama.cpp takes the name for an attribute in {name!r}, not for a test"
    if is_filter and name == "format":
        yield "differs", "llama.cpp's filter 'format' knows {} places, and leaves %s as it is"
    if not is_filter and name == "split" and not args and not kwargs:
        yield "differs", "llama.cpp splits at each single space in 'split()'"


def _is_false(node: nodes.Node) -> bool:
    return not getattr(node, "value", True)

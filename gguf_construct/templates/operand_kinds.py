"""The kind of value that an expression gives, where its form alone says so."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jinja2 import nodes

KINDS = ("text", "number", "boolean", "list", "mapping", "none")
_MAX_DEPTH = 20
_FILTERS = {
    **dict.fromkeys(
        ("capitalize", "join", "lower", "replace", "string", "title", "tojson", "trim", "upper"),
        "text",
    ),
    **dict.fromkeys(("count", "float", "int", "length"), "number"),
    **dict.fromkeys(("list", "map", "reject", "rejectattr", "select", "selectattr"), "list"),
}
_METHODS = {
    **dict.fromkeys(("capitalize", "format", "join", "lower", "lstrip", "replace"), "text"),
    **dict.fromkeys(("rstrip", "strip", "title", "upper"), "text"),
    **dict.fromkeys(("endswith", "startswith"), "boolean"),
    **dict.fromkeys(("rsplit", "split", "splitlines"), "list"),
}


def kind_of(node: nodes.Node | None, depth: int = 0) -> str:
    """One of `KINDS`, or an empty text where it depends on variables."""
    from jinja2 import nodes

    if node is None or depth > _MAX_DEPTH:
        return ""
    if isinstance(node, nodes.Const):
        return _constant(node.value)
    if isinstance(node, (nodes.Compare, nodes.Not, nodes.Test)):
        return "boolean"
    if isinstance(node, (nodes.List, nodes.Tuple)):
        return "list"
    if isinstance(node, nodes.Filter):
        return _FILTERS.get(node.name, "")
    if isinstance(node, nodes.Call) and isinstance(node.node, nodes.Getattr):
        return _METHODS.get(node.node.attr, "")
    if isinstance(node, (nodes.Neg, nodes.Pos, nodes.Sub, nodes.Div, nodes.FloorDiv, nodes.Pow)):
        return "number"
    if isinstance(node, nodes.Add):
        left, right = kind_of(node.left, depth + 1), kind_of(node.right, depth + 1)
        return left if left == right else "text" if "text" in (left, right) else ""
    if isinstance(node, (nodes.Concat, nodes.TemplateData)):
        return "text"
    return "mapping" if isinstance(node, nodes.Dict) else ""


def _constant(value: object) -> str:
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, (int, float)):
        return "number"
    if isinstance(value, str):
        return "text"
    return "none" if value is None else ""

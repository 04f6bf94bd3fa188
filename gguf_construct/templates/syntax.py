"""The syntax tree of a chat template: how it is made and how it is walked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..errors import TemplateError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from jinja2 import nodes

# Names under which templates keep what people wrote.
_CONTENT = frozenset(("content", "text", "user_message", "prompt", "query"))


def parse_tree(source: str) -> nodes.Template:
    """The syntax tree of a template.

    Raises:
        TemplateError: with `line`.
    """
    from jinja2.exceptions import TemplateSyntaxError

    from .environment import make_environment, parsed_line

    try:
        return make_environment().parse(source)
    except TemplateSyntaxError as error:
        raise TemplateError(
            error.message or "syntax error",
            path=f"line {error.lineno}",
            line=error.lineno,
            reason="syntax",
        ) from error
    except (RecursionError, ValueError, OverflowError, MemoryError) as error:
        # The others: numbers of thousands of digits, invalid code points.
        deep = isinstance(error, RecursionError)
        line = parsed_line(error.__traceback__)
        raise TemplateError(
            "it is nested too deeply" if deep else f"not a template: {error}",
            path=f"line {line}" if line else None,
            line=line,
            reason="recursion" if deep else "syntax",
        ) from error


def walk(tree: nodes.Node) -> Iterator[nodes.Node]:
    """Every node below and including `tree`, in the order of the source.

    Not by `find_all`, which recurses: the tree may be deeper than Python's stack.
    """
    stack = [tree]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(reversed(list(node.iter_child_nodes())))


def leaf_name(node: nodes.Node | None) -> str:
    """The last name of an expression: `content` of `m.content`, `m['content']` and `content`."""
    from jinja2 import nodes

    if isinstance(node, nodes.Name):
        return node.name
    if isinstance(node, (nodes.Getattr, nodes.NSRef)):
        return node.attr
    if isinstance(node, nodes.Getitem) and isinstance(node.arg, nodes.Const):
        return str(node.arg.value)
    return ""


def names_set_from(everything: Sequence[nodes.Node], names: Iterable[str]) -> frozenset[str]:
    """These names, and the variables that are set from them, directly or by way of others."""
    from jinja2 import nodes

    found = set(names)
    sources = [
        (leaf_name(node.target), {leaf_name(one) for one in walk(node.node)})
        for node in everything
        if isinstance(node, nodes.Assign)
    ]
    for _ in range(3):
        found |= {target for target, used in sources if used & found}
    return frozenset(found - {""})


def content_names(everything: Sequence[nodes.Node]) -> frozenset[str]:
    """Names that hold the text of messages: the usual ones, and variables set from them."""
    return names_set_from(everything, _CONTENT)

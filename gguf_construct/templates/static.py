"""What can be said of a chat template without running it.

Parsing only builds a tree, so it happens here for templates of any usual size; only the far too
large ones go to the child process of `rendering`, which has a clock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .danger import Danger
from .engines import CONTEXT_NAMES
from .llama_limits import Limit, llama_limits
from .security import find_dangers
from .syntax import parse_tree, walk

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from jinja2 import nodes

# jinja2 parses some 250 KB a second at worst: a hostile template of this size takes 0.3 s.
MAX_IN_PROCESS = 1 << 16


class Mention(NamedTuple):
    """Something that a template contains, and the line of its first use."""

    line: int
    name: str


class TemplateReport(NamedTuple):
    """What a template uses.

    Attributes:
        names: variables that it reads and does not set, or that callers give.
        unknown_names: those of them that no engine gives.
        unknown_filters, unknown_tests: what neither jinja2 nor transformers has.
        llama_limits: what llama.cpp's engine cannot do.
        dangers: what no chat template needs.
    """

    names: tuple[Mention, ...]
    unknown_names: tuple[Mention, ...]
    unknown_filters: tuple[Mention, ...]
    unknown_tests: tuple[Mention, ...]
    llama_limits: tuple[Limit, ...]
    dangers: tuple[Danger, ...]


def parse_template(source: str) -> None:
    """Check the syntax of a chat template.

    Time and memory are bounded by the size that is parsed here; a larger template is compiled in
    a child process under the default limits.

    Raises:
        TemplateError: with `line` and `message`.
    """
    if len(source) > MAX_IN_PROCESS:
        from .rendering import compile_template

        compile_template(source)
    else:
        parse_tree(source)


def template_report(source: str) -> TemplateReport:
    """What the template uses, by its syntax tree.

    Raises:
        TemplateError: it cannot be parsed, or not within the limits of the child process.
    """
    if len(source) <= MAX_IN_PROCESS:
        return report_of(source)
    from .rendering import report_in_child

    return _report(report_in_child(source))


def _report(fields: Mapping[str, Sequence[Sequence[object]]]) -> TemplateReport:
    """A report from what JSON makes of it."""
    kinds: dict[str, Any] = {"dangers": Danger, "llama_limits": Limit}
    return TemplateReport(
        **{
            name: tuple(kinds.get(name, Mention)._make(one) for one in found)
            for name, found in fields.items()
        }
    )


def report_of(source: str) -> TemplateReport:
    """The same, in this process whatever the size."""
    from .environment import make_environment

    environment = make_environment()
    tree = parse_tree(source)
    seen = _collect(tree)
    # `{% set messages = messages[1:] %}` reads what the caller gave before it sets its own.
    own = {mention.name for mention in seen["set"]} - CONTEXT_NAMES | environment.globals.keys()
    names = _without(seen["read"], own)
    return TemplateReport(
        names=names,
        unknown_names=_without(names, CONTEXT_NAMES),
        unknown_filters=_without(seen["filter"], environment.filters),
        unknown_tests=_without(seen["test"], environment.tests),
        llama_limits=tuple(llama_limits(source, tree)),
        dangers=tuple(find_dangers(source, tree)),
    )


def _without(mentions: tuple[Mention, ...], known: Container[str]) -> tuple[Mention, ...]:
    return tuple(mention for mention in mentions if mention.name not in known)


def _collect(tree: nodes.Template) -> dict[str, tuple[Mention, ...]]:
    """First mentions by kind: read, set, filter, test."""
    found: dict[str, dict[str, int]] = {kind: {} for kind in ("read", "set", "filter", "test")}
    for node in walk(tree):
        for kind, name in _facts(node):
            found[kind].setdefault(name, node.lineno)
    return {
        kind: tuple(Mention(line, name) for name, line in names.items())
        for kind, names in found.items()
    }


def _facts(node: nodes.Node) -> list[tuple[str, str]]:
    from jinja2 import nodes

    if isinstance(node, nodes.Name):
        return [("read" if node.ctx == "load" else "set", node.name)]
    if isinstance(node, nodes.Filter):
        return [("filter", node.name)]
    if isinstance(node, nodes.Test):
        return [("test", node.name)]
    if isinstance(node, nodes.Macro):
        return [("set", node.name), ("set", "varargs"), ("set", "kwargs")]
    if isinstance(node, nodes.For):
        return [("set", "loop")]
    if isinstance(node, nodes.CallBlock):
        return [("set", "caller")]
    return []

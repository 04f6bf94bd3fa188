"""What can be said of a chat template without running it.

Parsing only builds a tree, so it happens here for templates of any usual size; only the far too
large ones go to the child process of `rendering`, which has a clock.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ..errors import TemplateError
from .engines import CONTEXT_NAMES, LLAMA_CPP_FILTERS, LLAMA_CPP_STATEMENTS, LLAMA_CPP_TESTS

if TYPE_CHECKING:
    from collections.abc import Container

    from jinja2 import nodes

__all__ = ["Mention", "TemplateReport", "parse_template", "template_report"]

# jinja2 parses some 250 KB a second at worst: a hostile template of this size takes 0.3 s.
MAX_IN_PROCESS = 1 << 16

# Texts that look like special tokens: <|im_end|>, <s>, </s>, <start_of_turn>, [INST], <<SYS>> and
# deepseek's full-width bars.
_SPECIAL = (
    r"<\|[^|<>\s]{1,60}\|>"
    r"|<\uff5c[^<>\s]{1,60}\uff5c>"
    r"|<<?/?[A-Za-z_][\w.-]{0,60}>?>"
    r"|\[/?[A-Z][A-Z_]{1,40}\]"
)


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
        llama_filters, llama_tests, llama_statements: what llama.cpp's interpreter lacks.
        private: attributes that start with an underscore, which the sandbox refuses.
        special_tokens: texts that look like special tokens, in order.
    """

    names: tuple[Mention, ...]
    unknown_names: tuple[Mention, ...]
    unknown_filters: tuple[Mention, ...]
    unknown_tests: tuple[Mention, ...]
    llama_filters: tuple[Mention, ...]
    llama_tests: tuple[Mention, ...]
    llama_statements: tuple[Mention, ...]
    private: tuple[Mention, ...]
    special_tokens: tuple[Mention, ...]


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
        _parse(source)


def template_report(source: str) -> TemplateReport:
    """What the template uses, by its syntax tree.

    Raises:
        TemplateError: it cannot be parsed, or is too large to be looked at.
    """
    if len(source) > MAX_IN_PROCESS:
        raise TemplateError(
            f"the template has {len(source)} characters; more than {MAX_IN_PROCESS} are not "
            "analysed",
            reason="memory",
        )
    from .environment import make_environment

    environment = make_environment()
    seen = _collect(_parse(source))
    filters, tests = seen["filter"], seen["test"]
    # `{% set messages = messages[1:] %}` reads what the caller gave before it sets its own.
    own = {mention.name for mention in seen["set"]} - CONTEXT_NAMES | environment.globals.keys()
    names = _without(seen["read"], own)
    return TemplateReport(
        names=names,
        unknown_names=_without(names, CONTEXT_NAMES),
        unknown_filters=_without(filters, environment.filters),
        unknown_tests=_without(tests, environment.tests),
        llama_filters=_without(filters, LLAMA_CPP_FILTERS),
        llama_tests=_without(tests, LLAMA_CPP_TESTS),
        llama_statements=_without(seen["statement"], LLAMA_CPP_STATEMENTS),
        private=seen["private"],
        special_tokens=seen["special"],
    )


def _without(mentions: tuple[Mention, ...], known: Container[str]) -> tuple[Mention, ...]:
    return tuple(mention for mention in mentions if mention.name not in known)


def _parse(source: str) -> nodes.Template:
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


def _collect(tree: nodes.Template) -> dict[str, tuple[Mention, ...]]:
    """First mentions by kind: read, set, filter, test, statement, private, special."""
    found: dict[str, dict[str, int]] = {
        kind: {} for kind in ("read", "set", "filter", "test", "statement", "private", "special")
    }
    stack: list[nodes.Node] = [tree]
    while stack:  # not node.find_all: the tree may be deeper than Python's stack
        node = stack.pop()
        for kind, name in _facts(node):
            found[kind].setdefault(name, node.lineno)
        stack.extend(reversed(list(node.iter_child_nodes())))
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
    if isinstance(node, nodes.Getattr):
        return [("private", node.attr)] if node.attr.startswith("_") else []
    if isinstance(node, nodes.TemplateData):
        return _texts(node.data)
    if isinstance(node, nodes.Const) and isinstance(node.value, str):
        private = [("private", node.value)] if node.value.startswith("__") else []
        return private + _texts(node.value)
    if isinstance(node, nodes.Macro):
        return [("statement", "Macro"), ("set", node.name), ("set", "varargs"), ("set", "kwargs")]
    if isinstance(node, nodes.For):
        return [("statement", "For"), ("set", "loop")]
    if isinstance(node, nodes.CallBlock):
        return [("statement", "CallBlock"), ("set", "caller")]
    if isinstance(node, nodes.Stmt):
        return [("statement", type(node).__name__)]
    return []


def _texts(text: str) -> list[tuple[str, str]]:
    return [("special", found) for found in re.findall(_SPECIAL, text)]

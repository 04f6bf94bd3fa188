"""Ways out of a template: attributes of Python's internals, other files, format strings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .danger import Danger
from .syntax import content_names, leaf_name, walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jinja2 import nodes

_INTERNALS = "it leads to Python's internals, from which a program can be started"
# Attributes by which such walks go on; none of them is in a message.
_WALKED = re.compile(
    r"__\w*|_+|mro|subclasses|func_globals|gi_frame|gi_code|cr_frame|f_globals|f_builtins|f_back"
    r"|tb_frame|im_func|popen|builtins|_module|_load|_mutable\w*|_TemplateReference\w*"
)
_WALK_IN_TEXT = re.compile(r"__[A-Za-z]\w*__|\{[^{}]*[.\[]_")
_FUNCTIONS = frozenset(
    {
        *("open", "eval", "exec", "compile", "getattr", "setattr", "delattr", "globals", "locals"),
        *("vars", "dir", "type", "input", "breakpoint", "exit", "quit", "help", "memoryview"),
        *("url_for", "get_flashed_messages", "lipsum", "import_module", "system", "popen"),
    }
)
_OBJECTS = frozenset(("self", "os", "sys", "subprocess", "builtins", "importlib", "socket"))
_FORMATTING = frozenset(("format", "format_map"))


def access_dangers(everything: Sequence[nodes.Node]) -> Iterator[Danger]:
    """Attributes, names and statements that reach outside of the conversation."""
    from jinja2 import nodes

    content = content_names(everything)
    own = {node.name for node in everything if isinstance(node, nodes.Macro)}
    own |= {node.name for node in everything if isinstance(node, nodes.Name) and node.ctx != "load"}
    for node in everything:
        if message := _attribute(node) or _name(node, own) or _format(node, content) or _file(node):
            yield Danger(node.lineno, message)


def _attribute(node: nodes.Node) -> str | None:
    from jinja2 import nodes

    if isinstance(node, nodes.Getattr) and _is_walk(node.attr):
        return f"the attribute {node.attr!r}: {_INTERNALS}"
    if isinstance(node, nodes.Getitem) and not isinstance(node.arg, nodes.Slice):
        if isinstance(node.arg, nodes.Const):
            if isinstance(node.arg.value, str) and _is_walk(node.arg.value):
                return f"the item {node.arg.value!r}: {_INTERNALS}"
        elif _is_assembled(node.arg):
            return "a name of an attribute that is put together from texts: that hides what it is"
    if isinstance(node, nodes.Filter) and node.name == "attr":
        return f"the filter 'attr' reads attributes of Python: {_INTERNALS}"
    if isinstance(node, nodes.Const) and isinstance(node.value, str):
        found = _WALK_IN_TEXT.search(node.value)
        if found:
            return f"the text {node.value[:60]!r} names an attribute of Python: {_INTERNALS}"
    return None


def _is_walk(name: str) -> bool:
    return _WALKED.fullmatch(name) is not None or name.startswith("__")


def _is_assembled(node: nodes.Node) -> bool:
    """Whether an expression makes a text of constant texts alone."""
    from jinja2 import nodes

    leaves = [one for one in walk(node) if not list(one.iter_child_nodes())]
    texts = [one for one in leaves if isinstance(one, nodes.Const) and isinstance(one.value, str)]
    return bool(texts) and all(isinstance(one, nodes.Const) for one in leaves)


def _name(node: nodes.Node, own: set[str]) -> str | None:
    from jinja2 import nodes

    if isinstance(node, nodes.Name) and node.ctx == "load" and node.name not in own:
        if node.name in _OBJECTS or _is_walk(node.name):
            return f"the name {node.name!r}: {_INTERNALS}"
        if node.name == "lipsum":
            return "'lipsum' makes random text of any length"
    if isinstance(node, nodes.Call):
        called = leaf_name(node.node)
        if called in _FUNCTIONS and called not in own:
            return f"a call of {called!r}: no engine gives that to a template"
    return None


def _format(node: nodes.Node, content: frozenset[str]) -> str | None:
    from jinja2 import nodes

    told = "a format string from a message: its author can read attributes with it"
    called = node.node if isinstance(node, nodes.Call) else None
    if isinstance(called, nodes.Getattr) and called.attr in _FORMATTING:
        used = any(leaf_name(one) in content for one in walk(called.node))
        return told if used or called.attr == "format_map" else None
    if isinstance(node, nodes.Filter) and node.name == "format" and node.node is not None:
        return told if any(leaf_name(one) in content for one in walk(node.node)) else None
    if isinstance(node, nodes.Mod) and leaf_name(node.left) in content:
        return told
    return None


def _file(node: nodes.Node) -> str | None:
    from jinja2 import nodes

    names: dict[type[nodes.Node], str] = {
        nodes.Include: "include",
        nodes.Import: "import",
        nodes.FromImport: "from ... import",
        nodes.Extends: "extends",
    }
    for kind, name in names.items():
        if isinstance(node, kind):
            return f"the statement {name!r} reads another file: a chat template is one text"
    return None

"""What no chat template needs and an attack does: found in the syntax tree, without running it.

The sandbox of transformers stops some of it.  Engines without one run it (CVE-2024-34359,
CVE-2026-5760), so a file that contains it is worth a look whoever renders it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.hidden_characters import describe_hidden, hidden_characters
from .danger import Danger
from .danger_access import access_dangers
from .danger_growth import growth_dangers
from .danger_triggers import trigger_dangers
from .syntax import walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jinja2 import nodes

_MAX_FOUND = 50


def find_dangers(source: str, tree: nodes.Template) -> list[Danger]:
    """Everything suspicious in a template, by line; empty for an ordinary one."""
    everything = list(walk(tree))
    found = {
        *access_dangers(everything),
        *growth_dangers(tree, everything),
        *trigger_dangers(everything),
        *_hidden(source, everything),
    }
    return sorted(found)[:_MAX_FOUND]


def _hidden(source: str, everything: Sequence[nodes.Node]) -> Iterator[Danger]:
    from jinja2 import nodes

    # A byte order mark at the start is a mistake of an editor: it has a finding of its own.
    hidden = hidden_characters(source.removeprefix("\ufeff"))
    if hidden:
        yield Danger(
            hidden[0].line,
            f"it contains {describe_hidden(hidden)}: what a person sees is not what the model gets",
        )
        return
    for node in everything:  # written as escapes in a literal
        if isinstance(node, nodes.Const) and isinstance(node.value, str):
            escaped = hidden_characters(node.value)
            if escaped:
                yield Danger(
                    node.lineno,
                    f"a text contains {describe_hidden(escaped)}: "
                    "what a person sees is not what the model gets",
                )

"""Instructions that a person does not see: bound to a trigger word or a date, or to be kept quiet.

A template sees the conversation before the model does.  It can add an order to it when a certain
word or day comes, which no test with other words or on another day shows.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .danger import Danger
from .syntax import content_names, leaf_name, names_set_from, walk

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from jinja2 import nodes

# Words of prose: markup, such as <think> or /no_think, is what honest templates look for.
_PROSE = re.compile(r"(?:[A-Za-z\u00c0-\uffff]{2,}[ ,.:;!?'\u2019-]+){2,}[A-Za-z\u00c0-\uffff]{2,}")
_MARKUP = re.compile(r"[<>\[\]|{}/\\_\uff5c#]|^\W*$")
# Kinds of message parts, roles and the like: what templates ask for by name.
_USUAL = frozenset(("image", "image_url", "audio", "video", "value", "json", "none"))
_SECRECY = re.compile(
    r"(?:ignore|disregard|forget)\s+(?:\w+\s+){0,3}(?:previous|prior|above|earlier)\s+"
    r"(?:\w+\s+)?(?:instructions?|rules?|prompts?|messages?)"
    r"|(?:do\s+not|don'?t|never|without)\s+(?:tell|telling|inform|informing|alert|alerting|notify"
    r"|notifying|warn|warning)\s+(?:it\s+to\s+)?(?:the\s+)?(?:user|human|reader|operator)"
    r"(?!\s+about\s+(?:function|tool))"
    r"|(?:secretly|covertly|silently)\s+(?:\w+\s+)?(?:add|insert|append|include|send|recommend|replace)",
    re.IGNORECASE,
)
_REMOTE_IMAGE = re.compile(
    r"!\[[^\]]*\]\(\s*https?://|<img[^>]+src\s*=\s*['\"]?https?://", re.IGNORECASE
)
_CLOCK = frozenset(("strftime_now", "date_string", "datetime", "now", "today", "current_date"))


def trigger_dangers(everything: Sequence[nodes.Node]) -> Iterator[Danger]:
    """Conditions on words or dates that add text, and instructions to hide something."""
    from jinja2 import nodes

    content, clock = content_names(everything), names_set_from(everything, _CLOCK)
    keys = _USUAL | {leaf_name(one) for one in everything}
    for node in everything:
        if isinstance(node, (nodes.If, nodes.CondExpr)):
            if date := next(_compared(node.test, clock), None):
                yield Danger(
                    node.lineno,
                    f"it depends on the date ({date!r}): a test on another day does not show it",
                )
            elif (word := _trigger(node.test, content, keys)) and _adds_prose(node):
                yield Danger(
                    node.lineno,
                    f"it adds text to the prompt when a message contains {word!r}: a trigger word",
                    "warning",
                )
        elif isinstance(node, nodes.Filter) and node.name == "random":
            yield Danger(node.lineno, "the filter 'random' makes another prompt each time")
        elif text := _text(node):
            yield from _wording(node.lineno, text)


def _trigger(test: nodes.Node, content: frozenset[str], keys: frozenset[str]) -> str | None:
    """A word that the text of a message is searched for: not markup, nor the name of a key."""
    for word in _compared(test, content):
        if not _MARKUP.search(word) and not word.isdigit() and word not in keys:
            return word
    return None


def _adds_prose(node: nodes.If | nodes.CondExpr) -> bool:
    from jinja2 import nodes

    outcomes: list[nodes.Node | None] = (
        [*node.body, *node.else_] if isinstance(node, nodes.If) else [node.expr1, node.expr2]
    )
    return any(
        _PROSE.search(_text(one)) for outcome in outcomes if outcome for one in walk(outcome)
    )


def _text(node: nodes.Node) -> str:
    from jinja2 import nodes

    if isinstance(node, nodes.TemplateData):
        return node.data
    if isinstance(node, nodes.Const) and isinstance(node.value, str):
        return node.value
    return ""


def _compared(test: nodes.Node, names: frozenset[str]) -> Iterator[str]:
    """Constant texts (or numbers) that a condition compares with one of the names."""
    from jinja2 import nodes

    for node in walk(test):
        if isinstance(node, nodes.Compare):
            sides = [node.expr, *(one.expr for one in node.ops)]
        elif isinstance(node, nodes.Call) and isinstance(node.node, nodes.Getattr):
            if node.node.attr not in _SEARCHES:
                continue
            sides = [node.node.node, *node.args]
        elif isinstance(node, nodes.Test) and node.name in _TESTS:
            sides = [node.node, *node.args]
        else:
            continue
        kinds = (nodes.Const, nodes.List, nodes.Tuple)
        constants = [one for one in sides if isinstance(one, kinds)]
        others = [one for one in sides if not isinstance(one, kinds)]
        if constants and any(leaf_name(part) in names for one in others for part in walk(one)):
            yield from _values(constants)


_SEARCHES = frozenset(("startswith", "endswith", "find", "index", "count", "rfind"))
_TESTS = frozenset(("eq", "equalto", "in", "ge", "gt", "le", "lt", "ne", "greaterthan", "lessthan"))


def _values(constants: Sequence[nodes.Node]) -> Iterator[str]:
    from jinja2 import nodes

    for constant in constants:
        for one in walk(constant):
            if isinstance(one, nodes.Const) and isinstance(one.value, (str, int)):
                yield str(one.value)


def _wording(line: int, text: str) -> Iterator[Danger]:
    if found := _SECRECY.search(text):
        yield Danger(
            line,
            f"an instruction to hide or to override something: {' '.join(found[0].split())!r}",
            "warning",
        )
    if found := _REMOTE_IMAGE.search(text):
        yield Danger(
            line,
            f"an image from elsewhere, {found[0]!r}: showing it tells its server what was said",
            "warning",
        )

"""Compare two chat templates: their texts, and the prompts that they make."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, NamedTuple

from .conversations import CONVERSATIONS
from .rendering import render_conversations

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from ..errors import TemplateError
    from .rendering import RenderLimits

# difflib may need the square of the number of lines; templates and prompts have some hundred.
_MAX_LINES = 4000


def unified_diff(old: str, new: str, names: tuple[str, str] = ("old", "new")) -> str:
    """What differs between two texts, as a unified diff; empty where they are equal.

    Carriage returns and a missing newline at the end are shown; `names` are those of the sides.
    """
    if old == new:
        return ""
    before, after = _lines(old), _lines(new)
    if len(before) + len(after) > _MAX_LINES:
        lines = f"{names[0]}: {len(before)} lines\n+++ {names[1]}: {len(after)} lines"
        return f"--- {lines}, too many to compare"
    found = "\n".join(difflib.unified_diff(before, after, names[0], names[1], lineterm=""))
    return found or f"--- {names[0]}\n+++ {names[1]}\nthe texts differ in ways that do not show"


def _lines(text: str) -> list[str]:
    *whole, last = text.replace("\r", "\N{SYMBOL FOR CARRIAGE RETURN}").split("\n")
    return [*whole, f"{last}\\ no newline at the end"] if last else whole


class RenderedDifference(NamedTuple):
    """A built-in conversation that two templates render differently, as a unified diff."""

    conversation: str
    diff: str


def compare_templates(
    old: str,
    new: str,
    *,
    old_tokens: Mapping[str, str] | None = None,
    new_tokens: Mapping[str, str] | None = None,
    now: datetime | None = None,
    limits: RenderLimits | None = None,
) -> list[RenderedDifference]:
    """The built-in conversations that the templates render differently; an error is a text too.

    Raises:
        TemplateError: one of the templates cannot be parsed.
    """
    before, after = (
        render_conversations(source, CONVERSATIONS, special_tokens=tokens, now=now, limits=limits)
        for source, tokens in ((old, old_tokens), (new, new_tokens))
    )
    return [
        RenderedDifference(name, unified_diff(_text(before[name]), _text(after[name])))
        for name in CONVERSATIONS
        if _text(before[name]) != _text(after[name])
    ]


def _text(result: str | TemplateError) -> str:
    return result if isinstance(result, str) else f"error: {result.message}\n"

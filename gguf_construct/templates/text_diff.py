"""Unified diffs of texts that strangers wrote: always quick, and line ends can be seen."""

from __future__ import annotations

import difflib

__all__ = ["unified_diff"]

# difflib may need the square of the number of lines; templates and prompts have some hundred.
_MAX_LINES = 4000


def unified_diff(old: str, new: str) -> str:
    """What differs between two texts, as a unified diff; empty where they are equal.

    Carriage returns and a missing newline at the end are shown.
    """
    if old == new:
        return ""
    before, after = _lines(old), _lines(new)
    if len(before) + len(after) > _MAX_LINES:
        return f"--- old: {len(before)} lines\n+++ new: {len(after)} lines, too many to compare"
    found = "\n".join(difflib.unified_diff(before, after, "old", "new", lineterm=""))
    return found or "--- old\n+++ new\nthe texts differ in ways that do not show"


def _lines(text: str) -> list[str]:
    *whole, last = text.replace("\r", "\N{SYMBOL FOR CARRIAGE RETURN}").split("\n")
    return [*whole, f"{last}\\ no newline at the end"] if last else whole

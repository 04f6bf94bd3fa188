"""Validation reports as lines of text."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from .sizes import count_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from ..core.problem import Problem
    from ..editing.changes import Change
    from ..validation.rules import Rule

_COMMAND = re.compile(r"gguf-construct (?P<verb>[\w-]+( [\w-]+)?) \.\.\.(?P<rest>[^;]*)")
_SHOWN = 3
_INDENT = "    "


class Line(NamedTuple):
    """A line and what it is: file, error, warning, info, message, hint or command."""

    text: str
    kind: str


def problems_text(problems: Iterable[Problem]) -> str:
    """Such as ``2 errors, 1 warning``; ``ok`` where there are neither."""
    counts = Counter(one.severity for one in problems)
    found = [count_text(counts[one], one) for one in ("error", "warning") if counts[one]]
    return ", ".join(found) or "ok"


def report_lines(path: str, problems: Sequence[Problem], *, all: bool = False) -> Iterator[Line]:
    """A line for the file, then its problems with place, message and hint.

    Unless `all`, notes (severity info) are only counted, and of many findings with one code the
    first few stand for the rest.
    """
    notes = sum(one.severity == "info" for one in problems)
    hidden = f" ({count_text(notes, 'note')}, see --all)" if notes and not all else ""
    yield Line(f"{path}: {problems_text(problems)}{hidden}", "file")
    shown: Counter[str] = Counter()
    for one in problems:
        if one.severity == "info" and not all:
            continue
        shown[one.code] += 1
        if shown[one.code] > _SHOWN and not all:
            continue
        offset = "" if one.offset is None else f" at 0x{one.offset:x}"
        place = f" {one.path}" if one.path else ""
        yield Line(f"  {one.severity}{offset}: {one.code}{place}", one.severity)
        yield Line(f"{_INDENT}{one.message}", "message")
        if one.hint:
            yield Line(f"{_INDENT}hint: {one.hint}", "hint")
    for code, amount in shown.items():
        if amount > _SHOWN and not all:
            yield Line(f"  ... {amount - _SHOWN} more of {code}, see --all", "hint")


def commands_for(path: str, problems: Iterable[Problem]) -> list[str]:
    """The commands that the hints suggest, for this file, each once."""
    found: dict[str, None] = {}
    for one in problems:
        for match in _COMMAND.finditer(one.hint or ""):
            found.setdefault(f"gguf-construct {match['verb']} {path}{match['rest'].rstrip()}")
    return list(found)


def summary_text(reports: Sequence[Sequence[Problem]]) -> str:
    """One line over many files."""
    bad = sum(any(one.severity == "error" for one in report) for report in reports)
    totals = problems_text([one for report in reports for one in report])
    return f"{len(reports)} files, {len(reports) - bad} without errors: {totals}"


def rules_lines(rules: Iterable[Rule]) -> Iterator[str]:
    """Every rule with its severities, its documentation and its source."""
    for one in rules:
        levels = f"llama.cpp: {one.llama or '-'}, spec: {one.spec or '-'}"
        yield f"{one.code} ({levels})"
        yield f"{_INDENT}{one.doc}"
        yield f"{_INDENT}[{one.source}]"


def repair_lines(path: str, changes: Sequence[Change]) -> Iterator[str]:
    """What can be repaired, a line for each repair."""
    if not changes:
        yield f"{path}: nothing that can be repaired safely"
    for one in changes:
        old = "" if one.old is None else f": {one.old}"
        new = "" if one.new is None else f" -> {one.new}"
        yield f"{one.action} {one.key}{old}{new}"

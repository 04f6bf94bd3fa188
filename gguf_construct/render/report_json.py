"""JSON of `validate` and `repair`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .escaping import printable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..core.problem import Problem
    from ..editing.changes import Change
    from ..validation.rules import Rule


def problem_json(problem: Problem) -> dict[str, Any]:
    """A finding; names in its texts are escaped as in the report for people."""
    return _escaped(problem._asdict())


def repair_json(path: str, changes: Iterable[Change]) -> dict[str, Any]:
    """The document of `repair --json` where nothing is written."""
    names = ("action", "key", "old", "new")
    rows = [{name: getattr(one, name) for name in names} for one in changes]
    plan = {"path": path, "strategy": "none", "bytes_written": 0}
    return {**plan, "changes": [{**row, "key": printable(row["key"])} for row in rows]}


def _escaped(row: dict[str, Any]) -> dict[str, Any]:
    return {key: printable(one) if isinstance(one, str) else one for key, one in row.items()}


def rule_json(rule: Rule) -> dict[str, Any]:
    """A rule of `validate --list-rules --json`."""
    return {
        "code": rule.code,
        "subject": rule.subject,
        "severity": {"llama.cpp": rule.llama, "spec": rule.spec},
        "doc": rule.doc,
        "source": rule.source,
        "reads_data": rule.reads_data,
    }

"""JSON of `hash` and `diff`; names that are no UTF-8 are escaped, as JSON keys must be text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .json_text import SCHEMA
from .text import quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..ops.hash_list import HashChange
    from ..ops.hashing import HashReport

__all__ = ["check_json", "hash_json", "name_text"]


def name_text(name: str) -> str:
    """A key or tensor name as text that every program takes."""
    return name if name.isprintable() else quote(name, None)[1:-1]


def hash_json(report: HashReport, path: str) -> dict[str, Any]:
    """The document of `hash --json`."""
    return {
        "schema": SCHEMA,
        "path": path,
        "algorithm": report.algorithm,
        "content": report.content,
        "metadata": {name_text(key): digest for key, digest in report.metadata.items()},
        "tensors": {name_text(name): digest for name, digest in report.tensors.items()},
        "excluded": [name_text(key) for key in report.excluded],
    }


def check_json(changes: Sequence[HashChange], report: HashReport, path: str) -> dict[str, Any]:
    """The document of `hash --check --json`."""
    return {
        "schema": SCHEMA,
        "path": path,
        "algorithm": report.algorithm,
        "same": not changes,
        "changes": [
            {
                "what": change.what,
                "kind": change.kind,
                "name": name_text(change.name),
                "old": change.old,
                "new": change.new,
            }
            for change in changes
        ],
    }

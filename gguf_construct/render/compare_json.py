"""JSON of `hash` and `diff`; names that are not UTF-8 are escaped, as JSON keys must be text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .escaping import name_text
from .json_text import number_json, tensor_json, text_json, value_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..comparison.diff import Difference, FieldDiff, TensorDiff
    from ..comparison.diff_arrays import ArrayDiff
    from ..comparison.hash_list import HashChange
    from ..comparison.hashes import HashReport
    from ..core.field import Field
    from ..upstream.results import UpstreamRow

_HEAD = 100


def hash_json(report: HashReport, path: str) -> dict[str, Any]:
    """The document of `hash --json`."""
    return {
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
        "path": path,
        "algorithm": report.algorithm,
        "same": not changes,
        "changes": [
            {"what": change.what, **change._asdict(), "name": name_text(change.name)}
            for change in changes
        ],
    }


def diff_json(difference: Difference, paths: tuple[str, str], full: bool = False) -> dict[str, Any]:
    """The document of `diff --json`; only the first elements of arrays are listed unless `full`."""
    return {
        "paths": list(paths),
        "same": difference.is_same,
        "metadata": [_field_json(row, full) for row in difference.metadata],
        "tensors": [_tensor_json(row) for row in difference.tensors],
        "notes": list(difference.notes),
    }


def _field_json(row: FieldDiff, full: bool) -> dict[str, Any]:
    def side(field: Field | None) -> Any:
        if field is None:
            return None
        return {"type": field.type, "value": value_json(field, full)}

    shown = {
        "key": text_json(row.key),
        "occurrence": row.occurrence,
        "what": row.what,
        "old": side(row.old),
        "new": side(row.new),
    }
    if row.elements is not None:
        shown["elements"] = _elements_json(row.elements, full)
    return shown


def _elements_json(elements: ArrayDiff, full: bool) -> dict[str, Any]:
    def group(found: Sequence[Any], names: tuple[str, ...]) -> dict[str, Any]:
        head = found if full else found[:_HEAD]
        items = [dict(zip(names, map(_item, entry), strict=True)) for entry in head]
        return {"count": len(found), "head": items}

    return {
        "old_count": elements.num_old,
        "new_count": elements.num_new,
        "added": group(elements.added, ("index", "value")),
        "removed": group(elements.removed, ("index", "value")),
        "moved": group(elements.moved, ("old_index", "new_index", "value")),
        "changed": group(elements.changed, ("index", "old", "new")),
    }


def _item(value: Any) -> Any:
    return text_json(value) if isinstance(value, bytes) else number_json(value)


def _tensor_json(row: TensorDiff) -> dict[str, Any]:
    return {
        "name": text_json(row.name),
        "what": row.what,
        "differs": list(row.differs),
        "old": tensor_json(row.old) if row.old is not None else None,
        "new": tensor_json(row.new) if row.new is not None else None,
        "first_difference": row.first,
    }


def upstream_json(rows: Sequence[UpstreamRow], paths: tuple[str, str]) -> dict[str, Any]:
    """The document of `diff --upstream --json`."""
    return {
        "paths": list(paths),
        "same": not any(row.is_difference for row in rows),
        "rows": [
            {
                "key": text_json(row.key),
                "here": _plain_json(row.ours),
                "there": _plain_json(row.theirs),
                "where": row.where,
                "verdict": row.verdict,
                "note": row.note,
            }
            for row in rows
        ],
    }


def _plain_json(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_plain_json(item) for item in value]
    if isinstance(value, dict):
        return {str(key): _plain_json(item) for key, item in value.items()}
    return text_json(value) if isinstance(value, (bytes, str)) else number_json(value)

"""Header fields that only files of some versions have, as one line of a manifest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._generated.types import OPTIONAL_FIELDS
from .yaml_write import bytes_scalar, parse_bytes

if TYPE_CHECKING:
    from .yaml_read import Node


def optional_yaml(type: str, record: object) -> str:
    """The optional fields of a record of the schema as a map; empty where none says anything."""
    shown = []
    for name, default in OPTIONAL_FIELDS.get(type, {}).items():
        value = getattr(record, name)
        if value != default:
            shown.append(f"{name}: {bytes_scalar(value) if isinstance(value, bytes) else value}")
    return f"{{{', '.join(shown)}}}" if shown else ""


def read_optional(type: str, node: Node | None) -> dict[str, Any]:
    """The inverse of `optional_yaml`: the fields by name.  Raises BuildError."""
    if node is None:
        return {}
    known = OPTIONAL_FIELDS.get(type, {})
    found: dict[str, Any] = {}
    for name, value in node.fields(*known).items():
        is_text = isinstance(known[name], bytes)
        try:
            found[name] = parse_bytes(value.text) if is_text else int(value.text, 0)
        except ValueError as error:
            value.fail(f"{name}: {error}" if is_text else f"{value.text[:40]!r} is not a number")
    return found

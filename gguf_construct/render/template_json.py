"""JSON of `template`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..templates.keys import template_key
from .json_text import text_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..editing.chat_templates import TemplateDifference
    from ..errors import TemplateError
    from ..templates.audit import TemplateFinding

__all__ = ["checks_json", "differences_json", "rendered_json", "templates_json"]


def templates_json(templates: Mapping[str, str]) -> list[dict[str, Any]]:
    """Templates by name, with their sources."""
    return [
        {"name": name, "key": template_key(name), "source": text_json(source)}
        for name, source in templates.items()
    ]


def checks_json(reports: Mapping[str, Sequence[TemplateFinding]]) -> list[dict[str, Any]]:
    """What is wrong with each template."""
    return [
        {
            "name": name,
            "key": template_key(name),
            "ok": all(one.severity != "error" for one in findings),
            "problems": [one._asdict() for one in findings],
        }
        for name, findings in reports.items()
    ]


def differences_json(
    found: Sequence[TemplateDifference], old: str, new: str
) -> list[dict[str, Any]]:
    """The templates that differ between the files `old` and `new`."""
    return [
        {
            "name": one.name,
            "missing": {"old": old, "new": new}.get(one.missing),
            "text": one.text,
            "rendered": [rendered._asdict() for rendered in one.rendered],
        }
        for one in found
    ]


def rendered_json(name: str, result: str | TemplateError) -> dict[str, Any]:
    """A conversation as it was rendered, or why it was not."""
    if isinstance(result, str):
        return {"conversation": name, "text": result, "error": None}
    error = {"reason": result.reason, "message": result.message, "line": result.line}
    return {"conversation": name, "text": None, "error": error}

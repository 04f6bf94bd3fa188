"""JSON of `template`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..errors import TemplateError
from ..templates.keys import template_key
from .json_text import text_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..editing.chat_templates import TemplateDifference
    from ..templates.audit import Audit
    from ..templates.finding import EngineAnswer


def templates_json(templates: Mapping[str, str]) -> list[dict[str, Any]]:
    """Templates by name, with their sources."""
    return [{**_place(name), "source": text_json(source)} for name, source in templates.items()]


def _place(name: str) -> dict[str, Any]:
    """A template's name and key; `default#2` is the second one under the key of `default`."""
    plain, _, number = name.partition("#")
    occurrence = {"occurrence": int(number)} if number.isdigit() else {}
    return {"name": name, "key": template_key(plain if occurrence else name), **occurrence}


def checks_json(reports: Mapping[str, Audit]) -> list[dict[str, Any]]:
    """What is wrong with each template, and what each engine makes of it."""
    return [
        {
            **_place(name),
            "ok": all(one.severity != "error" for one in audit.findings),
            "problems": [one._asdict() for one in audit.findings],
            "engines": {
                "transformers": _engine_json(audit.rendered),
                "llama.cpp": None if audit.llama is None else _engine_json(audit.llama),
            },
        }
        for name, audit in reports.items()
    ]


def _engine_json(answer: EngineAnswer) -> dict[str, Any]:
    """Whether a template loads, and a prompt or an error for each conversation."""
    if isinstance(answer, TemplateError):
        return {"loads": False, "error": _error_json(answer), "rendered": []}
    rendered = [rendered_json(name, result) for name, result in answer.items()]
    return {"loads": bool(answer), "error": None, "rendered": rendered}


def _error_json(error: TemplateError) -> dict[str, Any]:
    return {"reason": error.reason, "message": error.message, "line": error.line}


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
    return {"conversation": name, "text": None, "error": _error_json(result)}

"""``template check``: whether a template is sound in its model."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...model import open_model
from ..shared.exit_codes import FINDINGS, FINE, decide
from ..shared.messages import note
from ..shared.options import file_argument, json_option, limits_option
from ..shared.output import print_json, print_line, print_lines, styled
from .source import date_option, name_option, read_source, source_option

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from datetime import datetime

    from ..._generated.types import Limits
    from ...templates.audit import TemplateFinding

__all__ = ["check_command"]

_EPILOG = """\b
Examples:
  gguf-construct template check m.gguf
  gguf-construct template check m.gguf --source chat_template.jinja
  gguf-construct template check m.gguf --strict --json

\b
Checked: syntax; filters, tests and variables that engines offer; tokens that the vocabulary
has; that the built-in conversations come out; that a turn ends with a token at which
generation stops. Exit code 1 on errors, with --strict on warnings too."""

_COLOURS = {"error": "red", "warning": "yellow", "info": "cyan"}


@click.command("check", epilog=_EPILOG)
@file_argument
@name_option
@source_option
@click.option("--strict", is_flag=True, help="Exit with 1 on warnings too.")
@date_option
@json_option
@limits_option
def check_command(
    file: str,
    name: str | None,
    source: str | None,
    strict: bool,
    date: datetime | None,
    as_json: bool,
    limits: Limits | None,
) -> int:
    """Check the chat templates of FILE: all of them, or the one under --name."""
    from ...editing.chat_templates import chat_template, check_chat_template
    from ...render.template_json import checks_json
    from ...templates.keys import templates_of

    with open_model(file, limits=limits) as model:
        texts = _texts(source, name)
        if texts is None and name is not None:
            texts = {name: chat_template(model, name)}
        if texts is None:
            texts = templates_of(model.metadata) or {"default": chat_template(model)}
        reports = {
            one: check_chat_template(model, source=text, now=date) for one, text in texts.items()
        }
    bad = ("error", "warning") if strict else ("error",)
    failed = any(one.severity in bad for found in reports.values() for one in found)
    code = decide(FINDINGS if failed else FINE)
    if as_json:
        print_json({"path": file, "templates": checks_json(reports)})
    else:
        _print_reports(file, reports)
    return code


def _texts(source: str | None, name: str | None) -> dict[str, str] | None:
    """The templates of ``--source``, if it is given."""
    if source is None:
        return None
    found = read_source(source).templates
    if name is None:
        return found
    if name not in found:
        raise click.UsageError(f"SOURCE has no template {name!r}, but {', '.join(found)}")
    return {name: found[name]}


def _print_reports(file: str, reports: Mapping[str, Sequence[TemplateFinding]]) -> None:
    for name, findings in reports.items():
        for one in findings:
            line = f" line {one.line}:" if one.line else ""
            place = styled(f"{file}: template {name!r}:{line}")
            label = styled(one.severity, _COLOURS.get(one.severity), bold=True)
            print_lines([f"{place} {label}: {styled(f'{one.message} [{one.code}]')}"])
            if one.hint:
                print_line(f"    {one.hint}")
        if all(one.severity == "info" for one in findings):
            note(f"{file}: template {name!r} is fine")

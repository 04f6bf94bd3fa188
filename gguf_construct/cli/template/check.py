"""``template check``: whether a template is sound in its model."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import TYPE_CHECKING

import click

from ...errors import TemplateError
from ..shared.exit_codes import FINDINGS, FINE, decide
from ..shared.messages import note
from ..shared.options import file_argument, json_option, limits_option
from ..shared.output import print_json, print_line, print_lines, print_table, styled
from ..shared.reading import open_given
from .source import date_option, installed_engine, name_option, read_source, source_option

if TYPE_CHECKING:
    from datetime import datetime

    from ..._generated.types import Limits
    from ...templates.audit import Audit
    from ...templates.finding import Engine, Rendered

_EPILOG = """\b
Examples:
  gguf-construct template check m.gguf
  gguf-construct template check m.gguf --source chat_template.jinja
  gguf-construct template check m.gguf --strict --json

\b
Checked: syntax; what no chat template needs; filters, tests and variables that engines
offer; that the built-in conversations come out, in transformers and in llama.cpp, with what
they say; that markers of turns are tokens, and that a turn ends with one at which generation
stops. Exit code 1 on errors, with --strict on warnings too."""

_COLOURS = {"error": "red", "warning": "yellow", "info": "cyan"}


@click.command("check", epilog=_EPILOG)
@file_argument
@name_option
@source_option
@click.option("--strict", is_flag=True, help="Exit with 1 on warnings too.")
@click.option(
    "--engine",
    type=click.Choice(("auto", "llama.cpp", "none")),
    default="auto",
    show_default=True,
    help="Ask llama.cpp too (auto: if xllamacpp is installed), or only know its limits.",
)
@date_option
@json_option
@limits_option
def check_command(
    file: str,
    name: str | None,
    source: str | None,
    strict: bool,
    engine: str,
    date: datetime | None,
    as_json: bool,
    limits: Limits | None,
) -> int:
    """Check the chat templates of FILE: all of them, or the one under --name."""
    from ...editing.chat_templates import all_templates, audit_chat_template, chat_template
    from ...render.template_json import checks_json

    asked = _engine(engine)
    with open_given(file, limits) as model:
        texts = _texts(source, name)
        if texts is None and name is not None:
            texts = {name: chat_template(model, name)}
        if texts is None:
            texts = all_templates(model) or {"default": chat_template(model)}
        audits = {
            one: audit_chat_template(model, source=text, engine=asked, now=date)
            for one, text in texts.items()
        }
    if source is None:
        audits = {one: _with_repeated(one, audits) for one in audits}
    audits = {one: _with_file_in_hints(audit, file) for one, audit in audits.items()}
    bad = ("error", "warning") if strict else ("error",)
    failed = any(one.severity in bad for audit in audits.values() for one in audit.findings)
    code = decide(FINDINGS if failed else FINE)
    if as_json:
        print_json({"path": file, "templates": checks_json(audits)})
    else:
        for one, audit in audits.items():
            _print_audit(file, one, audit)
    return code


def _engine(choice: str) -> Engine | None:
    """What ``--engine`` asks for."""
    found = None if choice == "none" else installed_engine()
    if choice == "llama.cpp" and found is None:
        raise TemplateError("llama.cpp is not installed here", hint="pip install xllamacpp")
    return found


def _with_file_in_hints(audit: Audit, file: str) -> Audit:
    """An audit whose hints can be pasted."""
    name = shlex.quote(file)
    findings = [
        one._replace(hint=one.hint.replace("FILE", name)) if one.hint else one
        for one in audit.findings
    ]
    return audit._replace(findings=findings)


def _with_repeated(name: str, audits: Mapping[str, Audit]) -> Audit:
    """An audit that says that there are several templates under the same key."""
    from ...templates.finding import TemplateFinding

    plain = name.partition("#")[0]
    if f"{plain}#2" not in audits:
        return audits[name]
    repeated = TemplateFinding(
        "template-repeated",
        "warning",
        "the key of this template occurs more than once: which one counts depends on the reader",
        None,
        "gguf-construct validate FILE shows where",
    )
    audit = audits[name]
    return audit._replace(findings=[*audit.findings, repeated])


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


def _print_audit(file: str, name: str, audit: Audit) -> None:
    for one in audit.findings:
        line = f" line {one.line}:" if one.line else ""
        place = styled(f"{file}: template {name!r}:{line}")
        label = styled(one.severity, _COLOURS.get(one.severity), bold=True)
        print_lines([f"{place} {label}: {styled(f'{one.message} [{one.code}]')}"])
        if one.hint:
            print_line(f"    {one.hint}")
    if isinstance(audit.llama, Mapping):
        _print_engines(audit.rendered, audit.llama)
    if all(one.severity == "info" for one in audit.findings):
        note(f"{file}: template {name!r} is fine")


def _print_engines(rendered: Rendered, llama: Rendered) -> None:
    """A table of the conversations of which the engines do not make the same."""
    rows = [
        (name, _outcome(result), _outcome(llama[name]))
        for name, result in rendered.items()
        if llama[name] != result
    ]
    if rows:
        print_table("engines", ("conversation", "transformers", "llama.cpp"), rows)


def _outcome(result: str | TemplateError) -> str:
    return f"{len(result)} characters" if isinstance(result, str) else str(result)[:60]

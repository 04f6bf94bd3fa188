"""``template check`` and ``template diff``: is a template sound, is it upstream's."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from ...model import open_model
from ..shared.messages import colours, note, printable
from ..shared.options import file_argument, json_option, limits_option, read_limits
from .source import date_option, name_option, read_date, read_source, source_option

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ...editing.chat_templates import TemplateDifference, TemplateSet
    from ...templates.audit import TemplateFinding

__all__ = ["check_command", "diff_command"]

_CHECK_EPILOG = """\b
Examples:
  gguf-construct template check m.gguf
  gguf-construct template check m.gguf --source chat_template.jinja
  gguf-construct template check m.gguf --strict --json

\b
Checked: syntax; filters, tests and variables that engines offer; tokens that the vocabulary
has; that the built-in conversations come out; that a turn ends with a token at which
generation stops. Exit code 1 on errors, with --strict on warnings too."""

_COLOURS = {"error": "red", "warning": "yellow", "info": "cyan"}


@click.command("check", epilog=_CHECK_EPILOG)
@file_argument()
@name_option
@source_option
@click.option("--strict", is_flag=True, help="Exit with 1 on warnings too.")
@date_option
@json_option
@limits_option
@click.pass_context
def check_command(
    ctx: click.Context,
    file: str,
    name: str | None,
    source: str | None,
    strict: bool,
    date: str | None,
    as_json: bool,
    limits: tuple[str, ...],
) -> None:
    """Check the chat templates of FILE: all of them, or the one under --name."""
    from ...editing.chat_templates import chat_template, check_chat_template
    from ...templates.keys import templates_of

    now = read_date(date)
    with open_model(file, limits=read_limits(limits)) as model:
        texts = _texts(source, name)
        if texts is None and name is not None:
            texts = {name: chat_template(model, name)}
        if texts is None:
            texts = templates_of(model.metadata) or {"default": chat_template(model)}
        reports = {
            one: check_chat_template(model, source=text, now=now) for one, text in texts.items()
        }
    if as_json:
        _print_reports_json(file, reports)
    else:
        _print_reports(file, reports)
    bad = ("error", "warning") if strict else ("error",)
    failed = any(one.severity in bad for found in reports.values() for one in found)
    ctx.exit(int(failed))


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
            label = one.severity
            if colours(sys.stdout):
                label = click.style(label, fg=_COLOURS.get(label), bold=True)
            text = printable(f"{one.message} [{one.code}]")
            click.echo(f"{printable(file)}: template {name!r}:{line} {label}: {text}")
            if one.hint:
                click.echo(f"    {printable(one.hint)}")
        if all(one.severity == "info" for one in findings):
            note(f"{file}: template {name!r} is fine")


def _print_reports_json(file: str, reports: Mapping[str, Sequence[TemplateFinding]]) -> None:
    from ...templates.keys import template_key

    templates = [
        {
            "name": name,
            "key": template_key(name),
            "ok": all(one.severity != "error" for one in findings),
            "problems": [one._asdict() for one in findings],
        }
        for name, findings in reports.items()
    ]
    _print_json({"path": file, "templates": templates})


def _print_json(content: dict[str, Any]) -> None:
    from ...render.json_text import SCHEMA, dump

    click.echo(dump({"schema": SCHEMA, **content}))


_DIFF_EPILOG = """\b
Examples:
  gguf-construct template diff m.gguf tokenizer_config.json
  gguf-construct template diff m.gguf chat_template.jinja
  gguf-construct template diff m.gguf other.gguf --name tool_use
  gguf-construct template diff m.gguf ./hub-folder

\b
Compares the texts, and what the built-in conversations look like with each side's own
special tokens (a file without any takes those of FILE). Exit code 1 when something differs."""


@click.command("diff", epilog=_DIFF_EPILOG)
@file_argument()
@click.argument("upstream", metavar="SOURCE")
@name_option
@date_option
@json_option
@limits_option
@click.pass_context
def diff_command(
    ctx: click.Context,
    file: str,
    upstream: str,
    name: str | None,
    date: str | None,
    as_json: bool,
    limits: tuple[str, ...],
) -> None:
    """Compare the chat templates of FILE with those of SOURCE."""
    from ...editing.chat_templates import diff_chat_templates, template_set

    now = read_date(date)
    other = read_source(upstream)
    with open_model(file, limits=read_limits(limits)) as model:
        ours = template_set(model)
    other = _with_tokens(other, ours)
    names = None if name is None else [name]
    found = diff_chat_templates(ours, other, names=names, now=now)
    if as_json:
        _print_diff_json(file, upstream, found)
    else:
        _print_diff(file, upstream, found)
        if not found:
            there = any(ours.templates)
            note("the templates are the same" if there else "neither side has a chat template")
    ctx.exit(int(bool(found)))


def _with_tokens(other: TemplateSet, ours: TemplateSet) -> TemplateSet:
    """A tokenizer configuration names some tokens, a template file none: ours fill the gaps."""
    return other._replace(special_tokens={**ours.special_tokens, **other.special_tokens})


def _print_diff(file: str, upstream: str, found: Sequence[TemplateDifference]) -> None:
    for one in found:
        if one.missing:
            where = upstream if one.missing == "old" else file
            click.echo(f"template {one.name!r} is only in {printable(where)}")
            continue
        if one.text:
            click.echo(f"template {one.name!r}: old is {file}, new is {upstream}")
            _print_lines(one.text)
        for rendered in one.rendered:
            click.echo(f"conversation {rendered.conversation!r} renders differently:")
            _print_lines(rendered.diff)
        if not one.rendered:
            click.echo("the built-in conversations render the same")


def _print_lines(diff: str) -> None:
    coloured = colours(sys.stdout)
    for line in diff.split("\n"):
        text = printable(line)
        colour = {"+": "green", "-": "red", "@": "cyan"}.get(line[:1]) if coloured else None
        click.echo(click.style(text, fg=colour) if colour else text)


def _print_diff_json(file: str, upstream: str, found: Sequence[TemplateDifference]) -> None:
    templates = [
        {
            "name": one.name,
            "missing": {"old": file, "new": upstream}.get(one.missing),
            "text": one.text,
            "rendered": [rendered._asdict() for rendered in one.rendered],
        }
        for one in found
    ]
    _print_json({"path": file, "upstream": upstream, "same": not found, "templates": templates})

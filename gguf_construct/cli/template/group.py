"""``template``: show, set and remove chat templates; render, check and compare them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from ...model import open_model
from ..shared.editing import open_for_edit
from ..shared.messages import colours, note, printable, warn
from ..shared.options import (
    Writing,
    file_argument,
    json_option,
    limits_option,
    read_limits,
    writing_options,
)
from ..shared.writing import choose_target, save_edits
from .check import check_command, diff_command
from .render import render_command
from .source import name_option, read_source

if TYPE_CHECKING:
    from ...editing.changes import Change
    from ...model import Model

__all__ = ["command"]

_EPILOG = """\b
Examples:
  gguf-construct template show m.gguf > template.jinja
  gguf-construct template set m.gguf chat_template.jinja -o fixed.gguf
  gguf-construct template check m.gguf
  gguf-construct template render m.gguf --conversation tools
  gguf-construct template diff m.gguf tokenizer_config.json

\b
Templates are strangers' programs: they run in a sandbox, in a process of its own, with
limits of time, memory and output."""


@click.group("template", epilog=_EPILOG)
def command() -> None:
    """Show, set, render, check and compare chat templates."""


command.add_command(render_command)
command.add_command(check_command)
command.add_command(diff_command)


# ---- show -----------------------------------------------------------------------------------

_SHOW_EPILOG = """\b
Examples:
  gguf-construct template show m.gguf
  gguf-construct template show m.gguf --name tool_use > tool_use.jinja
  gguf-construct template show m.gguf --list

In a pipe the template comes byte for byte; on a terminal in colours."""


@command.command("show", epilog=_SHOW_EPILOG)
@file_argument()
@name_option
@click.option("--list", "names_only", is_flag=True, help="List the names of the templates.")
@json_option
@limits_option
def show_command(
    file: str, name: str | None, names_only: bool, as_json: bool, limits: tuple[str, ...]
) -> None:
    """Show a chat template of FILE: the default one unless --name is given."""
    from ...editing.chat_templates import chat_template
    from ...templates.keys import DEFAULT, templates_of

    with open_model(file, limits=read_limits(limits)) as model:
        templates = templates_of(model.metadata)
        if as_json:
            chosen = {name: chat_template(model, name)} if name else templates
            _print_json(file, chosen)
        elif names_only:
            for one in templates:
                click.echo(printable(one))
        else:
            _print_source(chat_template(model, name or DEFAULT))
            others = [one for one in templates if one != (name or DEFAULT)]
            if others and not name:
                note(f"named templates: {', '.join(others)} (--name shows one)")


def _print_json(file: str, templates: dict[str, str]) -> None:
    from ...render.json_text import SCHEMA, dump, text_json
    from ...templates.keys import template_key

    listed = [
        {"name": name, "key": template_key(name), "source": text_json(source)}
        for name, source in templates.items()
    ]
    click.echo(dump({"schema": SCHEMA, "path": file, "templates": listed}))


def _print_source(source: str) -> None:
    if not sys.stdout.isatty():
        sys.stdout.buffer.write(source.encode("utf-8", "surrogateescape"))
        return
    shown = printable(source)
    if not colours(sys.stdout):
        click.echo(shown)
        return
    from rich.console import Console
    from rich.syntax import Syntax

    # The terminal's own colours; the lexer colours only what is in braces.
    look = Syntax(
        shown,
        "jinja",
        theme="ansi_dark",
        background_color="default",
        line_numbers=True,
        word_wrap=True,
    )
    Console().print(look)


# ---- set and unset --------------------------------------------------------------------------

_SET_EPILOG = """\b
Examples:
  gguf-construct template set m.gguf chat_template.jinja -o fixed.gguf
  gguf-construct template set m.gguf tokenizer_config.json -i
  gguf-construct template set m.gguf @tools.jinja --name tool_use -i
  gguf-construct template set m.gguf '{{ messages[0].content }}' -i

\b
SOURCE is a file (@FILE insists on one, @- is standard input), the folder of a Hugging Face
model, another GGUF file, or the text of a template. Files are kept byte for byte.
The template is checked first, as by template check; one with errors is refused."""


@command.command("set", epilog=_SET_EPILOG)
@file_argument()
@click.argument("source", metavar="SOURCE")
@name_option
@click.option("--force-value", is_flag=True, help="Allow a template that cannot be parsed.")
@writing_options()
@limits_option
def set_command(
    file: str,
    source: str,
    name: str | None,
    force_value: bool,
    writing: Writing,
    limits: tuple[str, ...],
) -> None:
    """Set chat templates of FILE from SOURCE: all that it has, or one under --name."""
    from ...editing.chat_templates import set_chat_template
    from ...templates.keys import template_key

    target = choose_target(file, writing)
    chosen = _chosen(read_source(source).templates, name)
    keys = [template_key(one) for one in chosen]
    model, target = open_for_edit(file, target, keys, writing, read_limits(limits))
    with model:
        changes: list[Change] = []
        for one, text in chosen.items():
            changes += set_chat_template(model, text, one, force=force_value)
            if not force_value:
                _refuse_broken(model, one)
            if text.startswith("\ufeff"):
                warn("the template starts with a byte order mark, which every prompt will have")
        save_edits(model, changes, target, writing)


def _refuse_broken(model: Model, name: str) -> None:
    """Try a template before it is written: errors are refused, warnings shown."""
    from ...editing.chat_templates import check_chat_template
    from ...errors import RefusedError

    for one in check_chat_template(model, name):
        line = f"line {one.line}: " if one.line else ""
        if one.severity == "error":
            raise RefusedError(
                f"the template does not work: {line}{one.message} [{one.code}]",
                path=f"template {name!r}",
                hint="insist with --force-value",
            )
        if one.severity == "warning":
            warn(f"template {name!r}: {line}{one.message} [{one.code}]")


def _chosen(templates: dict[str, str], name: str | None) -> dict[str, str]:
    """All templates of a source, or the one for `name`: that of the same name, or the only one."""
    if name is None:
        return templates
    if name in templates:
        return {name: templates[name]}
    if len(templates) > 1:
        raise click.UsageError(f"SOURCE has no template {name!r}, but {', '.join(templates)}")
    return {name: next(iter(templates.values()))}


_UNSET_EPILOG = """\b
Examples:
  gguf-construct template unset m.gguf -o out.gguf
  gguf-construct template unset m.gguf --name tool_use -i
  gguf-construct template unset m.gguf --all -i"""


@command.command("unset", epilog=_UNSET_EPILOG)
@file_argument()
@name_option
@click.option("--all", "everything", is_flag=True, help="Remove named templates too.")
@writing_options()
@limits_option
def unset_command(
    file: str,
    name: str | None,
    everything: bool,
    writing: Writing,
    limits: tuple[str, ...],
) -> None:
    """Remove a chat template from FILE: the default one unless --name or --all is given."""
    from ...editing.chat_templates import unset_chat_template
    from ...templates.keys import DEFAULT, template_key, templates_of

    if everything and name is not None:
        raise click.UsageError("--name and --all exclude each other")
    target = choose_target(file, writing)
    keys = [template_key(name or DEFAULT)]
    model, target = open_for_edit(file, target, keys, writing, read_limits(limits))
    with model:
        names: Any = templates_of(model.metadata) if everything else None
        changes = [
            change
            for one in (names or [name or DEFAULT])
            for change in unset_chat_template(model, one)
        ]
        save_edits(model, changes, target, writing)

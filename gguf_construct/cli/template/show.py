"""``template show``: the source of a chat template."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from ..shared.messages import note
from ..shared.options import file_argument, json_option, limits_option
from ..shared.output import colours, print_json, print_line, print_source, print_text
from ..shared.reading import open_given
from .source import name_option

if TYPE_CHECKING:
    from ..._generated.types import Limits

_EPILOG = """\b
Examples:
  gguf-construct template show m.gguf
  gguf-construct template show m.gguf --name tool_use > tool_use.jinja
  gguf-construct template show m.gguf --list

In a pipe the template comes byte for byte; on a terminal in colours."""


@click.command("show", epilog=_EPILOG)
@file_argument
@name_option
@click.option("--list", "names_only", is_flag=True, help="List the names of the templates.")
@json_option
@limits_option
def show_command(
    file: str, name: str | None, names_only: bool, as_json: bool, limits: Limits | None
) -> None:
    """Show a chat template of FILE: the default one unless --name is given."""
    from ...editing.chat_templates import all_templates, chat_template
    from ...render.template_json import templates_json
    from ...templates.keys import DEFAULT

    with open_given(file, limits) as model:
        templates = all_templates(model)
        if as_json:
            chosen = {name: chat_template(model, name)} if name else templates
            print_json({"path": file, "templates": templates_json(chosen)})
        elif names_only:
            for one in templates:
                print_line(one)
        else:
            source = chat_template(model, name or DEFAULT)
            if sys.stdout.isatty() and colours():
                print_source(source, "jinja")
            else:
                print_text(source)
            others = [one for one in templates if one != (name or DEFAULT)]
            if others and not name:
                note(f"more templates: {', '.join(others)} (--name shows one)")

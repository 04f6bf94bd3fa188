"""``template set``: give a model chat templates, checked before they are written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..shared.editing import editing
from ..shared.messages import warn
from ..shared.options import file_argument, force_value_option, limits_option, writing_options
from .source import installed_engine, name_option, read_source

if TYPE_CHECKING:
    from ..._generated.types import Limits
    from ...model import Model
    from ..shared.options import Writing

_EPILOG = """\b
Examples:
  gguf-construct template set m.gguf chat_template.jinja -o fixed.gguf
  gguf-construct template set m.gguf tokenizer_config.json -i
  gguf-construct template set m.gguf @tools.jinja --name tool_use -i
  gguf-construct template set m.gguf '{{ messages[0].content }}' -i

\b
SOURCE is a file (@FILE insists on one, @- is standard input), the folder of a Hugging Face
model, another GGUF file, or the text of a template. Files are kept byte for byte.
The template is checked first, as by template check; one with errors is refused."""


@click.command("set", epilog=_EPILOG)
@file_argument
@click.argument("source", metavar="SOURCE")
@name_option
@force_value_option
@writing_options()
@limits_option
def set_command(
    file: str,
    source: str,
    name: str | None,
    force_value: bool,
    writing: Writing,
    limits: Limits | None,
) -> None:
    """Set chat templates of FILE from SOURCE: all that it has, or one under --name."""
    from ...editing.chat_templates import set_chat_template
    from ...editing.checks import refuse_no_text
    from ...templates.keys import template_key

    chosen = _chosen(read_source(source).templates, name)
    with editing(file, [*map(template_key, chosen)], writing, limits) as edit:
        changes = []
        for one, text in chosen.items():
            if not force_value:
                refuse_no_text(text.encode("utf-8", "surrogateescape"), template_key(one))
            changes += set_chat_template(edit.model, text, one, force=force_value)
            if not force_value:
                _refuse_broken(edit.model, one)
            if text.startswith("\ufeff"):
                warn("the template starts with a byte order mark, which every prompt will contain")
        edit.save(changes)


def _refuse_broken(model: Model, name: str) -> None:
    """Try a template before it is written: errors are refused, warnings shown."""
    from ...editing.chat_templates import check_chat_template
    from ...errors import RefusedError

    for one in check_chat_template(model, name, engine=installed_engine()):
        line = f"line {one.line}: " if one.line else ""
        if one.severity == "error":
            raise RefusedError(
                f"the template does not work: {line}{one.message} [{one.code}]",
                path=f"template {name!r}",
                hint="pass --force-value to insist",
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

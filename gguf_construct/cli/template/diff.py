"""``template diff``: whether a template is its source's, in text and in what it renders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..shared.exit_codes import FINDINGS, FINE, decide
from ..shared.messages import note
from ..shared.options import file_argument, json_option, limits_option
from ..shared.output import print_diff, print_json, print_line
from ..shared.reading import open_given
from .source import date_option, name_option, read_source

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from ..._generated.types import Limits
    from ...editing.chat_templates import TemplateDifference

_EPILOG = """\b
Examples:
  gguf-construct template diff m.gguf tokenizer_config.json
  gguf-construct template diff m.gguf chat_template.jinja
  gguf-construct template diff m.gguf other.gguf --name tool_use
  gguf-construct template diff m.gguf ./hub-folder

\b
Compares the texts, and what the built-in conversations look like with each side's own
special tokens (a file without any takes those of FILE). Exit code 1 when something differs."""


@click.command("diff", epilog=_EPILOG)
@file_argument
@click.argument("upstream", metavar="SOURCE")
@name_option
@date_option
@json_option
@limits_option
def diff_command(
    file: str,
    upstream: str,
    name: str | None,
    date: datetime | None,
    as_json: bool,
    limits: Limits | None,
) -> int:
    """Compare the chat templates of FILE with those of SOURCE."""
    from ...editing.chat_templates import diff_chat_templates, template_set
    from ...render.template_json import differences_json

    other = read_source(upstream)
    with open_given(file, limits) as model:
        ours = template_set(model)
    # A tokenizer configuration names some tokens, a template file none: ours fill the gaps.
    other = other._replace(special_tokens={**ours.special_tokens, **other.special_tokens})
    found = diff_chat_templates(ours, other, names=[name] if name else None, now=date)
    code = decide(FINDINGS if found else FINE)
    if as_json:
        templates = differences_json(found, file, upstream)
        paths = {"path": file, "upstream": upstream}
        print_json({**paths, "same": not found, "templates": templates})
        return code
    _print_diff(file, upstream, found)
    if not found:
        there = any(ours.templates)
        note("the templates are the same" if there else "neither side has a chat template")
    return code


def _print_diff(file: str, upstream: str, found: Sequence[TemplateDifference]) -> None:
    for one in found:
        if one.missing:
            where = upstream if one.missing == "old" else file
            print_line(f"template {one.name!r} is only in {where}")
            continue
        if one.text:
            print_line(f"template {one.name!r}: old is {file}, new is {upstream}")
            print_diff(one.text)
        for rendered in one.rendered:
            print_line(f"conversation {rendered.conversation!r} renders differently:")
            print_diff(rendered.diff)
        if not one.rendered:
            print_line("the built-in conversations render the same")

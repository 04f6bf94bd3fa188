"""Where a template on the command line comes from, and what the template verbs share."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from ...model import open_model
from ..shared.messages import about_file, warn

if TYPE_CHECKING:
    from datetime import datetime

    from ...editing.chat_templates import TemplateSet
    from ...templates.finding import Engine

name_option = click.option("--name", metavar="NAME", help="A named template, such as tool_use.")
source_option = click.option(
    "--source", metavar="SOURCE", help="Use this template (a file or its text) instead."
)


def _date(ctx: click.Context, param: click.Parameter, text: str | None) -> datetime | None:
    if text is None:
        return None
    from datetime import datetime

    try:
        return datetime.fromisoformat(text)
    except ValueError as error:
        raise click.UsageError(f"--date: {text!r} is not a date such as 2026-11-30") from error


date_option = click.option(
    "--date", callback=_date, metavar="DATE", help="Use this as the current time: 2026-11-30."
)


def installed_engine() -> Engine | None:
    """llama.cpp's own template engine, where the package with it is installed."""
    from ...engine.llama_templates import ask_llama, is_installed

    return ask_llama if is_installed() else None


def read_source(source: str) -> TemplateSet:
    """The templates of a SOURCE: a file, a folder, a GGUF file, or the text itself.

    A mistyped file name would make a template too, one that says the same whatever the
    conversation: so a text must have something in braces.
    """
    from ...editing.chat_templates import TemplateSet, template_set
    from ...storage.read.hf_folder import is_gguf
    from ...templates.keys import DEFAULT

    path = source.removeprefix("@")
    if source.startswith("@") or (len(source) < 4096 and os.path.exists(source)):
        if not is_gguf(path):
            return _read_templates(path)
        with about_file(path), open_model(path) as other:
            return template_set(other)
    if "{{" not in source and "{%" not in source:
        raise click.UsageError(
            f"{source[:80]!r} is neither a file nor a template: it has nothing in braces"
        )
    return TemplateSet({DEFAULT: source}, {})


def _read_templates(path: str) -> TemplateSet:
    """The templates and special tokens in a file (``-`` is standard input) or in a folder."""
    from ...editing.chat_templates import TemplateSet
    from ...errors import TemplateError
    from ...storage.read.hf_folder import is_folder, read_folder
    from ...storage.write.small_files import read_value
    from ...templates.folder import TEMPLATE_FILES, file_templates, folder_templates

    if not is_folder(path):
        return TemplateSet(*file_templates(path, read_value(path))[:2])
    found = folder_templates(read_folder(path, TEMPLATE_FILES))
    if not found.templates:
        looked = ", ".join(TEMPLATE_FILES)
        raise TemplateError(f"{path} has no chat template", hint=f"looked for {looked}")
    for one in found.others:
        counts = found.files.get(one.name, next(iter(found.files.values())))
        warn(f"{one.file} has another template {one.name!r}; {counts} counts")
    return TemplateSet(found.templates, found.special_tokens)

"""Rules about chat templates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...core.registry import find, keys_with_role
from ...core.values import text_of
from ...errors import TemplateError
from .base import Finding, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..._generated.types import MetadataKv
    from .context import Context

_MAIN = "tokenizer.chat_template"
_MAX_PARSED = 1 << 18  # characters of all templates together; a second at worst
_MAX_DANGERS = 8
_SERVER = "common_chat_templates_init in llama.cpp; jinja2 sandbox"


def _templates(c: Context) -> Iterator[tuple[int, MetadataKv]]:
    for at, record in c.strings():
        info = find(c.fields[at].key)
        if info is not None and "chat_template" in info.roles:
            yield at, record


@rule("template-syntax", source=_SERVER, spec="warning", only=("tokenizer.chat_template*",))
def syntax(c: Context) -> Iterator[Finding]:
    """Chat templates can be parsed: llama.cpp's server does not start with one that cannot."""
    from ...templates.static import parse_template

    for at, record, source in _parsed(c):
        if source is None:
            message = f"{len(record.value)} bytes: not checked, there are too many to parse"
            yield Finding(message, record.at("value"), c.key_path(at, "value"), None, "warning")
            continue
        try:
            parse_template(source)
        except TemplateError as error:
            line = f"line {error.line}: " if error.line else ""
            yield Finding(
                f"{line}{error.message}",
                record.at("value"),
                c.key_path(at, "value"),
                "see the place: gguf-construct template check ...",
                None if error.reason == "syntax" else "warning",
            )


def _parsed(c: Context) -> Iterator[tuple[int, MetadataKv, str | None]]:
    """The templates with their sources; None for those that there is no time to parse."""
    from ...templates.static import MAX_IN_PROCESS

    left = _MAX_PARSED
    for at, record in _templates(c):
        source = text_of(record.value)
        # A large one is parsed in a process with a clock, which takes seconds: the main one only.
        is_large = len(source) > MAX_IN_PROCESS
        if (is_large and c.fields[at].key != _MAIN) or (not is_large and len(source) > left):
            yield at, record, None
            continue
        left -= 0 if is_large else len(source)
        yield at, record, source


@rule("template-security", source="CVE-2024-34359, CVE-2026-5760", llama="error", spec="error")
def security(c: Context) -> Iterator[Finding]:
    """A chat template does nothing that none needs: it leaves Python's internals, other files and
    format strings from messages alone, it ends, its text can be seen, and it adds no instruction
    when a word or a date comes.  Engines without a sandbox carry out what it says."""
    from ...templates.static import template_report

    for at, record, source in _parsed(c):
        if source is None:
            continue  # the rule about syntax says so
        try:
            dangers = template_report(source).dangers
        except TemplateError:
            continue
        for one in dangers[:_MAX_DANGERS]:
            yield Finding(
                f"line {one.line}: {one.message}",
                record.at("value"),
                c.key_path(at, "value"),
                "read it before you use it: gguf-construct template show ...",
                "warning" if one.severity == "warning" else None,
            )


@rule("template-empty", source="practice", llama="warning", spec="info")
def empty(c: Context) -> Iterator[Finding]:
    """A chat template is not empty."""
    for at, record in _templates(c):
        if not record.value.strip():
            yield Finding("an empty template", record.at("value"), c.key_path(at, "value"))


@rule(
    "template-names",
    source="gguf-py, add_chat_template",
    llama="info",
    spec="info",
    needs="metadata",
)
def names(c: Context) -> Iterator[Finding]:
    """The list of named templates names those that are there."""
    for info in keys_with_role("chat_template_names"):
        array = c.array(info.key)
        if array is None:
            continue
        for at, name in enumerate(array.elements[:64]):
            if f"tokenizer.chat_template.{name}" not in c.records:
                yield Finding(
                    f"no template {name!r} is there",
                    array.at("elements"),
                    c.place(info.key, name=f"value.elements[{at}]")[1],
                )

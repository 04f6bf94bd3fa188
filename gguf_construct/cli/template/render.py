"""``template render``: the prompt that a template makes of a conversation."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ...errors import TemplateError
from ...model import open_model
from ..shared.exit_codes import FINDINGS, FINE, decide
from ..shared.messages import warn
from ..shared.options import file_argument, json_option, limits_option
from ..shared.output import flush, print_json, print_line, print_text
from .source import date_option, name_option, read_source, source_option

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from ..._generated.types import Limits
    from ...templates.conversations import Conversation

__all__ = ["render_command"]

_EPILOG = """\b
Examples:
  gguf-construct template render m.gguf
  gguf-construct template render m.gguf --conversation tool_results
  gguf-construct template render m.gguf --messages chat.json --add-generation-prompt
  gguf-construct template render m.gguf --messages '[{"role": "user", "content": "Hi"}]'
  gguf-construct template render m.gguf --source new.jinja --set enable_thinking=false

\b
Messages are a JSON list, or an object with messages and tools: in a file (- is standard
input) or written out. Without them all built-in conversations are rendered. In a pipe or
file, a single conversation is printed byte for byte."""


class _Job(NamedTuple):
    """One conversation to render; `add` is whether the assistant's turn is opened."""

    name: str
    messages: Any
    tools: Any
    add: bool


@click.command("render", epilog=_EPILOG)
@file_argument
@name_option
@source_option
@click.option("--messages", metavar="JSON|PATH", help="The messages to render.")
@click.option("--conversation", metavar="NAME", help="A built-in conversation.")
@click.option("--tools", metavar="JSON|PATH", help="The tools that the model may call.")
@click.option(
    "--add-generation-prompt/--no-add-generation-prompt",
    "add",
    default=None,
    help="Open the assistant's turn; built-in conversations do unless they end with one.",
)
@click.option("--set", "extra", multiple=True, metavar="VAR=JSON", help="A further variable.")
@date_option
@json_option
@limits_option
def render_command(
    file: str,
    name: str | None,
    source: str | None,
    messages: str | None,
    conversation: str | None,
    tools: str | None,
    add: bool | None,
    extra: tuple[str, ...],
    date: datetime | None,
    as_json: bool,
    limits: Limits | None,
) -> int:
    """Render conversations with a chat template of FILE, as transformers does."""
    from ...editing.chat_templates import chat_template
    from ...templates.keys import DEFAULT
    from ...templates.rendering import make_context, render_many
    from ...tokens.special import template_variables

    jobs = _jobs(messages, conversation, tools, add)
    variables = _variables(extra)
    with open_model(file, limits=limits) as model:
        tokens = template_variables(model)
        text = chosen_source(source, name) or chat_template(model, name or DEFAULT)
    contexts = [
        make_context(
            job.messages,
            tools=job.tools,
            add_generation_prompt=job.add,
            special_tokens=tokens,
            extra=variables,
        )
        for job in jobs
    ]
    rendered = render_many(text, contexts, now=date)
    results = {job.name: result for job, result in zip(jobs, rendered, strict=True)}
    errors = [one for one in results.values() if isinstance(one, TemplateError)]
    failed = any(one.reason != "raised" for one in errors) or len(errors) == len(jobs)
    code = decide(FINDINGS if failed else FINE)
    if as_json:
        from ...render.template_json import rendered_json

        print_json({"path": file, "rendered": [rendered_json(*one) for one in results.items()]})
    elif len(jobs) == 1:
        _print_one(*results.values())
    else:
        _print_all(results)
    return code


def chosen_source(source: str | None, name: str | None) -> str | None:
    """The template that ``--source`` gives, if any; of several that of ``--name``."""
    if source is None:
        return None
    from ...templates.keys import DEFAULT

    found = read_source(source).templates
    wanted = name or DEFAULT
    if wanted not in found and len(found) > 1:
        raise click.UsageError(f"SOURCE has no template {wanted!r}, but {', '.join(found)}")
    return found.get(wanted) or next(iter(found.values()))


def _jobs(
    messages: str | None, conversation: str | None, tools: str | None, add: bool | None
) -> list[_Job]:
    from ...templates.conversations import CONVERSATIONS

    if messages is not None and conversation is not None:
        raise click.UsageError("--messages and --conversation exclude each other")
    given = _read_json(tools, "--tools") if tools is not None else None
    if messages is not None:
        found = _read_json(messages, "--messages")
        if isinstance(found, dict):
            given = found.get("tools") if given is None else given
            found = found.get("messages")
        if not isinstance(found, list):
            raise click.UsageError("--messages takes a list, or an object with messages")
        return [_Job("messages", found, given, bool(add))]
    if conversation is None:
        return [_built_in(name, one, given, add) for name, one in CONVERSATIONS.items()]
    if conversation not in CONVERSATIONS:
        raise click.UsageError(
            f"no conversation {conversation!r}; choose from {', '.join(CONVERSATIONS)}"
        )
    return [_built_in(conversation, CONVERSATIONS[conversation], given, add)]


def _built_in(name: str, one: Conversation, tools: Any, add: bool | None) -> _Job:
    return _Job(
        name,
        one.messages,
        one.tools if tools is None else tools,
        one.add_generation_prompt if add is None else add,
    )


def _read_json(value: str, option: str) -> Any:
    """JSON written out, or in a file, whose name may have an ``@`` in front."""
    from ...storage.write.small_files import read_value

    text: str | bytes = value
    if value.lstrip()[:1] not in ("[", "{"):
        text = read_value(value.removeprefix("@"))
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise click.UsageError(f"{option}: not JSON: {error}") from error


def _variables(settings: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for setting in settings:
        name, equals, value = setting.partition("=")
        if not equals or not name.isidentifier():
            raise click.UsageError(f"--set takes VAR=JSON, not {setting!r}")
        try:
            found[name] = json.loads(value)
        except ValueError:
            found[name] = value
    return found


def _print_one(result: str | TemplateError) -> None:
    if isinstance(result, TemplateError):
        raise result
    print_text(result)


def _print_all(results: Mapping[str, str | TemplateError]) -> None:
    for name, result in results.items():
        print_line(f"=== {name} ===")
        if isinstance(result, TemplateError):
            flush()
            warn(str(result))
        else:
            print_text(f"{result}\n")

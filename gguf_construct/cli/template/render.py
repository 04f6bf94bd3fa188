"""``template render``: the prompt that a template makes of a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ...errors import TemplateError
from ..shared.exit_codes import FINDINGS, FINE, decide
from ..shared.messages import note, warn
from ..shared.options import file_argument, json_option, limits_option
from ..shared.output import flush, print_diff, print_json, print_line, print_text
from ..shared.reading import open_given
from .jobs import Given, read_jobs, unused_variables
from .source import date_option, name_option, read_source, source_option

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from ..._generated.types import Limits
    from ...templates.finding import Rendered
    from .jobs import Jobs

_EPILOG = """\b
Examples:
  gguf-construct template render m.gguf
  gguf-construct template render m.gguf --conversation tool_results
  gguf-construct template render m.gguf --messages chat.json --add-generation-prompt
  gguf-construct template render m.gguf --messages '[{"role": "user", "content": "Hi"}]'
  gguf-construct template render m.gguf --source new.jinja --set enable_thinking=false
  gguf-construct template render m.gguf --engine both --conversation tools

\b
Messages are a JSON list, or an object with messages, tools, documents,
add_generation_prompt and chat_template_kwargs: in a file (- is standard input) or written
out. Without them all built-in conversations are rendered. In a pipe or file, a single
conversation is printed byte for byte. The engine llama.cpp needs the package xllamacpp."""


_ENGINES = ("transformers", "llama.cpp", "both")


@click.command("render", epilog=_EPILOG)
@file_argument
@name_option
@source_option
@click.option("--messages", metavar="JSON|PATH", help="The messages to render.")
@click.option("--conversation", metavar="NAME", help="A built-in conversation.")
@click.option("--tools", metavar="JSON|PATH", help="The tools that the model may call.")
@click.option("--documents", metavar="JSON|PATH", help="The documents that it may cite.")
@click.option(
    "--add-generation-prompt/--no-add-generation-prompt",
    "add",
    default=None,
    help="Open the assistant's turn; built-in conversations do unless they end with one.",
)
@click.option("--set", "settings", multiple=True, metavar="VAR=JSON", help="A further variable.")
@click.option(
    "--engine",
    type=click.Choice(_ENGINES),
    default=_ENGINES[0],
    show_default=True,
    help="Whose template engine to use; both shows where they differ.",
)
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
    documents: str | None,
    add: bool | None,
    settings: tuple[str, ...],
    engine: str,
    date: datetime | None,
    as_json: bool,
    limits: Limits | None,
) -> int:
    """Render conversations with a chat template of FILE, as transformers or llama.cpp does."""
    from ...editing.chat_templates import chat_template
    from ...templates.keys import DEFAULT
    from ...tokens.special import template_variables

    given = Given(messages, conversation, tools, documents, add, settings)
    jobs = read_jobs(given)
    if date is not None and engine != _ENGINES[0]:
        raise click.UsageError("--date works with --engine transformers alone")
    with open_given(file, limits) as model:
        tokens = template_variables(model)
        text = chosen_source(source, name) or chat_template(model, name or DEFAULT)
    for one in unused_variables(text, jobs, given):
        note(f"the template does not use {one!r}")
    by_engine = {
        one: _render(one, text, jobs, tokens, date)
        for one in (_ENGINES[:2] if engine == "both" else (engine,))
    }
    results = next(iter(by_engine.values()))
    code = decide(FINDINGS if any(map(_failed, by_engine.values())) else FINE)
    if as_json:
        _print_json(file, engine, by_engine)
    elif engine == "both":
        _print_both(*by_engine.values())
    elif len(results) == 1:
        _print_one(*results.values())
    else:
        _print_all(results)
    return code


def _render(
    engine: str, source: str, jobs: Jobs, tokens: dict[str, str], date: datetime | None
) -> Rendered:
    from ...templates.rendering import render_conversations

    if engine == _ENGINES[0]:
        return render_conversations(
            source, jobs.conversations, special_tokens=tokens, extra=jobs.variables, now=date
        )
    from ...engine.llama_templates import render_with_llama

    run = render_with_llama(source, jobs.conversations, special_tokens=tokens, extra=jobs.variables)
    if run.error is not None:
        raise run.error
    return run.results


def _failed(results: Rendered) -> bool:
    errors = [one for one in results.values() if isinstance(one, TemplateError)]
    return any(one.reason != "raised" for one in errors) or len(errors) == len(results)


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


def _print_json(file: str, engine: str, by_engine: Mapping[str, Rendered]) -> None:
    from ...render.template_json import rendered_json

    lists = {
        one: [rendered_json(*pair) for pair in results.items()]
        for one, results in by_engine.items()
    }
    found = lists if engine == "both" else {"rendered": lists[engine]}
    print_json({"path": file, "engine": engine, **found})


def _print_both(first: Rendered, second: Rendered) -> None:
    from ...templates.compare import unified_diff

    for name, result in first.items():
        diff = unified_diff(_text(result), _text(second[name]), ("transformers", "llama.cpp"))
        print_line(f"=== {name}: {'differs' if diff else 'the same'} ===")
        if diff:
            print_diff(diff)


def _text(result: str | TemplateError) -> str:
    return result if isinstance(result, str) else f"error: {result}\n"


def _print_one(result: str | TemplateError) -> None:
    if isinstance(result, TemplateError):
        raise result
    print_text(result)


def _print_all(results: Rendered) -> None:
    for name, result in results.items():
        print_line(f"=== {name} ===")
        if isinstance(result, TemplateError):
            flush()
            warn(str(result))
        else:
            print_text(f"{result}\n")

"""What to render: conversations and variables as the command line gives them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

import click

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ...templates.conversations import Conversation

# What a JSON object may hold beside messages; the last one holds further variables.
_OBJECT = ("messages", "tools", "documents", "add_generation_prompt", "chat_template_kwargs")
_WORDS = {"True": True, "False": False, "None": None}


class Given(NamedTuple):
    """Options as they were given; None where they were not."""

    messages: str | None
    conversation: str | None
    tools: str | None
    documents: str | None
    add: bool | None
    settings: tuple[str, ...]


class Jobs(NamedTuple):
    """Conversations by name, and further variables for all of them."""

    conversations: dict[str, Conversation]
    variables: dict[str, Any]


def read_jobs(given: Given) -> Jobs:
    """What the options ask for.

    Every variable reaches the template, or is refused: none is dropped.

    Raises:
        click.UsageError: an option is not of the right form, or is given twice.
    """
    from ...templates.conversations import CONVERSATIONS, Conversation

    if given.messages is not None and given.conversation is not None:
        raise click.UsageError("--messages and --conversation exclude each other")
    variables = _settings(given.settings)
    for name, text in (("tools", given.tools), ("documents", given.documents)):
        if text is not None:
            _add(variables, name, _read_json(text, f"--{name}"))
    if given.add is not None:
        _add(variables, "add_generation_prompt", given.add)
    if given.messages is not None:
        for name, value in _messages(given.messages).items():
            variables.setdefault(name, value)  # an option is nearer than the file
        chosen = {"messages": Conversation((), None, False)}
    elif given.conversation is None:
        chosen = dict(CONVERSATIONS)
    elif given.conversation in CONVERSATIONS:
        chosen = {given.conversation: CONVERSATIONS[given.conversation]}
    else:
        raise click.UsageError(
            f"no conversation {given.conversation!r}; choose from {', '.join(CONVERSATIONS)}"
        )
    fields = {name: _checked(name, variables.pop(name)) for name in _OBJECT if name in variables}
    return Jobs({name: one._replace(**fields) for name, one in chosen.items()}, variables)


def _add(variables: dict[str, Any], name: str, value: Any) -> None:
    if name in variables:
        raise click.UsageError(f"{name} is given twice")
    variables[name] = value


def _checked(name: str, value: Any) -> Any:
    """A field of a conversation, of the type that it must have."""
    if name == "add_generation_prompt":
        if not isinstance(value, bool):
            raise click.UsageError(f"{name} is true or false, not {value!r}")
        return value
    if value is None and name != "messages":
        return None
    if not isinstance(value, list):
        raise click.UsageError(f"{name} is a JSON list")
    return tuple(value)


def _messages(text: str) -> dict[str, Any]:
    """What ``--messages`` gives: a list, or an object with messages and more."""
    found = _read_json(text, "--messages")
    if isinstance(found, list):
        return {"messages": found}
    if not isinstance(found, dict) or not isinstance(found.get("messages"), list):
        raise click.UsageError("--messages takes a list, or an object with messages")
    unknown = [name for name in found if name not in _OBJECT]
    if unknown:
        raise click.UsageError(
            f"--messages: {', '.join(map(repr, unknown))} would not reach the template; "
            f"an object may have {', '.join(_OBJECT)}"
        )
    more = found.pop("chat_template_kwargs", None)
    return {**found, **_kwargs(more)}


def _kwargs(value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise click.UsageError("chat_template_kwargs is a JSON object")
    if "messages" in value:
        raise click.UsageError("chat_template_kwargs cannot give messages: use --messages")
    return value


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


def _settings(settings: tuple[str, ...]) -> dict[str, Any]:
    """The variables of ``--set VAR=JSON``; what is not JSON is text."""
    found: dict[str, Any] = {}
    for setting in settings:
        name, equals, text = setting.partition("=")
        if not equals or not name.isidentifier():
            raise click.UsageError(f"--set takes VAR=JSON, not {setting!r}")
        if name == "messages":
            raise click.UsageError("--set cannot give messages: use --messages")
        try:
            value = json.loads(text)
        except ValueError:
            value = _WORDS.get(text, text)
        for one, part in _kwargs(value).items() if name == "chat_template_kwargs" else ():
            _add(found, one, part)
        if name != "chat_template_kwargs":
            _add(found, name, value)
    return found


def unused_variables(source: str, jobs: Jobs, given: Given) -> list[str]:
    """The variables that were given and that the template does not read."""
    from ...errors import TemplateError
    from ...templates.static import template_report

    names = [*jobs.variables]
    if given.messages is not None or given.conversation is not None:
        (one,) = jobs.conversations.values()
        fields: Mapping[str, Any] = {"tools": one.tools, "documents": one.documents}
        names += [name for name, value in fields.items() if value is not None]
    else:
        names += [name for name in ("tools", "documents") if getattr(given, name) is not None]
    if given.add:
        names.append("add_generation_prompt")
    try:
        read = {mention.name for mention in template_report(source).names}
    except TemplateError:
        return []  # rendering says what is wrong
    return [name for name in names if name not in read]

"""Conversations of marked texts: whether a template passes on what it is given, and in which role.

A template that renders may still lose the user's words.  Each text here is a word that no
template writes by itself, so where it comes out shows what became of it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .conversations import Conversation
from .finding import TemplateFinding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from .finding import Rendered

QUESTION = "Qmarkone0d5e"
SECOND_QUESTION = "Qmarktwo0d5e"
ANSWER = "Amarkone0d5e"
SYSTEM = "Smarkone0d5e"
_TOOL = "tmarkone0d5e"

_USER = {"role": "user", "content": QUESTION}
_TOOLS = (
    {
        "type": "function",
        "function": {
            "name": _TOOL,
            "description": "A tool.",
            "parameters": {
                "type": "object",
                "properties": {"city": {"type": "string", "description": "A city."}},
                "required": ["city"],
            },
        },
    },
)

PROBES: dict[str, Conversation] = {
    "probe": Conversation((_USER,)),
    "probe_closed": Conversation((_USER,), add_generation_prompt=False),
    "probe_turns": Conversation(
        (
            _USER,
            {"role": "assistant", "content": ANSWER},
            {"role": "user", "content": SECOND_QUESTION},
        )
    ),
    "probe_answered": Conversation(
        (_USER, {"role": "assistant", "content": ANSWER}), add_generation_prompt=False
    ),
    "probe_system": Conversation(({"role": "system", "content": SYSTEM}, _USER)),
    "probe_tools": Conversation((_USER,), tools=_TOOLS),
}

_ROLE = re.compile(
    r"user|human|instruct(?:ion)?|assistant|model|bot|gpt|response|chatbot", re.IGNORECASE
)
_USERS = ("user", "human", "instruction", "instruct")


def behaviour_findings(results: Rendered) -> Iterator[TemplateFinding]:
    """What gets lost or swapped on the way into the prompt."""
    found = {name: text.lower() for name, text in results.items() if isinstance(text, str)}
    lost = _lost_question(found)
    if lost is not None:
        yield lost
        return
    if "probe_system" in found and SYSTEM.lower() not in found["probe_system"]:
        yield TemplateFinding(
            "template-drops-system", "warning", "the text of a system message is not in the prompt"
        )
    if "probe_tools" in found and _TOOL not in found["probe_tools"]:
        yield TemplateFinding(
            "template-drops-tools",
            "info",
            "tools are not in the prompt: the model does not learn what it may call",
        )
    between = _between(found.get("probe_turns", ""), QUESTION, ANSWER)
    if between is not None and _has_no_opening(found, between):
        yield TemplateFinding(
            "template-no-generation-prompt",
            "warning",
            f"add_generation_prompt adds nothing, though {between.strip()[:40]!r} comes before "
            "an answer: the model may go on as the user",
        )
    yield from _swapped(found)


def shows_tools(results: Rendered) -> bool:
    """Whether the template tells the model which tools there are."""
    text = results["probe_tools"]
    return isinstance(text, str) and _TOOL in text.lower()


def _lost_question(found: Mapping[str, str]) -> TemplateFinding | None:
    shown = found.get("probe", found.get("probe_tools"))
    if shown is not None and QUESTION.lower() not in shown:
        return TemplateFinding(
            "template-drops-user", "error", "the user's text is not in the prompt"
        )
    turns = found.get("probe_turns")
    if turns is None:
        return None
    if SECOND_QUESTION.lower() not in turns:
        return TemplateFinding(
            "template-drops-user", "warning", "the user's later texts are not in the prompt"
        )
    if QUESTION.lower() not in turns:
        return TemplateFinding(
            "template-drops-user", "warning", "the user's earlier texts are not in the prompt"
        )
    if ANSWER.lower() not in turns:
        return TemplateFinding(
            "template-answer", "warning", "the assistant's answer is not in the prompt"
        )
    return None


def _between(text: str, first: str, second: str) -> str | None:
    start, end = text.find(first.lower()), text.find(second.lower())
    return text[start + len(first) : end] if 0 <= start < end else None


def _has_no_opening(found: Mapping[str, str], between: str) -> bool:
    """Whether the prompt ends before what comes between a question and its answer does."""
    shown = found.get("probe")
    if shown is None or shown != found.get("probe_closed"):
        return False
    tail = shown.rpartition(QUESTION.lower())[2].strip()
    return between.strip().startswith(tail) and between.strip() != tail


def _swapped(found: Mapping[str, str]) -> Iterator[TemplateFinding]:
    turns = found.get("probe_turns", "")
    before_answer = _between(turns, QUESTION, ANSWER)
    before_question = _between(turns, ANSWER, SECOND_QUESTION)
    if before_answer is None or before_question is None:
        return
    answers, asks = _last_role(before_answer), _last_role(before_question)
    if answers in _USERS and asks and asks not in _USERS:
        yield TemplateFinding(
            "template-swaps-roles",
            "error",
            f"roles are swapped: {answers!r} comes before the assistant's text, "
            f"{asks!r} before the user's",
        )


def _last_role(text: str) -> str:
    """The last word for a role, those in closing tags aside."""
    found: list[str] = _ROLE.findall(re.sub(r"</[^<>]*>|\[/[^\[\]]*\]", "", text))
    return found[-1] if found else ""

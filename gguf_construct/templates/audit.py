"""The full check of a chat template.

Findings have stable codes; a template with errors does not work, one with warnings works in
some engines or for some conversations only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..core.problem import SEVERITIES
from ..core.registry import end_of_generation_texts
from ..errors import TemplateError
from .conversations import CONVERSATIONS, Conversation
from .rendering import RenderLimits, render_conversations
from .static import Mention, TemplateReport, template_report

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from datetime import datetime

__all__ = ["TemplateFinding", "audit_template"]

# Stands where the assistant's answer is, to see what follows it.
_ANSWER = "ANSWER0d5e"
# A break of one of these is an attack or a mistake, never a matter of the conversation.
_LIMITS = frozenset(("time", "memory", "output", "recursion", "crash"))


class TemplateFinding(NamedTuple):
    """Something about a template: `severity` is error, warning or info; `line` may be None."""

    code: str
    severity: str
    message: str
    line: int | None = None
    hint: str | None = None


def audit_template(
    source: str,
    *,
    special_tokens: Mapping[str, str] | None = None,
    vocabulary: Collection[str] | None = None,
    stop_tokens: Collection[str] = (),
    now: datetime | None = None,
    limits: RenderLimits | None = None,
) -> list[TemplateFinding]:
    """Everything that is known to be wrong with a template; empty for a sound one.

    Args:
        special_tokens: ``bos_token`` and the like, as the model has them.
        vocabulary: token texts; None leaves out whether the template's tokens exist.
        stop_tokens: texts that end generation (EOS, EOT, ...); empty leaves out that check.
    """
    tokens = dict(special_tokens or {})
    try:
        report = template_report(source)
        results = render_conversations(
            source, _conversations(), special_tokens=tokens, now=now, limits=limits
        )
    except TemplateError as error:
        return [_broken(error)]
    findings = _static(report, vocabulary)
    findings += _unrendered_all(results)
    finished = results[_FINISHED]
    if stop_tokens and isinstance(finished, str):
        findings += _turn_end(finished, stop_tokens)
    return findings


_FINISHED = "finished"


def _conversations() -> dict[str, Conversation]:
    return {
        name: _with_marker(conversation) if name == _FINISHED else conversation
        for name, conversation in CONVERSATIONS.items()
    }


def _with_marker(conversation: Conversation) -> Conversation:
    last = {**conversation.messages[-1], "content": _ANSWER}
    return conversation._replace(messages=(*conversation.messages[:-1], last))


def _broken(error: TemplateError) -> TemplateFinding:
    code = "template-limit" if error.reason in _LIMITS else "template-syntax"
    return TemplateFinding(code, "error", error.message, error.line)


def _static(report: TemplateReport, vocabulary: Collection[str] | None) -> list[TemplateFinding]:
    findings = [
        TemplateFinding(code, severity, words.format(mention.name), mention.line)
        for code, severity, words, mentions in _STATIC
        for mention in _mentions(report, mentions)
    ]
    if vocabulary is not None:
        markup = _markup({mention.name for mention in report.special_tokens}, vocabulary)
        findings += [
            TemplateFinding(
                "template-token",
                "info" if mention.name in markup else "warning",
                f"{mention.name!r} is not a token of the vocabulary",
                mention.line,
                "it will be split into several tokens",
            )
            for mention in report.special_tokens
            if mention.name not in vocabulary
        ]
    return findings


def _markup(texts: set[str], vocabulary: Collection[str]) -> set[str]:
    """Tags that come in pairs, such as <tools> and </tools>: many models read them as plain text.

    Not those of which one is a token here, or ends generation in some model.
    """
    found: set[str] = set()
    for text in texts:
        pair = {text, f"</{text[1:]}"}
        if text[1:2] != "/" and pair <= texts:
            plain = not any(one in vocabulary or one in end_of_generation_texts() for one in pair)
            found |= pair if plain else set()
    return found


# Code, severity, words, field of the report.
_STATIC = (
    ("template-private", "error", "attribute {!r} is refused by the sandbox", "private"),
    ("template-filter", "error", "no engine has a filter {!r}", "unknown_filters"),
    ("template-test", "error", "no engine has a test {!r}", "unknown_tests"),
    ("template-name", "info", "the variable {!r} is not a usual one", "unknown_names"),
    ("template-llama-filter", "warning", "llama.cpp has no filter {!r}", "llama_filters"),
    ("template-llama-test", "warning", "llama.cpp has no test {!r}", "llama_tests"),
    ("template-llama-tag", "warning", "llama.cpp has no statement {!r}", "llama_statements"),
)


def _mentions(report: TemplateReport, field: str) -> tuple[Mention, ...]:
    found: tuple[Mention, ...] = getattr(report, field)
    return found


def _unrendered_all(results: Mapping[str, str | TemplateError]) -> list[TemplateFinding]:
    """One finding for all the conversations that fail in the same way, as severe as the worst."""
    failed: dict[tuple[str, str, int | None], list[tuple[str, str]]] = {}
    for name, result in results.items():
        if isinstance(result, TemplateError):
            one = _unrendered(name, result)
            failed.setdefault((one.code, one.message, one.line), []).append((name, one.severity))
    return [
        TemplateFinding(
            code,
            next(level for level in SEVERITIES if any(level == one for _, one in found)),
            f"{_which([name for name, _ in found], len(results))}: {message}",
            line,
        )
        for (code, message, line), found in failed.items()
    ]


def _which(names: list[str], total: int) -> str:
    if len(names) == 1:
        return f"conversation {names[0]!r}"
    return "every conversation" if len(names) == total else f"conversations {', '.join(names)}"


def _unrendered(name: str, error: TemplateError) -> TemplateFinding:
    if error.reason in _LIMITS:
        return TemplateFinding("template-limit", "error", error.message, error.line)
    if error.reason == "security":
        return TemplateFinding("template-private", "error", error.message, error.line)
    if error.reason == "raised":
        return TemplateFinding("template-refuses", "info", error.message, error.line)
    severity = _SEVERITY_OF_FAILURE.get(name, "warning")
    return TemplateFinding("template-render", severity, error.message, error.line)


# What every chat has must work; lists of parts are flattened by most callers of text models.
_SEVERITY_OF_FAILURE = {
    "single": "error",
    "multi_turn": "error",
    _FINISHED: "error",
    "typed_content": "info",
}


def _turn_end(rendered: str, stop_tokens: Collection[str]) -> list[TemplateFinding]:
    """Whether what follows the assistant's answer begins with a token that ends generation."""
    _, found, rest = rendered.rpartition(_ANSWER)
    if not found:
        return [
            TemplateFinding(
                "template-answer", "warning", "the assistant's answer is not in the prompt"
            )
        ]
    rest = rest.lstrip()
    if any(token and rest.startswith(token) for token in stop_tokens):
        return []
    by_text = any(map(rest.startswith, end_of_generation_texts()))
    listed = ", ".join(map(repr, sorted(stop_tokens)))
    return [
        TemplateFinding(
            "template-turn-end",
            "info" if by_text else "warning",
            f"after the assistant's answer comes {rest[:40]!r}, "
            + (
                "which only llama.cpp takes for an end, by its text"
                if by_text
                else "which does not end generation"
            ),
            None,
            f"tokens that end generation: {listed}; set EOS or EOT to what the template writes",
        )
    ]

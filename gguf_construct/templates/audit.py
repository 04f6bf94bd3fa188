"""The full check of a chat template.

Findings have stable codes; a template with errors does not work, one with warnings works in
some engines or for some conversations only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from ..core.problem import SEVERITIES
from ..errors import TemplateError
from .conversations import CONVERSATIONS
from .finding import TemplateFinding
from .probes import PROBES, behaviour_findings, shows_tools
from .rendering import RenderLimits, render_conversations
from .static import TemplateReport, template_report
from .turn_ends import Tokens, turn_findings

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from .finding import Engine, EngineAnswer, Rendered

# A break of one of these is an attack or a mistake, never a matter of the conversation.
_LIMITS = frozenset(("time", "memory", "output", "recursion", "crash"))
# What every chat has: a template that fails here does not work.
_PLAIN = ("single", "turns", "finished")
# What most callers of text models never send, or send in another form.
_WITH_CALLS = ("call_without_content", "two_calls", "arguments_as_text")
_FEW = 4  # names that a message lists
_RARE = ("typed_content", "developer", "arguments_as_text")


class Audit(NamedTuple):
    """What is known of a template.

    Attributes:
        findings: everything that is wrong with it; empty for a sound one.
        rendered: what transformers makes of the built-in conversations; empty where it cannot
            be parsed.
        llama: what llama.cpp makes of them; None where it was not asked.
    """

    findings: list[TemplateFinding]
    rendered: Rendered
    llama: EngineAnswer | None = None


def audit_template(
    source: str,
    *,
    special_tokens: Mapping[str, str] | None = None,
    tokens: Tokens | None = None,
    engine: Engine | None = None,
    now: datetime | None = None,
    limits: RenderLimits | None = None,
) -> Audit:
    """Look at a template from all sides.

    Args:
        special_tokens: ``bos_token`` and the like, as the model has them.
        tokens: what the model knows of tokens; None leaves out what needs it.
        engine: llama.cpp, where it is installed; without it the known limits of its engine count.
    """
    given = dict(special_tokens or {})
    everything = {**CONVERSATIONS, **PROBES}
    try:
        report = template_report(source)
    except TemplateError as error:
        return Audit([_broken(error)], {})
    llama: EngineAnswer | None = None
    uncompiled: TemplateError | None = None
    try:
        results: Rendered = render_conversations(
            source, everything, special_tokens=given, now=now, limits=limits
        )
    except TemplateError as error:
        uncompiled, results = error, dict.fromkeys(everything, error)
    exhausted = any(_reason(one) in _LIMITS for one in results.values())
    if engine is not None and not exhausted and not report.dangers:
        llama = engine(source, everything, given)
    findings = [*_static(report)]
    if uncompiled is not None:
        severity = "warning" if _renders(llama) else "error"
        findings.append(_broken(uncompiled)._replace(severity=severity))
    else:
        findings += _unrendered(source, results, llama, given, limits)
    if llama is not None:
        findings += _engines(results, llama)
    else:
        findings += [
            TemplateFinding(one.code, _limit_severity(one.code), one.message, one.line)
            for one in report.llama_limits
        ]
    best = _best(results, llama)
    findings += behaviour_findings(best)
    findings += turn_findings(source, best, tokens or Tokens())
    order: dict[str, int] = {severity: at for at, severity in enumerate(SEVERITIES)}
    findings.sort(key=lambda one: order[one.severity])
    if isinstance(llama, Mapping):
        llama = _built_in(llama)
    return Audit(findings, _built_in(results), llama)


def _limit_severity(code: str) -> str:
    return "info" if code == "template-llama-differs" else "warning"


def _built_in(results: Rendered) -> Rendered:
    return {name: results[name] for name in CONVERSATIONS}


def _renders(llama: EngineAnswer | None) -> bool:
    """Whether llama.cpp renders the simplest conversation."""
    return isinstance(llama, Mapping) and isinstance(llama["single"], str)


def _best(results: Rendered, llama: EngineAnswer | None) -> Rendered:
    """The prompts of transformers, or those of llama.cpp where only that renders any."""
    if isinstance(results["probe"], str) or not isinstance(llama, Mapping):
        return results
    return llama if isinstance(llama["probe"], str) else results


def _reason(result: str | TemplateError) -> str:
    return result.reason if isinstance(result, TemplateError) else ""


def _broken(error: TemplateError) -> TemplateFinding:
    code = "template-limit" if error.reason in _LIMITS else "template-syntax"
    return TemplateFinding(code, "error", error.message, error.line)


def _static(report: TemplateReport) -> Iterator[TemplateFinding]:
    for danger in report.dangers:
        yield TemplateFinding(
            "template-security",
            danger.severity,
            danger.message,
            danger.line,
        )
    for code, words, mentions in (
        ("template-filter", "no engine has a filter {!r}", report.unknown_filters),
        ("template-test", "no engine has a test {!r}", report.unknown_tests),
        ("template-name", "the variable {!r} is not a usual one", report.unknown_names),
    ):
        for mention in mentions:
            yield TemplateFinding(code, "info", words.format(mention.name), mention.line)


def _unrendered(
    source: str,
    results: Rendered,
    llama: EngineAnswer | None,
    special_tokens: Mapping[str, str],
    limits: RenderLimits | None,
) -> list[TemplateFinding]:
    """One finding for all the conversations that fail in the same way, as severe as the worst."""
    failed: dict[tuple[str, str, int | None], list[tuple[str, str]]] = {}
    plain = _plain_severity(source, results, llama, special_tokens, limits)
    for name in CONVERSATIONS:
        result = results[name]
        if isinstance(result, TemplateError):
            code, severity = _failure(name, result, results, plain)
            group = failed.setdefault((code, result.message, result.line), [])
            group.append((name, severity))
    return [
        TemplateFinding(
            code,
            next(level for level in SEVERITIES if any(level == one for _, one in found)),
            f"{_which([name for name, _ in found], len(CONVERSATIONS))}: {message}",
            line,
            _HINTS.get(code),
        )
        for (code, message, line), found in failed.items()
    ]


_HINTS = {
    "template-no-system": "put the text of the system message into the first user message",
    "template-null-content": "write (message.content or '') in the template where it reads content "
    "of messages with tool calls",
}


def _which(names: list[str], total: int) -> str:
    if len(names) == 1:
        return f"conversation {names[0]!r}"
    if len(names) > _FEW:
        return "every conversation" if len(names) == total else f"{len(names)} conversations"
    return f"conversations {', '.join(names)}"


def _failure(name: str, error: TemplateError, results: Rendered, plain: str) -> tuple[str, str]:
    """Code and severity of a conversation that transformers does not render."""
    if error.reason in _LIMITS:
        return "template-limit", "error"
    severity = plain if name in _PLAIN else "info" if name in _RARE else "warning"
    if error.reason == "security":
        return "template-private", severity
    if isinstance(results["single"], TemplateError):
        code = "template-refuses" if error.reason == "raised" else "template-render"
        return code, severity if name in _PLAIN else "info"
    if name in _WITH_CALLS and not isinstance(results["tool_results"], str):
        severity = "info"  # follows from the simpler conversation
    elif name == "call_without_content" and not shows_tools(results):
        severity = "info"  # a template without tools
    elif name == "call_without_content":
        return "template-null-content", "warning"
    if error.reason == "raised":
        about_system = isinstance(results["system"], TemplateError) and (
            results["system"].message == error.message
        )
        code = "template-no-system" if about_system else "template-refuses"
        return code, severity if name in _PLAIN else "info"
    return "template-render", severity


def _plain_severity(
    source: str,
    results: Rendered,
    llama: EngineAnswer | None,
    special_tokens: Mapping[str, str],
    limits: RenderLimits | None,
) -> str:
    """How bad it is that transformers fails on a plain conversation.

    No error where the template wants tools, or where llama.cpp renders it: there an absent
    variable is empty.
    """
    failed = [one for one in map(results.get, _PLAIN) if isinstance(one, TemplateError)]
    if not failed or any(_reason(one) in _LIMITS for one in failed):
        return "error"
    if isinstance(results["probe_tools"], str):
        return "info"
    if llama is not None:
        return "warning" if _renders(llama) else "error"
    if failed[0].reason not in ("undefined", "error"):
        return "error"
    try:
        again = render_conversations(
            source,
            {"single": CONVERSATIONS["single"]},
            special_tokens=special_tokens,
            limits=limits,
            lenient=True,
        )
    except TemplateError:
        return "error"
    return "warning" if isinstance(again["single"], str) else "error"


def _engines(results: Rendered, llama: EngineAnswer) -> Iterator[TemplateFinding]:
    """What llama.cpp refuses or renders differently."""
    if isinstance(llama, TemplateError):
        yield TemplateFinding(
            "template-llama-load",
            "warning",
            f"llama.cpp does not load a model with this template: {llama.message}",
            llama.line,
        )
        return
    failing = {name: one for name in CONVERSATIONS if isinstance(one := llama[name], TemplateError)}
    ours = {name: error for name, error in failing.items() if isinstance(results[name], str)}
    for name, error in ours.items():
        yield TemplateFinding(
            "template-llama-render",
            "info" if name in _RARE else "warning",
            f"conversation {name!r} fails in llama.cpp: {error.message}",
            error.line,
        )
    other = [
        name
        for name in CONVERSATIONS
        if isinstance(results[name], str)
        and isinstance(llama[name], str)
        and results[name] != llama[name]
    ]
    if other:
        yield TemplateFinding(
            "template-engines",
            "info",
            f"llama.cpp renders {_which(other, len(CONVERSATIONS))} in another way",
            None,
            "see both: gguf-construct template render FILE --engine both --conversation "
            f"{other[0]}",
        )

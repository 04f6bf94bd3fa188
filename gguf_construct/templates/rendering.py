"""Render chat templates as transformers does, in a process that cannot do harm.

Strategy: a template is a stranger's program.  It runs in jinja2's immutable sandbox, in a child
process with limits of time, memory and output; what the child answers is text and nothing else.
The child inherits this interpreter and its search path, so it sees the same packages.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import TemplateError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from .conversations import Conversation

_BOOT = (
    "import json, sys; request = json.load(sys.stdin.buffer); sys.path[:] = request['path']; "
    "from gguf_construct.templates.child import main; main(request)"
)
# Seconds that a busy machine may need to start an interpreter and import jinja2.
_STARTUP = 15.0
# Other names under which a message's reasoning is given; the first is the one templates read.
_REASONING = ("reasoning_content", "thinking", "reasoning")


@dataclass(frozen=True)
class RenderLimits:
    """What one rendering may use.

    Attributes:
        seconds: wall-clock time, for parsing and for each rendering; twice that for all of the
            renderings of one template.
        memory: bytes of address space of the whole child process, where the system can limit it.
        output: characters of rendered text.
        source: characters of the template.
    """

    seconds: float = 5.0
    memory: int = 512 << 20
    output: int = 4 << 20
    source: int = 1 << 20


def make_context(
    messages: Sequence[Mapping[str, Any]],
    *,
    tools: Sequence[Mapping[str, Any]] | None = None,
    documents: Sequence[Mapping[str, Any]] | None = None,
    add_generation_prompt: bool = False,
    special_tokens: Mapping[str, str] | None = None,
    extra: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The variables that transformers' `apply_chat_template` gives to a template.

    Args:
        special_tokens: ``bos_token``, ``eos_token``, ... and their texts.
        extra: further variables, such as ``enable_thinking``; they override special tokens.
            ``chat_template_kwargs`` holds still further ones.

    Raises:
        TemplateError: a variable is given both here and in `extra`; a message is not a mapping.
    """
    more = dict(extra or {})
    kwargs = more.pop("chat_template_kwargs", None)
    if kwargs is not None and not isinstance(kwargs, Mapping):
        raise TemplateError("chat_template_kwargs must be a mapping")
    for name, value in (kwargs or {}).items():
        if name in more:
            raise TemplateError(f"the variable {name!r} is given twice")
        more[name] = value
    own = {
        "messages": [_message(message) for message in messages],
        "tools": tools,
        "documents": documents,
        "add_generation_prompt": add_generation_prompt,
    }
    for name, given in own.items():
        if name in more and (name == "messages" or given):
            raise TemplateError(f"the variable {name!r} is given twice")
    return {**(special_tokens or {}), **own, **more}


def _message(message: Mapping[str, Any]) -> dict[str, Any]:
    """Without null fields, and with the reasoning under each of its names."""
    if not hasattr(message, "items"):
        raise TemplateError("a message must be a mapping with role and content")
    found = {key: value for key, value in message.items() if value is not None}
    reasoning = next((found[key] for key in _REASONING if key in found), None)
    if reasoning is not None:
        found = {"thinking": reasoning, **found, "reasoning_content": reasoning}
    return found


def render_template(
    source: str,
    context: Mapping[str, Any],
    *,
    now: datetime | None = None,
    limits: RenderLimits | None = None,
) -> str:
    """The prompt that a template makes of a context (see `make_context`).

    Raises:
        TemplateError: the template is wrong, refuses, or exceeds a limit; with the line.
    """
    (result,) = render_many(source, [context], now=now, limits=limits)
    if isinstance(result, TemplateError):
        raise result
    return result


def render_many(
    source: str,
    contexts: Sequence[Mapping[str, Any]],
    *,
    now: datetime | None = None,
    limits: RenderLimits | None = None,
    lenient: bool = False,
) -> list[str | TemplateError]:
    """Render one template with several contexts in one process: a text or an error for each.

    Args:
        lenient: take absent variables for empty, and variables that are None for absent, as
            llama.cpp does.

    Raises:
        TemplateError: the template cannot be parsed, so that nothing was rendered.
    """
    limits = limits or RenderLimits()
    if lenient:
        contexts = [
            {name: value for name, value in context.items() if value is not None}
            for context in contexts
        ]
    answers, ended = _ask(source, contexts, now, limits, lenient=lenient)
    if not answers or "ready" not in answers[0]:
        raise _error(answers[0] if answers else ended)
    results: list[str | TemplateError] = [
        answer["text"] if "text" in answer else _error(answer) for answer in answers[1:]
    ]
    if len(results) < len(contexts):
        if not results or not _fatal(results[-1]):
            results.append(_error(ended))
        while len(results) < len(contexts):
            results.append(
                TemplateError("not rendered: an earlier conversation broke a limit", reason="time")
            )
    return results


def render_conversations(
    source: str,
    conversations: Mapping[str, Conversation],
    *,
    special_tokens: Mapping[str, str] | None = None,
    extra: Mapping[str, Any] | None = None,
    now: datetime | None = None,
    limits: RenderLimits | None = None,
    lenient: bool = False,
) -> dict[str, str | TemplateError]:
    """Render conversations by name.  `lenient` and errors: as `render_many`."""
    contexts = [
        make_context(
            conversation.messages,
            tools=conversation.tools,
            documents=conversation.documents,
            add_generation_prompt=conversation.add_generation_prompt,
            special_tokens=special_tokens,
            extra=extra,
        )
        for conversation in conversations.values()
    ]
    results = render_many(source, contexts, now=now, limits=limits, lenient=lenient)
    return dict(zip(conversations, results, strict=True))


def compile_template(source: str, *, limits: RenderLimits | None = None) -> None:
    """Compile a template in the child process.

    Finds what parsing does not: unknown filters and tests, too many nested blocks.

    Raises:
        TemplateError: with the line where it is known.
    """
    render_many(source, [], limits=limits)


def report_in_child(source: str, *, limits: RenderLimits | None = None) -> dict[str, Any]:
    """The fields of the `TemplateReport` of a template too large to be parsed in this process.

    Raises:
        TemplateError: with the line where it is known.
    """
    limits = limits or RenderLimits()
    answers, ended = _ask(source, [], None, limits, report=True)
    if not answers or "report" not in answers[0]:
        raise _error(answers[0] if answers else ended)
    found: dict[str, Any] = answers[0]["report"]
    return found


def _fatal(result: str | TemplateError) -> bool:
    return isinstance(result, TemplateError) and result.reason == "time"


def _ask(
    source: str,
    contexts: Sequence[Mapping[str, Any]],
    now: datetime | None,
    limits: RenderLimits,
    *,
    report: bool = False,
    lenient: bool = False,
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The child's answers, and what ended it early if something did."""
    if len(source) > limits.source:
        raise TemplateError(
            f"the template has {len(source)} characters, more than {limits.source}",
            reason="memory",
        )
    request = {
        "path": [*sys.path, str(Path(__file__).parents[2])],
        "source": source,
        "contexts": contexts,
        "report": report,
        "lenient": lenient,
        "now": now.isoformat() if now else None,
        "seconds": limits.seconds,
        "memory": limits.memory,
        "output": limits.output,
    }
    try:
        data = json.dumps(request).encode("ascii")
    except (TypeError, ValueError, RecursionError) as error:
        raise TemplateError(f"the conversation cannot be written as JSON: {error}") from error
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", _BOOT],
            input=data,
            capture_output=True,
            timeout=_STARTUP + (limits.seconds + 1) * (len(contexts) + 1),
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        return _lines(error.stdout or b""), _overtime(limits)
    except OSError as error:
        raise TemplateError(f"the renderer does not start: {error}", reason="crash") from error
    answers = _lines(done.stdout)
    return answers, _ending(done.returncode, done.stderr, limits, answers)


def _lines(output: bytes) -> list[dict[str, Any]]:
    """Whole lines only: the child may have been ended in the middle of one."""
    return [json.loads(line) for line in output.split(b"\n")[:-1]]


def _overtime(limits: RenderLimits, line: int | None = None) -> dict[str, Any]:
    return {"error": f"it runs longer than {limits.seconds:g} s", "reason": "time", "line": line}


_STOPPED = b"Timeout ("  # how faulthandler begins
_FRAME = re.compile(rb'File "<template>", line (\d+)')


def _stopped_line(stderr: bytes, answers: Sequence[Mapping[str, Any]]) -> int | None:
    """The template's line that ran when faulthandler ended the child: the innermost comes first."""
    frame = _FRAME.search(stderr, stderr.rfind(_STOPPED))
    found = None
    for line, code_line in answers[0].get("lines", ()) if answers and frame else ():
        if frame and code_line <= int(frame[1]):
            found = int(line)
    return found


def _ending(
    code: int, stderr: bytes, limits: RenderLimits, answers: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    if _STOPPED in stderr:
        return _overtime(limits, _stopped_line(stderr, answers))
    words = stderr.decode("utf-8", "replace").strip().splitlines()
    if words and "MemoryError" in words[-1]:
        return {"error": "it needs more memory than it may use", "reason": "memory"}
    last = f": {words[-1][:200]}" if words else ""
    return {"error": f"the renderer ended with code {code}{last}", "reason": "crash"}


def _error(answer: Mapping[str, Any]) -> TemplateError:
    line = answer.get("line")
    return TemplateError(
        answer["error"],
        path=f"line {line}" if line else None,
        line=line,
        reason=answer["reason"],
    )

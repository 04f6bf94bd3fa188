"""What llama.cpp's own template engine makes of a chat template.

Strategy: the engine is asked as its users meet it: its server loads a model with the template and
turns conversations into prompts.  The model is our sample, with the BOS and EOS texts of the
model in question.  It runs in a child process with a clock, for a template is a stranger's program.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.registry import token_type_id
from ..errors import TemplateError
from ..model import open_model
from ..storage.source.resources import sample_path
from ..storage.write.scratch import scratch_file
from .child import MARK

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..templates.conversations import Conversation
    from ..templates.finding import EngineAnswer

_PACKAGE = "xllamacpp"
_CHILD = Path(__file__).with_name("child.py")
_TOKENS, _TYPES = "tokenizer.ggml.tokens", "tokenizer.ggml.token_type"
_MEMORY = 4 << 30
_STARTUP = 15.0  # seconds to load the library on a busy machine
# How llama.cpp says where it stopped, and why.
_PLACE = re.compile(r"at line (\d+), column \d+ in source")
_REASONS = (
    re.compile(r"^Error: (?:Jinja Exception: )?(.+)$", re.MULTILINE),
    re.compile(r"generation failed: (?:NotImplemented: )?(\S.*)$", re.MULTILINE),
    re.compile(r"common_chat_templates_init: error: (.+?)$", re.MULTILINE),
    re.compile(r"chat template parsing error: (.+?)$", re.MULTILINE),
    re.compile(r"^(?!-+$)(\S.*)$", re.MULTILINE),
)


@dataclass(frozen=True)
class LlamaRun:
    """What llama.cpp made of one template.

    Attributes:
        loads: whether a model with this template loads in its server.
        error: why not.
        results: a prompt or an error for each conversation, by name.
        version: of the engine package.
    """

    loads: bool
    error: TemplateError | None = None
    results: dict[str, str | TemplateError] = field(default_factory=dict)
    version: str = ""


def is_installed() -> bool:
    """Whether there is a llama.cpp to ask."""
    return find_spec(_PACKAGE) is not None


def render_with_llama(
    source: str,
    conversations: Mapping[str, Conversation],
    *,
    special_tokens: Mapping[str, str] | None = None,
    extra: Mapping[str, Any] | None = None,
    seconds: float = 10.0,
) -> LlamaRun:
    """Load a model with this template in llama.cpp and render the conversations.

    Args:
        special_tokens: ``bos_token`` and ``eos_token``; llama.cpp gives templates no others.
        extra: further variables (``chat_template_kwargs``).
        seconds: how long all of it may take, besides starting the engine.

    Raises:
        TemplateError: the engine is not installed, or does not start.
    """
    if not is_installed():
        raise TemplateError(
            "llama.cpp is not installed here", hint=f"pip install {_PACKAGE}", reason="engine"
        )
    bodies = [_body(one, extra or {}) for one in conversations.values()]
    with scratch_file(_model(special_tokens or {}), ".gguf") as model:
        request = {"model": model, "source": source, "bodies": bodies, "memory": _MEMORY}
        answers, log, ended = _ask(request, _STARTUP + seconds)
    if not answers or not answers[0]["loads"]:
        return LlamaRun(False, _load_error(answers, log, ended))
    results = [_result(answer) for answer in answers[1:]]
    while len(results) < len(bodies):
        results.append(TemplateError(f"llama.cpp {ended}", reason="crash"))
    by_name = dict(zip(conversations, results, strict=True))
    return LlamaRun(True, None, by_name, answers[0]["version"])


def ask_llama(
    source: str, conversations: Mapping[str, Conversation], special_tokens: Mapping[str, str]
) -> EngineAnswer:
    """The same as an `Engine`, for checks of templates."""
    run = render_with_llama(source, conversations, special_tokens=special_tokens)
    return run.results if run.error is None else run.error


def _body(conversation: Conversation, extra: Mapping[str, Any]) -> dict[str, Any]:
    more = dict(extra)
    if conversation.documents is not None:
        more.setdefault("documents", list(conversation.documents))
    body: dict[str, Any] = {
        "messages": list(conversation.messages),
        "add_generation_prompt": conversation.add_generation_prompt,
        "chat_template_kwargs": more,
    }
    if conversation.tools is not None:
        body["tools"] = list(conversation.tools)
    return body


def _model(special_tokens: Mapping[str, str]) -> bytes:
    """The sample with these texts as its BOS and EOS; it adds none itself."""
    with open_model(sample_path()) as model:
        metadata = model.metadata
        tokens, types = list(metadata[_TOKENS]), list(metadata[_TYPES])
        for role in ("bos", "eos"):
            key, text = f"tokenizer.ggml.{role}_token_id", special_tokens.get(f"{role}_token")
            if text in tokens:  # llama.cpp aborts where two tokens have the same text
                metadata[key] = tokens.index(text)
            elif text:
                tokens[metadata[key]] = text
            else:  # an unused token is an empty text in a prompt
                tokens[metadata[key]] = f"<no {role}>"
                types[metadata[key]] = token_type_id("unused")
            metadata[f"tokenizer.ggml.add_{role}_token"] = False
        metadata[_TOKENS], metadata[_TYPES] = tokens, types
        return model.to_bytes()


def _ask(request: dict[str, Any], seconds: float) -> tuple[list[dict[str, Any]], str, str]:
    """The child's answers, llama.cpp's log, and how it ended."""
    try:
        done = subprocess.run(
            [sys.executable, str(_CHILD)],
            input=json.dumps(request).encode("ascii"),
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        return _lines(error.stdout), _text(error.stderr), f"runs longer than {seconds:g} s"
    except OSError as error:
        raise TemplateError(f"llama.cpp does not start: {error}", reason="crash") from error
    return _lines(done.stdout), _text(done.stderr), f"ended with code {done.returncode}"


def _lines(output: bytes | None) -> list[dict[str, Any]]:
    whole = (output or b"").decode("utf-8", "replace").split("\n")[:-1]
    return [json.loads(line[len(MARK) :]) for line in whole if line.startswith(MARK)]


def _text(output: bytes | None) -> str:
    return (output or b"").decode("utf-8", "replace")


def _load_error(answers: Sequence[Mapping[str, Any]], log: str, ended: str) -> TemplateError:
    if answers and ("templat" in log or "Error:" in log):
        return _error(log)
    last = log.strip().splitlines()[-1:] if not answers else []
    return TemplateError("; ".join([f"llama.cpp {ended}", *last]), reason="crash")


def _result(answer: Mapping[str, Any]) -> str | TemplateError:
    return answer["text"] if "text" in answer else _error(answer["error"])


def _error(words: str) -> TemplateError:
    """The reason and the line in llama.cpp's words."""
    place = _PLACE.search(words)
    line = int(place[1]) if place else None
    found = next((match for reason in _REASONS if (match := reason.search(words))), None)
    return TemplateError(
        found[1].strip() if found else words.strip(),
        path=f"line {line}" if line else None,
        line=line,
        reason="raised" if "Jinja Exception: " in words else "error",
    )

"""A real llama.cpp (the xllamacpp wheel), always in a process of its own.

`needs_llama` skips a test where the wheel is not installed.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from .llama_child import MARK

if TYPE_CHECKING:
    from collections.abc import Sequence

_CHILD = Path(__file__).with_name("llama_child.py")
TIME_LIMIT = 120.0


def available() -> bool:
    """Whether a llama.cpp is installed (without loading it)."""
    return importlib.util.find_spec("xllamacpp") is not None


_REQUIRED = "engine" in os.environ.get("GGUF_CONSTRUCT_REQUIRE", "").split(",")
needs_llama = pytest.mark.skipif(
    not available() and not _REQUIRED, reason="no llama.cpp (xllamacpp) here"
)


@dataclass(frozen=True)
class LlamaModel:
    """What llama.cpp sees in a model.  `message` is its log; `text` what it generated, `finish`
    why it ended ("stop" at a token, "length"), `tokens` the ids of the prompt."""

    ok: bool
    message: str
    text: str = ""
    chat_text: str = ""
    finish: str = ""
    bos: int = -1
    eos: int = -1
    eot: int = -1
    eos_text: str = ""
    chat_template: str | None = None
    num_tokens: int = 0
    tokens: list[int] = field(default_factory=list)
    stops: list[int] = field(default_factory=list)
    num_metadata: int = 0
    props: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class GgmlHeader:
    """The verdict of ggml's own loader (``gguf_init_from_file``, no_alloc, as llama.cpp calls it).

    `crashed`: the process died on this file.  `found`: what it read, when asked for."""

    ok: bool
    message: str
    crashed: bool = False
    found: dict[str, Any] = field(default_factory=dict)


def _text(output: str | bytes | None) -> str:
    return output.decode("utf-8", "replace") if isinstance(output, bytes) else output or ""


def _ask(command: str, request: dict[str, Any]) -> tuple[list[dict[str, Any]], str, int]:
    try:
        done = subprocess.run(
            [sys.executable, str(_CHILD), command],
            input=json.dumps(request),
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=TIME_LIMIT,
            check=False,
            env={**os.environ, "GGML_NO_BACKTRACE": "1"},
        )
        answers, log, code = done.stdout, done.stderr, done.returncode
    except subprocess.TimeoutExpired as error:
        answers, log, code = _text(error.stdout), _text(error.stderr), -1
    whole = answers[: answers.rfind("\n") + 1]
    return [json.loads(line) for line in whole.splitlines()], log, code


def _model(answer: dict[str, Any], log: str) -> LlamaModel:
    if not answer["ok"]:
        return LlamaModel(False, f"{log}\n{answer['error']}".strip())
    said = answer["completion"]["choices"][0] if "completion" in answer else {}
    chat = answer["chat"]["choices"][0]["message"]["content"] if "chat" in answer else ""
    facts = answer.get("facts", {})
    text, finish = said.get("text", ""), said.get("finish_reason", "")
    props = answer["props"]
    return LlamaModel(True, log.strip(), text, chat or "", finish, props=props, **facts)


def inspect_many(
    paths: Sequence[Path],
    prompt: str = "",
    num_tokens: int = 0,
    messages: Sequence[dict[str, str]] = (),
    *,
    facts: bool = True,
    favour: int | None = None,
) -> list[LlamaModel]:
    """Load each file; report what llama.cpp acts on; continue `prompt` greedily.

    `favour` is a token that the model shall want to say above all others.

    A file that kills the process is marked as not loading, the rest go on in a new one."""
    request = {
        "prompt": prompt,
        "num_tokens": num_tokens,
        "messages": list(messages),
        "facts": facts,
        "favour": favour,
    }
    results: list[LlamaModel] = []
    while len(results) < len(paths):
        rest = [str(path) for path in paths[len(results) :]]
        answers, log, code = _ask("models", {**request, "paths": rest})
        logs = log.split(MARK)[1:]
        results += [_model(answer, log) for answer, log in zip(answers, logs, strict=False)]
        if len(answers) < len(rest):
            last = logs[-1] if logs else log
            results.append(LlamaModel(False, f"the process ended ({code}): {last.strip()}"))
    return results


def inspect(
    path: Path,
    prompt: str = "",
    num_tokens: int = 0,
    messages: Sequence[dict[str, str]] = (),
) -> LlamaModel:
    """One file, see `inspect_many`."""
    return inspect_many([path], prompt, num_tokens, messages)[0]


def loads(path: Path) -> tuple[bool, str]:
    """Whether llama.cpp loads the model, and its log."""
    found = inspect(path)
    return found.ok, found.message


def generate(path: Path, prompt: str, num_tokens: int = 16) -> str:
    """Greedy continuation of `prompt`.  Raises RuntimeError when the model does not load."""
    found = inspect(path, prompt, num_tokens)
    if not found.ok:
        raise RuntimeError(found.message)
    return found.text


def ggml_headers(paths: Sequence[Path], *, full: bool = False) -> list[GgmlHeader]:
    """ggml's verdict on the header of each file; a file that kills it is marked, not fatal."""
    results: list[GgmlHeader] = []
    while len(results) < len(paths):
        rest = [str(path) for path in paths[len(results) :]]
        answers, log, code = _ask("header", {"paths": rest, "full": full})
        for answer in answers:
            message, ok = answer.pop("message"), answer.pop("ok")
            results.append(GgmlHeader(ok, message, found=answer))
        if len(results) < len(paths) and len(answers) < len(rest):
            results.append(GgmlHeader(False, f"exit {code}: {log.strip()}", crashed=True))
    return results


@dataclass(frozen=True)
class Loaded:
    """Whether llama.cpp loads a file beside a model; `message` is its log."""

    ok: bool
    message: str
    crashed: bool = False


def projectors(paths: Sequence[Path], *, warmup: bool = True) -> list[Loaded]:
    """What clip's loader says of each projector; with `warmup` its graph is built and run, too."""
    request = {"paths": [str(path) for path in paths], "warmup": warmup}
    return _loaded("projectors", request)


def adapters(base: Path, paths: Sequence[Path]) -> list[Loaded]:
    """What llama.cpp says of each adapter for the model `base`."""
    return _loaded("adapters", {"paths": [str(path) for path in paths], "base": str(base)})


def _loaded(command: str, request: dict[str, Any]) -> list[Loaded]:
    answers, log, code = _ask(command, request)
    if len(answers) != len(request["paths"]):
        raise RuntimeError(f"exit {code}: {log.strip()}")
    return [Loaded(one["ok"], one["message"], one["crashed"]) for one in answers]

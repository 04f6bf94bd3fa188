"""A real llama.cpp (the xllamacpp wheel), always in a process of its own.

`needs_llama` skips a test where the wheel is not installed.
"""

from __future__ import annotations

import importlib.util
import json
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Sequence

_CHILD = Path(__file__).with_name("llama_child.py")
TIME_LIMIT = 120.0


def available() -> bool:
    """Whether a llama.cpp is installed (without loading it)."""
    return importlib.util.find_spec("xllamacpp") is not None


needs_llama = pytest.mark.skipif(not available(), reason="no llama.cpp (xllamacpp) here")


@dataclass(frozen=True)
class LlamaModel:
    """What llama.cpp sees in a model.  `message` is its log; `text` what it generated."""

    ok: bool
    message: str
    text: str = ""
    chat_text: str = ""
    bos: int = -1
    eos: int = -1
    eos_text: str = ""
    chat_template: str | None = None
    num_tokens: int = 0
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
        )
    except subprocess.TimeoutExpired:
        return [], f"no answer within {TIME_LIMIT:g} s", -1
    answers = [json.loads(line) for line in done.stdout.splitlines() if line]
    return answers, done.stderr, done.returncode


def inspect(
    path: Path,
    prompt: str = "",
    num_tokens: int = 0,
    messages: Sequence[dict[str, str]] = (),
) -> LlamaModel:
    """Load `path`; report metadata that llama.cpp acts on; continue `prompt` greedily."""
    request = {
        "path": str(path),
        "prompt": prompt,
        "num_tokens": num_tokens,
        "messages": list(messages),
    }
    answers, log, _ = _ask("model", request)
    if len(answers) < 2:
        return LlamaModel(False, log.strip())
    found, facts = answers
    text = found["completion"]["choices"][0]["text"] if "completion" in found else ""
    chat = found["chat"]["choices"][0]["message"]["content"] if "chat" in found else ""
    known = {
        key: facts[key]
        for key in ("bos", "eos", "eos_text", "chat_template", "num_tokens", "num_metadata")
        if key in facts
    }
    return LlamaModel(True, log.strip(), text, chat or "", props=found["props"], **known)


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

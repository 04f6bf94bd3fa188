"""Ask a real llama.cpp, thousands of times, whether it loads a model: one child process.

A model that kills the child counts as refused, and a new child is started for the next one.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from types import TracebackType

_CHILD = Path(__file__).with_name("llama_load_child.py")


class Verdict(NamedTuple):
    """What llama.cpp says of a model.  `message` is the last error of its log."""

    ok: bool
    message: str = ""
    crashed: bool = False


class Judge:
    """A llama.cpp that waits for models.  `runs` also asks it to decode a token."""

    def __init__(self, folder: Path | None = None, *, runs: bool = False) -> None:
        memory = Path("/dev/shm")
        self._kept = tempfile.TemporaryDirectory(
            dir=folder or (memory if os.access(memory, os.W_OK) else None)
        )
        self._path = Path(self._kept.name) / "model.gguf"
        self._runs = runs
        self._child: subprocess.Popen[str] | None = None

    def __enter__(self) -> Judge:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end()
        self._kept.cleanup()

    def judge(self, data: bytes) -> Verdict:
        """Load a model held in memory."""
        self._path.write_bytes(data)
        return self.judge_file(self._path)

    def judge_file(self, path: Path) -> Verdict:
        """Load a model file."""
        answer = self._ask({"path": str(path), "run": self._runs})
        if answer is None:
            self._end()
            return Verdict(False, "the process ended", True)
        return Verdict(answer["ok"], answer["message"])

    def save(self, path: Path, saved: Path) -> bool:
        """Let llama.cpp make a model of the metadata of a file, all tensors included, and save
        it."""
        answer = self._ask({"make": str(path), "saved": str(saved)})
        if answer is None:
            self._end()
        return bool(answer and answer["ok"])

    def _ask(self, request: dict[str, Any]) -> dict[str, Any] | None:
        child = self._child or self._start()
        to, back = child.stdin, child.stdout
        assert to is not None
        assert back is not None
        try:
            to.write(json.dumps(request) + "\n")
            to.flush()
            line = back.readline()
        except BrokenPipeError:
            return None
        answer: dict[str, Any] | None = json.loads(line) if line.endswith("\n") else None
        return answer

    def _start(self) -> subprocess.Popen[str]:
        self._child = subprocess.Popen(
            [sys.executable, str(_CHILD)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            encoding="utf-8",
            env={**os.environ, "GGML_NO_BACKTRACE": "1"},
        )
        return self._child

    def _end(self) -> None:
        if self._child is None:
            return
        streams: tuple[IO[str] | None, ...] = (self._child.stdin, self._child.stdout)
        for stream in streams:
            if stream is not None:
                with contextlib.suppress(BrokenPipeError):
                    stream.close()
        self._child.kill()
        self._child.wait()
        self._child = None

"""The process in which llama.cpp renders a template: it may crash or hang without harm.

It loads a tiny model with the template, as llama.cpp's server does, and asks the server that it
has started on this machine's own address for the prompt of each conversation.  Answers are marked
lines of JSON on standard output; what llama.cpp logs goes to standard error.
"""

from __future__ import annotations

import json
import os
import secrets
import sys
import time
import urllib.error
import urllib.request
from typing import Any

MARK = "@answer "
_TIMEOUT = 20.0
_LOGGING = 0.5  # seconds: llama.cpp writes its log in a thread, and the reason is in the log


def main(request: dict[str, Any]) -> None:
    """Carry out one request: {model, source, bodies, memory}; does not return."""

    def send(answer: dict[str, Any]) -> None:
        # Whatever else writes to this stream, an answer is a line of its own.
        sys.stdout.write(f"\n{MARK}{json.dumps(answer)}\n")
        sys.stdout.flush()

    _limit_memory(request["memory"])
    key = secrets.token_hex(16)
    server = _start(request["model"], request["source"], key)
    if isinstance(server, str):
        time.sleep(_LOGGING)
        send({"loads": False, "error": server})
    else:
        send({"loads": True, "version": _version()})
        for body in request["bodies"]:
            send(_prompt(server.listening_address, body, key))
    os._exit(0)  # a server that is closed soon after its start may wait for ever


def _version() -> str:
    import xllamacpp

    return str(xllamacpp.__version__)


def _limit_memory(limit: int) -> None:
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    except (ImportError, OSError, ValueError):
        return  # the parent's clock remains


def _start(model: str, source: str, key: str) -> Any:
    """A server with the template, or why there is none."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = model
    params.n_ctx, params.n_parallel, params.warmup = 128, 1, False
    params.n_gpu_layers, params.fit_params = 0, False
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.n_threads_http = 2
    params.api_keys = [key]
    params.use_jinja = True
    params.prefill_assistant = False
    params.chat_template = source
    try:
        return xllamacpp.Server(params)
    except RuntimeError as error:  # the reason is in the log
        return str(error)


def _prompt(address: str, body: dict[str, Any], key: str) -> dict[str, Any]:
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {key}"}
    data = json.dumps(body).encode()
    request = urllib.request.Request(f"{address}/apply-template", data, headers)
    try:
        with urllib.request.urlopen(request, timeout=_TIMEOUT) as answer:
            return {"text": json.load(answer)["prompt"]}
    except urllib.error.HTTPError as error:
        return {"error": _message(error.read())}
    except (OSError, ValueError, KeyError) as error:
        return {"error": f"no answer: {error}"}


def _message(data: bytes) -> str:
    try:
        return str(json.loads(data)["error"]["message"])
    except (ValueError, KeyError, TypeError):
        return data.decode("utf-8", "replace")


if __name__ == "__main__":
    main(json.load(sys.stdin))

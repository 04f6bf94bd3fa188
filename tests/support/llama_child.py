"""The process in which llama.cpp runs: it may crash, abort or hang without harm to the tests.

Usage: ``python llama_child.py COMMAND`` with a JSON request on stdin; one JSON object per line
comes back on stdout.  Commands: ``header`` (ggml's own GGUF loader), ``models`` (load models,
report what llama.cpp sees, generate), ``projectors`` (clip's loader), ``adapters`` (with a base
model); all take many files and answer one by one.  Functions of
llama.cpp that the wheel does not wrap are called through ctypes: its shared library exports them.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import tempfile
import urllib.request
from typing import Any

FIXED_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
STRING, ARRAY = 8, 9
MARK = "\n=== next model ===\n"
# A server that is closed soon after its start may wait for ever: none is closed.
_SERVERS: list[Any] = []


class _InitParams(ctypes.Structure):
    _fields_ = (("no_alloc", ctypes.c_bool), ("ctx", ctypes.c_void_p))


class _ClipParams(ctypes.Structure):
    _fields_ = (
        ("use_gpu", ctypes.c_bool),
        ("device", ctypes.c_void_p),
        ("flash_attention", ctypes.c_int),
        ("min_tokens", ctypes.c_int),
        ("max_tokens", ctypes.c_int),
        ("warmup", ctypes.c_bool),
        ("callback", ctypes.c_void_p),
        ("callback_data", ctypes.c_void_p),
        ("no_alloc", ctypes.c_bool),
        ("progress", ctypes.c_void_p),
        ("progress_data", ctypes.c_void_p),
    )


class _ClipResult(ctypes.Structure):
    # One context for each modality; more room than any version takes.
    _fields_ = (("contexts", ctypes.c_void_p * 8),)


def _opaque(size: int) -> type[ctypes.Structure]:
    # Structs passed by value whose fields we do not name: larger than any version of them.
    return type(
        "Opaque", (ctypes.Structure,), {"_fields_": (("b", ctypes.c_uint64 * (size // 8)),)}
    )


def _library() -> ctypes.CDLL:
    import xllamacpp.xllamacpp as native

    lib = ctypes.CDLL(native.__file__)
    pointer, text, long = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int64
    signatures: dict[str, tuple[Any, tuple[Any, ...]]] = {
        "gguf_init_from_file": (pointer, (text, _InitParams)),
        "gguf_free": (None, (pointer,)),
        "gguf_get_version": (ctypes.c_uint32, (pointer,)),
        "gguf_get_alignment": (ctypes.c_size_t, (pointer,)),
        "gguf_get_data_offset": (ctypes.c_size_t, (pointer,)),
        "gguf_get_n_kv": (long, (pointer,)),
        "gguf_get_key": (text, (pointer, long)),
        "gguf_get_kv_type": (ctypes.c_int, (pointer, long)),
        "gguf_get_val_data": (pointer, (pointer, long)),
        "gguf_get_val_str": (text, (pointer, long)),
        "gguf_get_arr_type": (ctypes.c_int, (pointer, long)),
        "gguf_get_arr_n": (ctypes.c_size_t, (pointer, long)),
        "gguf_get_arr_data": (pointer, (pointer, long)),
        "gguf_get_arr_str": (text, (pointer, long, ctypes.c_size_t)),
        "gguf_get_n_tensors": (long, (pointer,)),
        "gguf_get_tensor_name": (text, (pointer, long)),
        "gguf_get_tensor_type": (ctypes.c_int, (pointer, long)),
        "gguf_get_tensor_offset": (ctypes.c_size_t, (pointer, long)),
        "gguf_get_tensor_size": (ctypes.c_size_t, (pointer, long)),
        "llama_model_default_params": (_opaque(1024), ()),
        "llama_model_free": (None, (pointer,)),
        "llama_model_get_vocab": (pointer, (pointer,)),
        "llama_model_chat_template": (text, (pointer, text)),
        "llama_model_meta_count": (ctypes.c_int32, (pointer,)),
        "llama_vocab_n_tokens": (ctypes.c_int32, (pointer,)),
        "llama_vocab_bos": (ctypes.c_int32, (pointer,)),
        "llama_vocab_eos": (ctypes.c_int32, (pointer,)),
        "llama_vocab_eot": (ctypes.c_int32, (pointer,)),
        "llama_vocab_get_text": (text, (pointer, ctypes.c_int32)),
        "llama_vocab_is_eog": (ctypes.c_bool, (pointer, ctypes.c_int32)),
        "llama_tokenize": (
            ctypes.c_int32,
            (pointer, text, ctypes.c_int32, pointer, ctypes.c_int32, ctypes.c_bool, ctypes.c_bool),
        ),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    lib.llama_model_load_from_file.restype = pointer
    lib.llama_model_load_from_file.argtypes = (text, signatures["llama_model_default_params"][0])
    return lib


def _string(data: bytes | None) -> str:
    return (data or b"").hex()


def _value(lib: ctypes.CDLL, ctx: int, index: int) -> dict[str, Any]:
    """One value: numbers as the hex of their bytes, strings as hex, in the host's byte order."""
    type_id = lib.gguf_get_kv_type(ctx, index)
    if type_id == STRING:
        return {"type": type_id, "string": _string(lib.gguf_get_val_str(ctx, index))}
    if type_id != ARRAY:
        data = ctypes.string_at(lib.gguf_get_val_data(ctx, index), FIXED_SIZES[type_id])
        return {"type": type_id, "bytes": data.hex()}
    element, count = lib.gguf_get_arr_type(ctx, index), lib.gguf_get_arr_n(ctx, index)
    if element == STRING:
        strings = [_string(lib.gguf_get_arr_str(ctx, index, i)) for i in range(count)]
        return {"type": type_id, "element": element, "strings": strings}
    size = count * FIXED_SIZES[element]
    data = ctypes.string_at(lib.gguf_get_arr_data(ctx, index), size) if size else b""
    return {"type": type_id, "element": element, "bytes": data.hex()}


def _header(lib: ctypes.CDLL, path: str, full: bool) -> dict[str, Any]:
    ctx = lib.gguf_init_from_file(os.fsencode(path), _InitParams(True, None))
    if not ctx:
        return {"ok": False}
    try:
        found: dict[str, Any] = {"ok": True}
        if full:
            found["version"] = lib.gguf_get_version(ctx)
            found["alignment"] = lib.gguf_get_alignment(ctx)
            found["data_start"] = lib.gguf_get_data_offset(ctx)
            found["metadata"] = [
                {"key": _string(lib.gguf_get_key(ctx, i)), **_value(lib, ctx, i)}
                for i in range(lib.gguf_get_n_kv(ctx))
            ]
            found["tensors"] = [
                {
                    "name": _string(lib.gguf_get_tensor_name(ctx, i)),
                    "type": lib.gguf_get_tensor_type(ctx, i),
                    "offset": lib.gguf_get_tensor_offset(ctx, i),
                    "nbytes": lib.gguf_get_tensor_size(ctx, i),
                }
                for i in range(lib.gguf_get_n_tensors(ctx))
            ]
        return found
    finally:
        lib.gguf_free(ctx)


def _log_to(lib: ctypes.CDLL, lines: list[str]) -> Any:
    kind = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)
    callback = kind(lambda _level, line, _: lines.append(line.decode("utf-8", "replace")))
    lib.llama_log_set(callback, None)
    return callback  # the caller keeps it alive


def headers(request: dict[str, Any], say: Any) -> None:
    """What ggml's loader says of each file; `full` also reports all that it read."""
    lib = _library()
    lines: list[str] = []
    _kept = _log_to(lib, lines)
    for path in request["paths"]:
        lines.clear()
        found = _header(lib, path, request.get("full", False))
        say({**found, "message": "".join(lines).strip()})


def _tokens(lib: ctypes.CDLL, vocab: int, prompt: str) -> list[int]:
    """The prompt as tokens, special ones recognised, none added."""
    data = prompt.encode()
    found = (ctypes.c_int32 * (len(data) + 8))()
    count = lib.llama_tokenize(vocab, data, len(data), found, len(found), False, True)
    return list(found[: max(count, 0)])


def _facts(lib: ctypes.CDLL, path: str, prompt: str) -> dict[str, Any]:
    """What the C API reports of a model, with log lines dropped."""
    _kept = _log_to(lib, [])
    model = lib.llama_model_load_from_file(os.fsencode(path), lib.llama_model_default_params())
    if not model:
        return {}
    vocab = lib.llama_model_get_vocab(model)
    ids = {name: getattr(lib, f"llama_vocab_{name}")(vocab) for name in ("bos", "eos", "eot")}
    template = lib.llama_model_chat_template(model, None)
    eos_text = lib.llama_vocab_get_text(vocab, ids["eos"]) if ids["eos"] >= 0 else b""
    num_tokens = lib.llama_vocab_n_tokens(vocab)
    facts = {
        **ids,
        "tokens": _tokens(lib, vocab, prompt),
        "num_tokens": num_tokens,
        "stops": [id for id in range(num_tokens) if lib.llama_vocab_is_eog(vocab, id)],
        "num_metadata": lib.llama_model_meta_count(model),
        "eos_text": eos_text.decode("utf-8", "surrogateescape"),
        "chat_template": template.decode("utf-8", "surrogateescape") if template else None,
    }
    lib.llama_model_free(model)
    return facts


def _model(path: str, request: dict[str, Any]) -> dict[str, Any]:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = path
    params.n_ctx, params.n_parallel, params.warmup = 128, 1, False
    params.n_gpu_layers = 0
    params.fit_params = False
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(params)
    _SERVERS.append(server)
    found: dict[str, Any] = {"ok": True}
    with urllib.request.urlopen(server.listening_address + "/props", timeout=20) as answer:
        props = json.load(answer)
    found["props"] = {
        key: props.get(key) for key in ("chat_template", "eos_token", "bos_token", "model_path")
    }
    if request["num_tokens"]:
        asked = {
            "prompt": request["prompt"],
            "n_predict": request["num_tokens"],
            "temperature": 0,
            "seed": 1,
        }
        if request["favour"] is not None:
            asked["logit_bias"] = [[request["favour"], 1000.0]]
        found["completion"] = server.handle_completions(asked)
    if request["messages"]:
        chat = {"messages": request["messages"], "max_tokens": 8, "temperature": 0, "seed": 1}
        found["chat"] = server.handle_chat_completions(chat)
    return found


def models(request: dict[str, Any], say: Any) -> None:
    """Load each model as llama.cpp's server does; generate greedily when `num_tokens` > 0."""
    for path in request["paths"]:
        os.write(2, MARK.encode())  # the parent cuts the log here
        try:
            found = _model(path, request)
        except RuntimeError as error:  # what the wheel raises when a model does not load
            say({"ok": False, "error": str(error)})
            continue
        if request["facts"]:
            found["facts"] = _facts(_library(), path, request["prompt"])
        say(found)


def _in_fork(task: Any, limit: int = 30) -> dict[str, Any]:
    """Run a task that may abort in a fork; it answers whether it went well, the log tells why."""
    with tempfile.TemporaryFile() as log:
        child = os.fork()
        if child == 0:
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
            signal.alarm(limit)
            os._exit(0 if task() else 1)
        _, status = os.waitpid(child, 0)
        log.seek(0)
        text = log.read().decode("utf-8", "replace")
    return {"ok": status == 0, "message": text, "crashed": os.WIFSIGNALED(status)}


def clip_loader(warmup: bool) -> Any:
    """A function that loads the projector at a path as mtmd does, in a process of its own."""
    load = _library()._Z9clip_initPKc19clip_context_params
    load.restype, load.argtypes = _ClipResult, (ctypes.c_char_p, _ClipParams)
    how = _ClipParams(False, None, 0, -1, -1, warmup)
    return lambda path: _in_fork(lambda: any(load(os.fsencode(path), how).contexts[:2]))


def projectors(request: dict[str, Any], say: Any) -> None:
    """Load each projector; `warmup` also runs its graph on an empty picture."""
    load = clip_loader(request["warmup"])
    for path in request["paths"]:
        say(load(path))


def adapters(request: dict[str, Any], say: Any) -> None:
    """Load each adapter onto the model `base`."""
    lib = _library()
    lib.llama_adapter_lora_init.restype = ctypes.c_void_p
    lib.llama_adapter_lora_init.argtypes = (ctypes.c_void_p, ctypes.c_char_p)
    base = os.fsencode(request["base"])

    def load(path: bytes) -> bool:
        model = lib.llama_model_load_from_file(base, lib.llama_model_default_params())
        return bool(model and lib.llama_adapter_lora_init(model, path))

    for path in request["paths"]:
        say(_in_fork(lambda path=path: load(os.fsencode(path))))


def main() -> None:
    """Run one command; native chatter goes to stderr, answers to the real stdout."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def say(found: dict[str, Any]) -> None:
        answers.write(json.dumps(found) + "\n")
        answers.flush()

    commands = {
        "header": headers,
        "models": models,
        "projectors": projectors,
        "adapters": adapters,
    }
    commands[sys.argv[1]](json.load(sys.stdin), say)
    answers.flush()
    os._exit(0)  # native threads need no farewell


if __name__ == "__main__":
    main()

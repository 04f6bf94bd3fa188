"""The process in which `llama_load` loads models through llama.cpp's C interface.

One JSON request per line on stdin, one answer per line on stdout.  A request names a file to
load (``path``, with ``run`` also to decode a token), or one whose metadata make a model
(``make``) that llama.cpp saves with all the tensors that it wants (``saved``).
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
from typing import Any

_ERROR = 4  # GGML_LOG_LEVEL_ERROR
_LINES: list[str] = []


def _opaque(size: int) -> type[ctypes.Structure]:
    # Structs passed by value whose fields we do not name: larger than any version of them.
    fields = (("b", ctypes.c_uint64 * (size // 8)),)
    return type("Opaque", (ctypes.Structure,), {"_fields_": fields})


_MODEL_PARAMS, _CONTEXT_PARAMS = _opaque(1024), _opaque(1024)
_SET_DATA = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)


class _InitParams(ctypes.Structure):
    _fields_ = (("no_alloc", ctypes.c_bool), ("ctx", ctypes.c_void_p))


class _Batch(ctypes.Structure):
    _fields_ = (("b", ctypes.c_uint64 * 8),)


def _library() -> ctypes.CDLL:
    import xllamacpp.xllamacpp as native

    lib = ctypes.CDLL(native.__file__)
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    signatures: dict[str, tuple[Any, tuple[Any, ...]]] = {
        "gguf_init_from_file": (pointer, (text, _InitParams)),
        "gguf_free": (None, (pointer,)),
        "llama_model_default_params": (_MODEL_PARAMS, ()),
        "llama_model_load_from_file": (pointer, (text, _MODEL_PARAMS)),
        "llama_model_init_from_user": (pointer, (pointer, _SET_DATA, pointer, _MODEL_PARAMS)),
        "llama_model_save_to_file": (None, (pointer, text)),
        "llama_model_free": (None, (pointer,)),
        "llama_context_default_params": (_CONTEXT_PARAMS, ()),
        "llama_init_from_model": (pointer, (pointer, _CONTEXT_PARAMS)),
        "llama_free": (None, (pointer,)),
        "llama_batch_get_one": (_Batch, (pointer, ctypes.c_int32)),
        "llama_decode": (ctypes.c_int32, (pointer, _Batch)),
        "llama_encode": (ctypes.c_int32, (pointer, _Batch)),
        "llama_model_has_encoder": (ctypes.c_bool, (pointer,)),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    kind = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_char_p, ctypes.c_void_p)
    log = kind(lambda level, line, _: _note(level, line))
    lib.llama_log_set(log, None)
    lib.kept = log  # type: ignore[attr-defined]
    return lib


def _note(level: int, line: bytes) -> None:
    if level == _ERROR:
        _LINES.append(line.decode("utf-8", "replace").strip())


def _load(lib: ctypes.CDLL, path: str, run: bool) -> dict[str, Any]:
    model = lib.llama_model_load_from_file(os.fsencode(path), lib.llama_model_default_params())
    if not model:
        return {"ok": False, "message": _LINES[0] if _LINES else ""}
    answer: dict[str, Any] = {"ok": True, "message": ""}
    if run:
        answer = _run(lib, model)
    lib.llama_model_free(model)
    return answer


def _run(lib: ctypes.CDLL, model: int) -> dict[str, Any]:
    context = lib.llama_init_from_model(model, lib.llama_context_default_params())
    if not context:
        return {"ok": False, "message": _LINES[0] if _LINES else "no context"}
    tokens = (ctypes.c_int32 * 2)(1, 2)
    process = lib.llama_encode if lib.llama_model_has_encoder(model) else lib.llama_decode
    status = process(context, lib.llama_batch_get_one(tokens, 2))
    lib.llama_free(context)
    return {"ok": status == 0, "message": "" if status == 0 else f"decode gives {status}"}


def _make(lib: ctypes.CDLL, path: str, saved: str) -> dict[str, Any]:
    header = lib.gguf_init_from_file(os.fsencode(path), _InitParams(True, None))
    nothing = _SET_DATA(lambda _tensor, _user: None)
    params = lib.llama_model_default_params()
    model = lib.llama_model_init_from_user(header, nothing, None, params) if header else None
    if not model:
        return {"ok": False, "message": _LINES[0] if _LINES else ""}
    lib.llama_model_save_to_file(model, os.fsencode(saved))
    return {"ok": True, "message": ""}


def main() -> None:
    """Answer until stdin ends; native chatter goes to stderr."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    lib = _library()
    for line in sys.stdin:
        request = json.loads(line)
        _LINES.clear()
        if "path" in request:
            answer = _load(lib, request["path"], request["run"])
        else:
            answer = _make(lib, request["make"], request["saved"])
        answers.write(json.dumps(answer) + "\n")
        answers.flush()
    os._exit(0)


if __name__ == "__main__":
    main()

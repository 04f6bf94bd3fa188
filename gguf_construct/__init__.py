"""gguf-construct: inspect, edit, convert and validate GGUF model files, byte for byte.

    import gguf_construct as gc

    with gc.open("model.gguf") as model:                # reads only the header
        print(model.metadata["general.architecture"])
        model.metadata["tokenizer.chat_template"] = template
        model.save("fixed.gguf")                         # or model.save() to replace the file

Everything is imported when it is first used, so importing this package costs little.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._version import __version__

if TYPE_CHECKING:
    from . import errors
    from ._generated.types import GGMLType, Limits, ValueType
    from .core.document import Document
    from .core.metadata import Field, Metadata
    from .core.tensors import TensorInfo
    from .errors import (
        BuildError,
        EditError,
        GGUFError,
        ParseError,
        ValidationError,
        WriteError,
    )
    from .fileio.checking import validate_file as validate
    from .fileio.compare import diff_models
    from .fileio.digest import hash_model
    from .fileio.hf_folder import diff_upstream
    from .fileio.manifest import build_model, export_model
    from .model import Model, convert
    from .model import open_model as open
    from .ops.edit import edit
    from .ops.edit_text import apply_text, metadata_text
    from .ops.model_template import (
        chat_template,
        check_chat_template,
        render_chat,
        set_chat_template,
        unset_chat_template,
    )
    from .ops.special_tokens import special_tokens, stop_tokens
    from .ops.token_search import find_tokens
    from .ops.tokens import set_add_token, set_token

_HOMES = {
    "BuildError": "errors",
    "Document": "core.document",
    "EditError": "errors",
    "Field": "core.metadata",
    "GGMLType": "_generated.types",
    "GGUFError": "errors",
    "Limits": "_generated.types",
    "Metadata": "core.metadata",
    "Model": "model",
    "ParseError": "errors",
    "TensorInfo": "core.tensors",
    "ValidationError": "errors",
    "ValueType": "_generated.types",
    "WriteError": "errors",
    "apply_text": "ops.edit_text",
    "build_model": "fileio.manifest",
    "chat_template": "ops.model_template",
    "check_chat_template": "ops.model_template",
    "convert": "model",
    "diff_models": "fileio.compare",
    "diff_upstream": "fileio.hf_folder",
    "edit": "ops.edit",
    "export_model": "fileio.manifest",
    "find_tokens": "ops.token_search",
    "hash_model": "fileio.digest",
    "metadata_text": "ops.edit_text",
    "open": "model",
    "render_chat": "ops.model_template",
    "set_add_token": "ops.tokens",
    "set_chat_template": "ops.model_template",
    "set_token": "ops.tokens",
    "special_tokens": "ops.special_tokens",
    "stop_tokens": "ops.special_tokens",
    "validate": "fileio.checking",
    "unset_chat_template": "ops.model_template",
}
_RENAMED = {"open": "open_model", "validate": "validate_file"}

__all__ = [
    "BuildError",
    "Document",
    "EditError",
    "Field",
    "GGMLType",
    "GGUFError",
    "Limits",
    "Metadata",
    "Model",
    "ParseError",
    "TensorInfo",
    "ValidationError",
    "ValueType",
    "WriteError",
    "__version__",
    "apply_text",
    "build_model",
    "chat_template",
    "check_chat_template",
    "convert",
    "diff_models",
    "diff_upstream",
    "edit",
    "errors",
    "export_model",
    "find_tokens",
    "hash_model",
    "metadata_text",
    "open",
    "render_chat",
    "set_add_token",
    "set_chat_template",
    "set_token",
    "special_tokens",
    "stop_tokens",
    "unset_chat_template",
    "validate",
]


if not TYPE_CHECKING:  # or type checkers would take any name for one of ours

    def __getattr__(name: str) -> Any:
        from importlib import import_module

        if name == "errors":
            return import_module(".errors", __name__)
        if name not in _HOMES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(f".{_HOMES[name]}", __name__), _RENAMED.get(name, name))
        if callable(value):
            # Messages, help and pickles name what people can import, not where it is kept.
            value.__module__, value.__name__, value.__qualname__ = __name__, name, name
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted(__all__)

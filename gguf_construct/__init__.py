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
    from .api import (
        apply_text,
        build_model,
        convert,
        diff_models,
        diff_upstream,
        edit,
        export_model,
        hash_model,
        validate,
    )
    from .core.document import Document
    from .core.field import Field
    from .core.metadata import Metadata
    from .core.tensors import TensorInfo
    from .editing.chat_templates import (
        chat_template,
        check_chat_template,
        render_chat,
        set_chat_template,
        unset_chat_template,
    )
    from .editing.token_roles import set_add_token, set_token
    from .editing.token_types import set_token_type
    from .errors import (
        BuildError,
        EditError,
        GGUFError,
        ParseError,
        ValidationError,
        WriteError,
    )
    from .manifest.edit_text import metadata_text
    from .model import Model
    from .model import open_model as open
    from .new_models import new, save
    from .tokens.search import find_tokens
    from .tokens.special import special_tokens, stop_tokens

_HOMES = {
    "BuildError": "errors",
    "Document": "core.document",
    "EditError": "errors",
    "Field": "core.field",
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
    "apply_text": "api",
    "build_model": "api",
    "chat_template": "editing.chat_templates",
    "check_chat_template": "editing.chat_templates",
    "convert": "api",
    "diff_models": "api",
    "diff_upstream": "api",
    "edit": "api",
    "export_model": "api",
    "find_tokens": "tokens.search",
    "hash_model": "api",
    "metadata_text": "manifest.edit_text",
    "new": "new_models",
    "open": "model",
    "save": "new_models",
    "render_chat": "editing.chat_templates",
    "set_add_token": "editing.token_roles",
    "set_chat_template": "editing.chat_templates",
    "set_token": "editing.token_roles",
    "set_token_type": "editing.token_types",
    "special_tokens": "tokens.special",
    "stop_tokens": "tokens.special",
    "validate": "api",
    "unset_chat_template": "editing.chat_templates",
}
_RENAMED = {"open": "open_model"}

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
    "new",
    "open",
    "render_chat",
    "save",
    "set_add_token",
    "set_chat_template",
    "set_token",
    "set_token_type",
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

"""Emitters: each turns the resolved schema into the text of generated files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.ksy.load import load
from tools.ksy.resolve import resolve

from .codec import emit_codec, emit_codec_choice
from .keys import emit_keys
from .trace import emit_trace
from .types import emit_types

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["render_all"]


def render_all(
    read: Callable[[str], str], spec_hash: Callable[..., str], generated: Path
) -> dict[str, str]:
    """Every generated file: path below generated/ to text."""
    schema = resolve(load("gguf", lambda name: read(f"{name}.ksy")))
    digest = spec_hash("gguf.ksy", "ggml.ksy")
    keys = read("keys.yaml")
    return {
        "__init__.py": _init(digest),
        "types.py": emit_types(schema, digest),
        "codec.py": emit_codec_choice(schema, digest),
        "codec_le.py": emit_codec(schema, digest, "<"),
        "codec_be.py": emit_codec(schema, digest, ">"),
        "trace.py": emit_trace(schema, digest),
        "keys.py": emit_keys(keys, spec_hash("keys.yaml")),
    }


def _init(digest: str) -> str:
    from .text import banner

    return banner("spec/", digest, "Generated code: codec, types, trace, declarations, readers.")

"""Emitters: each turns the resolved schema into the text of generated files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.ksy.load import load
from tools.ksy.resolve import resolve

from .codec import emit_codec, emit_codec_choice
from .construct import emit_construct
from .folding import fold
from .kaitai import StaleKaitaiError, kaitai_files
from .keys import emit_keys
from .projectors import emit_projectors
from .trace import emit_trace
from .types import emit_types
from .weights import emit_weights

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["StaleKaitaiError", "render_all", "render_kaitai"]


def render_kaitai(spec: Path, generated: Path, spec_hash: Callable[..., str]) -> dict[str, str]:
    """The readers of the official compiler.  Raises StaleKaitaiError, KscError."""
    return kaitai_files(spec, generated, spec_hash("gguf.ksy", "ggml.ksy"))


def render_all(read: Callable[[str], str], spec_hash: Callable[..., str]) -> dict[str, str]:
    """Every file that our own emitters make: path below generated/ to text."""
    schema = resolve(load("gguf", lambda name: read(f"{name}.ksy")))
    digest = spec_hash("gguf.ksy", "ggml.ksy")
    keys = read("keys.yaml")
    return {
        "__init__.py": _init(digest),
        "types.py": emit_types(schema, digest),
        "codec.py": emit_codec_choice(schema, digest),
        "codec_le.py": fold(emit_codec(schema, digest, "<")),
        "codec_be.py": fold(emit_codec(schema, digest, ">")),
        "trace.py": fold(emit_trace(schema, digest)),
        "construct_schema.py": fold(emit_construct(schema, digest)),
        "keys.py": emit_keys(keys, spec_hash("keys.yaml")),
        "projectors.py": emit_projectors(read("projectors.yaml"), spec_hash("projectors.yaml")),
        "weights.py": emit_weights(read("weights.yaml"), spec_hash("weights.yaml")),
    }


def _init(digest: str) -> str:
    from .text import banner

    return banner("spec/", digest, "Generated code: codec, types, trace, declarations, readers.")

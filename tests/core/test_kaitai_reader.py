"""The unmodified output of the official compiler works from inside the package."""

from __future__ import annotations

import struct
import sys

import pytest

from gguf_construct.core.kaitai_reader import _load_once, load_kaitai


def empty_file(byte_order: str, version: int = 3) -> bytes:
    """A header without metadata and tensors."""
    width = "I" if version == 1 else "Q"
    return b"GGUF" + struct.pack(f"{byte_order}I{width}{width}", version, 0, 0)


@pytest.mark.parametrize("byte_order", ["<", ">"])
@pytest.mark.parametrize("version", [1, 2, 3])
def test_reads_an_empty_file(byte_order: str, version: int) -> None:
    parsed = load_kaitai().Gguf.from_bytes(empty_file(byte_order, version))
    assert parsed.version == version
    assert parsed.is_be == (byte_order == ">")


def test_is_loaded_once() -> None:
    assert load_kaitai() is load_kaitai("gguf")


def test_leaves_the_interpreter_alone() -> None:
    before = {name for name in sys.modules if name in {"ggml", "gguf"}}
    _load_once.cache_clear()
    load_kaitai()
    assert {name for name in sys.modules if name in {"ggml", "gguf"}} == before


def test_imports_its_siblings() -> None:
    module = load_kaitai()
    assert module.ggml.__name__ == "gguf_construct._generated.kaitai.ggml"


def test_an_unknown_schema_is_named() -> None:
    with pytest.raises(ModuleNotFoundError, match="nothing"):
        load_kaitai("nothing")

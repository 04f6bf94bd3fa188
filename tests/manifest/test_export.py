"""Exports: what a manifest states, what is left to the builder, what goes to files."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from gguf_construct.core.codec import parse
from gguf_construct.manifest.build import plan_build
from gguf_construct.manifest.export import MANIFEST, plan_export, strings_jsonl
from tests.manifest.memory_files import MemoryFiles
from tests.support import builders as b
from tests.support import unknown
from tests.support.blocks import tensor_bytes
from tests.support.cases_valid import base
from tests.support.plans import made

if TYPE_CHECKING:
    from tests.support.builders import Built


def exported(built: Built) -> tuple[str, dict[str, bytes]]:
    """The manifest's text, and the other files; building them gives the file again."""
    files = {one.path: made(one.chunks, [built.data]) for one in plan_export(parse(built.data))}
    text = files.pop(MANIFEST).decode()
    folder = MemoryFiles()
    folder.files = files
    assert made(plan_build(text, folder).chunks, folder.sources) == built.data
    return text, files


def test_a_usual_file_states_no_layout() -> None:
    text, files = exported(b.build(base()))
    assert "version: 3\nbyte_order: little\nmetadata:\n" in text
    assert "  weight: {type: F32, shape: [8], data: tensors/weight.npy}\n" in text
    for word in ("offset", "header_padding", "data_size", "filler"):
        assert word not in text
    assert list(files) == ["tensors/weight.npy"]


def test_odd_layouts_are_stated() -> None:
    one = b.Tensor(b"t", (4,), 24, b"abcd", place=64)
    text, _ = exported(b.build(b.Model(tensors=(one,))))
    assert "offset: 64" in text
    text, _ = exported(b.build(b.Model(tensors=(one._replace(place=0),), tail=b"")))
    assert "data_size" not in text
    text, _ = exported(b.build(b.Model(tensors=(one._replace(place=0),), pad_end=False)))
    assert "data_size: 4\n" in text
    text, _ = exported(b.build(b.Model(tensors=(one._replace(place=0),), pad_byte=1)))
    assert "header_padding: !bytes " in text
    assert "filler:\n  - {at: 4, bytes: !bytes " in text
    text, files = exported(b.build(b.Model(tensors=(one._replace(place=0),), tail=b"x" * 201)))
    assert "  - {at: 4, file: filler/000000000004.bin}\n" in text
    assert files["filler/000000000004.bin"].endswith(b"x" * 201)
    text, _ = exported(b.build(b.Model(tensors=(), tail=b"tail")))
    assert "filler:" in text or "header_padding" in text


@pytest.mark.parametrize(
    ("value", "name"),
    [
        (b.text("x" * 200), None),
        (b.text("x" * 201), "metadata/k.txt"),
        (b.text("a\nb"), "metadata/k.txt"),
        (b.array(b.INT32, *range(16)), None),
        (b.array(b.INT32, *range(17)), "metadata/k.npy"),
        (b.array(b.STRING, *[b"x"] * 16), None),
        (b.array(b.STRING, *[b"x"] * 17), "metadata/k.jsonl"),
        (b.array(b.STRING, b"x" * 2000), "metadata/k.jsonl"),
        (b.array(b.ARRAY, b.Array(b.UINT8, (1,))), None),
        (b.array(b.ARRAY, b.Array(b.UINT8, tuple([1] * 5000))), "metadata/k.bin"),
        (b.array(b.BOOL, *[2] * 20), "metadata/k.npy"),
    ],
)
@pytest.mark.parametrize("order", [b.LITTLE, b.BIG])
def test_long_values_go_to_files(value: b.Value, name: str | None, order: b.ByteOrder) -> None:
    built = b.build(base(b.Pair(b"k", value), byte_order=order))
    text, files = exported(built)
    assert [path for path in files if path.startswith("metadata/")] == ([name] if name else [])
    if name:
        assert name in text


def test_templates_have_an_ending_of_their_own() -> None:
    _, files = exported(b.build(base(b.Pair(b"tokenizer.chat_template", b.text("a\nb")))))
    assert files["metadata/tokenizer.chat_template.jinja"] == b"a\nb"


def test_types_without_a_dtype_are_plain_bytes() -> None:
    tensors = (
        b.Tensor(b"q", (32, 2), 2, tensor_bytes(2, (32, 2), 1)),
        b.Tensor(b"new", (4,), unknown.TENSOR_TYPE, b"12345678901234567890123456789012"),
    )
    text, files = exported(b.build(b.Model(tensors=tensors)))
    assert sorted(files) == ["tensors/new.bin", "tensors/q.bin"]
    assert f"type: {unknown.TENSOR_TYPE}" in text
    assert "q: {type: Q4_0, shape: [2, 32]" in text


def test_names_of_files_are_plain_and_unique() -> None:
    names = (b"a/b", b"A_b", b"a_B", b"con.x", b"...", b"", b"x" * 100, b"\xff")
    tensors = tuple(b.Tensor(name, (1,), 24, b"1") for name in names)
    _, files = exported(b.build(b.Model(tensors=tensors)))
    paths = [path.removeprefix("tensors/").removesuffix(".npy") for path in files]
    assert paths[:6] == ["a_b", "A_b-2", "a_B-3", "_con.x", "_", "_-2"]
    assert paths[6] == "x" * 80
    assert len({path.lower() for path in paths}) == len(names)


def test_repeated_names_make_a_list() -> None:
    pairs = (b.Pair(b"k", b.u8(1)), b.Pair(b"k", b.u8(2)))
    text, _ = exported(b.build(b.Model(pairs)))
    assert "metadata:\n  - k: !uint8 1\n  - k: !uint8 2\n" in text


def test_strings_are_one_a_line() -> None:
    data = strings_jsonl([b"a\nb", "é".encode(), b"\xff", b""])
    lines = data.decode().split("\n")
    assert lines[-1] == ""
    assert [json.loads(line) for line in lines[:-1]] == ["a\nb", "é", {"base64": "/w=="}, ""]
    assert strings_jsonl([]) == b""

"""Values that a manifest keeps in files."""

from __future__ import annotations

import io
import json
from typing import Any

import numpy as np
import pytest

from gguf_construct._generated.codec import codec
from gguf_construct._generated.types import Array, ValueType
from gguf_construct.errors import BuildError
from gguf_construct.manifest.values import metadata_value
from gguf_construct.manifest.yaml_read import parse_yaml
from tests.manifest.memory_files import MemoryFiles


def npy(array: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, array)
    return out.getvalue()


def value(text: str, specs: tuple[str, ...] = (), **files: bytes) -> tuple[int, Any]:
    root = parse_yaml(f"\nk: {text}\n")
    assert root is not None
    return metadata_value(root.pairs[0][1], specs, MemoryFiles(**files))


def test_texts() -> None:
    assert value("{file: a}", a=b"x\xff\n") == (ValueType.STRING, b"x\xff\n")
    assert value("!string {file: a}", a=b"") == (ValueType.STRING, b"")
    assert value("plain") == (ValueType.STRING, b"plain")


@pytest.mark.parametrize(
    "dtype", ["u1", "i1", "<u2", ">i2", "<u4", ">i4", "<u8", "<i8", "<f4", ">f8"]
)
def test_numbers(dtype: str) -> None:
    array = np.array([1, 2, 3], dtype)
    kind, found = value("{array: a.npy}", a__npy=npy(array))
    assert kind == ValueType.ARRAY
    names = {"u": "UINT", "i": "INT", "f": "FLOAT"}
    assert found.element_type == ValueType[f"{names[array.dtype.kind]}{array.dtype.itemsize * 8}"]
    assert list(found.elements) == [1, 2, 3]


def test_bytes_are_booleans_where_they_are_wanted() -> None:
    data = npy(np.array([0, 1, 2], "u1"))
    for text, specs in (("!bool {array: a.npy}", ()), ("{array: a.npy}", ("bool", "[bool]"))):
        _, found = value(text, specs, a__npy=data)
        assert found.element_type == ValueType.BOOL
        assert list(found.elements) == [0, 1, 2]
    _, found = value("{array: a.npy}", ("string",), a__npy=data)
    assert found.element_type == ValueType.UINT8


def test_strings() -> None:
    lines = b'"a"\n"\\u00e9"\n{"base64": "/w=="}\n""'
    for data in (lines, lines + b"\n"):
        kind, found = value("{array: a.jsonl}", a__jsonl=data)
        assert (kind, found.element_type) == (ValueType.ARRAY, ValueType.STRING)
        assert list(found.elements) == [b"a", "é".encode(), b"\xff", b""]
    assert value("{array: a.jsonl}", a__jsonl=b"")[1].num_elements == 0


def test_lists_of_lists() -> None:
    inner = Array(ValueType.UINT8, 2, [1, 2])
    data = codec("<").WRITE_ARRAY[3](Array(ValueType.ARRAY, 1, [inner]))
    _, found = value("!array {array: a.bin}", a__bin=data)
    assert [list(one.elements) for one in found.elements] == [[1, 2]]


WRONG = [
    ("{}", {}, "name one file: "),
    ("{file: a, array: b}", {}, "name one file: "),
    ("{other: a}", {}, "'other' is not known here"),
    ("{file: a}", {}, "no file a"),
    ("!int32 {file: a}", {}, "a file holds text, not !int32"),
    ("{array: a.npy}", {}, "no file a.npy"),
    ("{array: a.npy}", {"a__npy": b"x"}, "numpy|npy"),
    (
        "!int32 {array: a.npy}",
        {"a__npy": npy(np.array([1], "u4"))},
        "the file holds uint32, not int32",
    ),
    ("!bool {array: a.npy}", {"a__npy": npy(np.array([1], "i1"))}, "the file holds int8, not bool"),
    ("{array: a.npy}", {"a__npy": npy(np.zeros((2, 2), "u1"))}, "the array has 2 dimensions"),
    (
        "{array: a.npy}",
        {"a__npy": npy(np.zeros(3, "u1"))[:-1]},
        "3 elements are stated, the file has 2",
    ),
    (
        "{array: a.npy}",
        {"a__npy": npy(np.zeros(3, "u1")) + b"x"},
        "3 elements are stated, the file has 4",
    ),
    ("!int32 {array: a.jsonl}", {"a__jsonl": b""}, "a .jsonl file holds strings, not !int32"),
    ("{array: a.jsonl}", {"a__jsonl": b'"a"\n5\n'}, "a.jsonl, line 2: neither a string nor"),
    ("{array: a.jsonl}", {"a__jsonl": b'"a"\n\n"b"'}, "a.jsonl, line 2: "),
    ("{array: a.jsonl}", {"a__jsonl": b'"a", "b"\n'}, "a.jsonl, line 1: "),
    ("{array: a.jsonl}", {"a__jsonl": b'{"base64": "?"}'}, "a.jsonl, line 1: "),
    ("{array: a.jsonl}", {"a__jsonl": b'{"base64": "", "b": 1}'}, "a.jsonl, line 1: neither"),
    ("{array: a.bin}", {"a__bin": b""}, "a list of numbers is a .npy file"),
    ("!array {array: a.bin}", {"a__bin": b""}, "is not an encoded array of arrays"),
    ("!array {array: a.bin}", {"a__bin": b"\x09" + bytes(12)}, "is not an encoded array of arrays"),
]


@pytest.mark.parametrize(("text", "files", "words"), WRONG)
def test_what_is_refused_has_its_line(text: str, files: dict[str, bytes], words: str) -> None:
    with pytest.raises(BuildError, match=words) as caught:
        value(text, (), **files)
    assert caught.value.path == "line 2"


def test_floats_of_other_widths_are_no_metadata() -> None:
    with pytest.raises(BuildError, match="metadata has no float16"):
        value("{array: a.npy}", a__npy=npy(np.zeros(3, "f2")))


def test_without_a_folder_a_map_is_no_value() -> None:
    root = parse_yaml("k: {file: a}")
    assert root is not None
    with pytest.raises(BuildError, match="a map is not a value"):
        metadata_value(root.pairs[0][1], (), None)


def test_deep_json_is_blamed_on_its_line() -> None:
    with pytest.raises(BuildError, match=r"a\.jsonl, line 2: "):
        value("{array: a.jsonl}", a__jsonl=json.dumps("a").encode() + b"\n" + b"[" * 100_000)

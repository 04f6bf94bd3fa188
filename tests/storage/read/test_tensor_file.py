"""Tensors of GGUF, safetensors and numpy files, and what is none of them."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gguf_construct.errors import BuildError, KeyNotFoundError, ParseError
from gguf_construct.storage.read.tensor_file import open_values, split_reference
from tests.support import builders as b
from tests.support.cases_valid import F32_8, base, weight

if TYPE_CHECKING:
    from pathlib import Path


def npy(array: Any, **how: Any) -> bytes:
    out = io.BytesIO()
    np.save(out, array, **how)
    return out.getvalue()


def safetensors(data: bytes, **entries: object) -> bytes:
    text = json.dumps(entries).encode()
    return len(text).to_bytes(8, "little") + text + data


def read(content: bytes, folder: Path, name: str | None = None) -> tuple[str, Any, Any]:
    """Type, shape and values of a tensor."""
    path = folder / "file"
    path.write_bytes(content)
    with open_values(str(path), name, "weight") as values:
        pieces = list(values.pieces())
        flat = np.concatenate(pieces) if pieces else np.zeros(0)
        return values.type_name, values.shape, flat.tolist()


def entry(dtype: str, shape: list[int], start: int, end: int) -> dict[str, object]:
    return {"dtype": dtype, "shape": shape, "data_offsets": [start, end]}


EIGHT = np.frombuffer(F32_8, "<f4").tolist()


def test_gguf(tmp_path: Path) -> None:
    data = b.build(base(tensors=(weight(), weight(name=b"other")))).data
    for name in (None, "weight", "other"):
        assert read(data, tmp_path, name) == ("F32", (8,), EIGHT)
    only = b.build(base(tensors=(weight(name=b"only"),))).data
    assert read(only, tmp_path)[1] == (8,)
    with pytest.raises(KeyNotFoundError, match="no tensor 'wait'") as caught:
        read(data, tmp_path, "wait")
    assert caught.value.hint == "did you mean weight?"
    with pytest.raises(KeyNotFoundError, match="no tensor 'zzz'") as caught:
        read(only, tmp_path, "zzz")
    assert caught.value.hint == "name one as FILE:TENSOR"
    nothing = b.build(base(tensors=(weight(name=b"x1"), weight(name=b"x2")))).data
    with pytest.raises(KeyNotFoundError, match="no tensor 'weight'"):
        read(nothing, tmp_path)


@pytest.mark.parametrize("dtype", ["<f4", ">f8", "<f2", "|i1", ">i2", "<u4", "|u1"])
def test_numpy(dtype: str, tmp_path: Path) -> None:
    array = np.arange(6).reshape(2, 3).astype(dtype)
    found = read(npy(array), tmp_path)
    assert found == (array.dtype.name, (2, 3), array.reshape(-1).tolist())
    assert read(npy(array.reshape(-1)[:0]), tmp_path)[2] == []


@pytest.mark.parametrize("array", [np.array(["a"]), np.array([1j]), np.array([True])])
def test_numpy_of_other_kinds(array: Any, tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="cannot be compared"):
        read(npy(array), tmp_path)


@pytest.mark.parametrize("content", [npy(np.zeros(5))[:-1], npy(np.zeros(5))[:20], b"\x93NUMPY"])
def test_damaged_numpy_files(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(ParseError, match=r"is no readable \.npy file"):
        read(content, tmp_path)


@pytest.mark.parametrize(
    ("dtype", "numpy_type"),
    [
        ("F32", "<f4"),
        ("F16", "<f2"),
        ("F64", "<f8"),
        ("I8", "i1"),
        ("I16", "<i2"),
        ("I32", "<i4"),
        ("I64", "<i8"),
    ],
)
def test_safetensors(dtype: str, numpy_type: str, tmp_path: Path) -> None:
    array = np.arange(6, dtype=numpy_type).reshape(2, 3)
    data = b"????" + array.tobytes()
    content = safetensors(data, weight=entry(dtype, [2, 3], 4, len(data)), __metadata__={"a": "b"})
    assert read(content, tmp_path) == (dtype, (2, 3), array.reshape(-1).tolist())
    assert read(content, tmp_path, "weight")[0] == dtype
    with pytest.raises(KeyNotFoundError, match="__metadata__"):
        read(content, tmp_path, "__metadata__")


def test_scalars_and_empty_tensors_of_safetensors(tmp_path: Path) -> None:
    assert read(safetensors(F32_8[:4], weight=entry("F32", [], 0, 4)), tmp_path)[1:] == ((), [1.0])
    assert read(safetensors(b"", weight=entry("F32", [0, 3], 0, 0)), tmp_path)[1:] == ((0, 3), [])
    assert read(safetensors(b"\x80\x3f", weight=entry("BF16", [1], 0, 2)), tmp_path)[2] == [1.0]


WRONG = [
    (
        safetensors(bytes(8), weight=entry("F32", [2], 0, 9)),
        "should hold 8 bytes, but its entry gives 9",
    ),
    (safetensors(bytes(8), weight=entry("F32", [2], 4, 12)), "gives 8 from"),
    (safetensors(bytes(8), weight=entry("F32", [2], -8, 0)), "should hold 8 bytes"),
    (safetensors(bytes(8), weight=entry("F32", [-2, -1], 0, 8)), "should hold 8 bytes"),
    (safetensors(bytes(8), weight={"dtype": "F32"}), "the entry of 'weight' is damaged"),
    (safetensors(bytes(8), weight=entry("F32", ["x"], 0, 8)), "the entry of 'weight' is damaged"),  # type: ignore[list-item]
    (safetensors(bytes(8), weight=5), "the entry of 'weight' is damaged"),
    ((9).to_bytes(8, "little") + b"{" + b"x" * 8, "its safetensors header is damaged"),
    ((100_000).to_bytes(8, "little") + b'{"a":' * 20_000, "its safetensors header is damaged"),
]


@pytest.mark.parametrize(("content", "words"), WRONG)
def test_damaged_safetensors(content: bytes, words: str, tmp_path: Path) -> None:
    with pytest.raises(ParseError, match=words):
        read(content, tmp_path)


def test_types_that_cannot_be_compared(tmp_path: Path) -> None:
    content = safetensors(bytes(2), weight=entry("BOOL", [2], 0, 2))
    with pytest.raises(BuildError, match="'weight' holds BOOL, which cannot be compared; only F32"):
        read(content, tmp_path)


@pytest.mark.parametrize(
    "content", [b"", b"GGUF", b"hello there, this is text", (1).to_bytes(8, "little") + b"{}"]
)
def test_what_is_none_of_them(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(ParseError, match=r"(?s)."):
        read(content, tmp_path)


def test_references(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.gguf", "b:c", "b:c:d"):
        (tmp_path / name).write_bytes(b"")
    assert split_reference("a.gguf") == ("a.gguf", None)
    assert split_reference("a.gguf:t") == ("a.gguf", "t")
    assert split_reference("a.gguf:t:u") == ("a.gguf", "t:u")
    assert split_reference("a.gguf:") == ("a.gguf", "")
    assert split_reference("b:c") == ("b:c", None)
    assert split_reference("b:c:t") == ("b:c", "t")
    assert split_reference("b:c:d") == ("b:c:d", None)
    assert split_reference("absent:t") == ("absent:t", None)

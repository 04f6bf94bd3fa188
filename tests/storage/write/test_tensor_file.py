"""One tensor as an array file: names of types, orders, notes."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gguf_construct.errors import BuildError, TruncatedError
from gguf_construct.model import open_model
from gguf_construct.storage.write.tensor_file import FORMATS, export_tensor
from tests.support import builders as b
from tests.support import unknown
from tests.support.blocks import BLOCKS, swap_bytes, tensor_bytes
from tests.support.builders import Model, Tensor, build

if TYPE_CHECKING:
    from pathlib import Path

IDS = {block.name: type_id for type_id, block in BLOCKS.items()}
PLAIN = {
    "F32": ("f4", "F32"),
    "F16": ("f2", "F16"),
    "BF16": ("u2", "BF16"),
    "F64": ("f8", "F64"),
    "I8": ("i1", "I8"),
    "I16": ("i2", "I16"),
    "I32": ("i4", "I32"),
    "I64": ("i8", "I64"),
}


def export(
    folder: Path, name: str, ending: str, order: b.ByteOrder = b.LITTLE, **how: Any
) -> tuple[Path, Any, bytes]:
    """Export a tensor of 64 x 3: (file, result, its little-endian bytes)."""
    dims = (max(64, BLOCKS[IDS[name]].elements), 3)
    raw = tensor_bytes(IDS[name], dims, 1)
    stored = raw if order == b.LITTLE else swap_bytes(IDS[name], raw)
    data = build(Model(tensors=(Tensor(b"t", dims, IDS[name], stored),), byte_order=order)).data
    (folder / "m.gguf").write_bytes(data)
    out = folder / f"out{ending}"
    with open_model(folder / "m.gguf") as model:
        result = export_tensor(model.tensors["t"], model.source, out, **how)
    return out, result, raw


def header_of(path: Path) -> tuple[dict[str, Any], bytes]:
    data = path.read_bytes()
    length = int.from_bytes(data[:8], "little")
    assert length % 8 == 0
    header: dict[str, Any] = json.loads(data[8 : 8 + length])
    return header, data[8 + length :]


@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("order", [b.LITTLE, b.BIG])
def test_plain_types_keep_their_elements(name: str, order: b.ByteOrder, tmp_path: Path) -> None:
    numpy_type, other = PLAIN[name]
    path, result, raw = export(tmp_path, name, ".npy", order)
    array = np.load(path)
    assert array.shape == (3, 64)
    sign = {b.LITTLE: "<", b.BIG: ">"}[order] if numpy_type[1] != "1" else "|"
    assert array.dtype.str == sign + numpy_type
    assert array.astype(array.dtype.newbyteorder("<")).tobytes() == raw
    assert any("no bfloat16" in note for note in result.notes) is (name == "BF16")
    path, result, raw = export(tmp_path, name, ".safetensors", order)
    header, data = header_of(path)
    assert header["t"] == {"dtype": other, "shape": [3, 64], "data_offsets": [0, len(raw)]}
    assert header["__metadata__"] == {"ggml_type": name}
    assert data == raw
    assert result.notes == ()


@pytest.mark.parametrize("name", ["Q4_0", "Q6_K", "MXFP4"])
@pytest.mark.parametrize("order", [b.LITTLE, b.BIG])
def test_blocks_stay_bytes(name: str, order: b.ByteOrder, tmp_path: Path) -> None:
    block = BLOCKS[IDS[name]]
    columns = max(64, block.elements)
    row = columns // block.elements * block.nbytes
    for ending in FORMATS:
        path, result, raw = export(tmp_path, name, ending, order)
        stored = raw if order == b.LITTLE else swap_bytes(IDS[name], raw)
        assert result.notes[-1].startswith(f"these are the bytes of {name} blocks, not values")
        if ending == ".npy":
            array = np.load(path)
            assert (array.dtype.str, array.shape) == ("|u1", (3, row))
            assert array.tobytes() == stored
        else:
            header, data = header_of(path)
            assert header["t"]["dtype"] == "U8"
            assert header["t"]["shape"] == [3, row]
            assert header["__metadata__"] == {
                "ggml_type": name,
                "shape": str([3, columns]),
                "byte_order": order,
            }
            assert data == stored


@pytest.mark.parametrize("name", ["F32", "F16", "BF16", "Q4_0", "I16", "F64"])
@pytest.mark.parametrize("order", [b.LITTLE, b.BIG])
@pytest.mark.parametrize("ending", FORMATS)
def test_decoded_values(name: str, order: b.ByteOrder, ending: str, tmp_path: Path) -> None:
    told: list[tuple[int, int]] = []
    path, result, _ = export(
        tmp_path, name, ending, order, dequantize=True, progress=lambda *at: told.append(at)
    )
    with open_model(tmp_path / "m.gguf") as model:
        values = model.tensors["t"].dequantize()
    little = values.astype(values.dtype.newbyteorder("<"))
    if ending == ".npy":
        array = np.load(path)
        assert array.dtype == little.dtype
        assert array.shape == values.shape
        assert array.tobytes() == little.tobytes()
    else:
        header, data = header_of(path)
        assert header["t"]["shape"] == list(values.shape)
        assert header["t"]["dtype"] == {"F64": "F64", "I16": "I16"}.get(name, "F32")
        assert data == little.tobytes()
    assert told[-1] == (path.stat().st_size, path.stat().st_size)
    assert result.nbytes_total == path.stat().st_size


def test_a_tensor_without_elements(tmp_path: Path) -> None:
    data = build(Model(tensors=(Tensor(b"t", (0, 3), 0, b""),))).data
    with open_model(data) as model:
        for dequantize in (False, True):
            out = tmp_path / f"{dequantize}.npy"
            export_tensor(model.tensors["t"], model.source, out, dequantize=dequantize)
            assert np.load(out).shape == (3, 0)


def test_refusals(tmp_path: Path) -> None:
    of_no_type = build(Model(tensors=(Tensor(b"t", (4,), unknown.TENSOR_TYPE, bytes(4)),))).data
    cut = build(Model(tensors=(Tensor(b"t", (4,), 0, bytes(16)),), pad_end=False)).data[:-1]
    with open_model(cut) as model:
        tensor = model.tensors["t"]
        with pytest.raises(BuildError, match="no such format") as caught:
            export_tensor(tensor, model.source, tmp_path / "out.bin")
        assert caught.value.hint == "names end in .npy or .safetensors"
        with pytest.raises(TruncatedError, match="the file ends"):
            export_tensor(tensor, model.source, tmp_path / "out.NPY")
    with open_model(of_no_type) as model, pytest.raises(BuildError, match="no known version"):
        export_tensor(model.tensors["t"], model.source, tmp_path / "out.npy")
    assert list(tmp_path.iterdir()) == []

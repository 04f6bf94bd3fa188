"""tensor: statistics, a block by hand, export, compare."""

from __future__ import annotations

import json
import re
import struct
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gguf_construct as gc
from gguf_construct.cli.main import run
from tests.support import builders as b
from tests.support.blocks import BLOCKS, tensor_bytes
from tests.support.cases import CASES, VALID

if TYPE_CHECKING:
    from pathlib import Path

Text = pytest.CaptureFixture[str]
PLAIN = (0, 1, 24, 25, 26, 27, 28, 30)


def write(folder: Path, name: str) -> Path:
    path = folder / f"{name}.gguf"
    path.write_bytes(CASES[name].data)
    return path


def answer(path: Path, capsys: Text, *arguments: str, code: int = 0) -> dict[str, Any]:
    assert run(["tensor", str(path), "q", "--json", "-q", *arguments]) == code
    shown = json.loads(capsys.readouterr().out)
    assert isinstance(shown, dict)
    return shown


@pytest.mark.parametrize("case", [it for it in VALID if it.name.startswith("type-")], ids=str)
def test_statistics_of_every_type(case: Any, tmp_path: Path, capsys: Text) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(case.data)
    code = run(["tensor", str(path), "q", "--json"])
    told = capsys.readouterr()
    if code == 2:
        assert "quants" in told.err  # the codebooks are not installed
        return
    shown = json.loads(told.out)
    with gc.open(path) as model:
        values = model.tensors["q"].dequantize()
    finite = values[np.isfinite(values)]
    assert shown["tensor"]["elements"] == values.size
    assert shown["stats"]["nan"] == np.isnan(values).sum()
    assert shown["stats"]["infinite"] == np.isinf(values).sum()
    assert shown["stats"]["min"] == finite.min()
    assert shown["stats"]["max"] == finite.max()
    assert sum(shown["stats"]["histogram"]) == finite.size


def test_statistics_for_people(tmp_path: Path, capsys: Text) -> None:
    built = b.build(b.Model(tensors=(b.Tensor(b"t", (4,), 0, struct.pack("<4f", 0, 1, 3, 4)),)))
    path = tmp_path / "m.gguf"
    path.write_bytes(built.data)
    assert run(["tensor", str(path), "t"]) == 0
    text = capsys.readouterr().out
    assert "min 0  max 4" in text
    assert "mean 2  std 1.5811388" in text
    assert f"0x{built.data_start:x} to 0x{built.data_start + 16:x} (little-endian)" in text
    assert text.count("█") == 4 * 50


# ---- a block by hand -------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize("name", ["Q4_0", "Q6_K", "Q8_K", "F32", "MXFP4"])
def test_block_is_what_lies_in_the_file(
    name: str, order: str, tmp_path: Path, capsys: Text
) -> None:
    path = write(tmp_path, f"type-{name}-{order}")
    data = path.read_bytes()
    shown = answer(path, capsys, "--block", "3")["block"]
    start = CASES[f"type-{name}-{order}"].built.at("tensors[0].data")
    assert shown["offset"] == start + 3 * shown["nbytes"]
    at = shown["offset"]
    for field in shown["fields"]:
        raw = bytes.fromhex(field["raw"])
        assert field["offset"] == at
        assert data[at : at + len(raw)] == raw
        at += len(raw)
    assert at == shown["offset"] + shown["nbytes"]
    with gc.open(path) as model:
        values = model.tensors["q"].dequantize().reshape(-1)
    first, count = shown["first_element"], len(shown["elements"])
    assert np.array_equal(values[first : first + count], np.array(shown["elements"], float))


def test_block_q4_0_with_a_pencil(tmp_path: Path, capsys: Text) -> None:
    quants = bytes([0x00, 0x8F, 0x17, *range(0x20, 0x2D)])
    block = struct.pack(">e", 0.5) + quants
    tensor = b.Tensor(b"w", (32, 2), 2, bytes(18) + block)
    built = b.build(b.Model(tensors=(tensor,), byte_order=b.BIG))
    path = tmp_path / "m.gguf"
    path.write_bytes(built.data)
    assert run(["tensor", str(path), "w", "--block", "1"]) == 0
    text = capsys.readouterr().out
    start = built.data_start + 18
    assert f"0x{start:08x}  38 00\n" in text
    assert "= 0.5\n" in text
    assert f"0x{start + 2:08x}  00 8f 17 {quants[3:].hex(' ')}\n" in text
    first = re.findall(r"^  *\d+  (.*)$", text, re.MULTILINE)[0]
    elements = [float(word) for word in first.split()]
    assert elements[:3] == [0.5 * (0 - 8), 0.5 * (15 - 8), 0.5 * (7 - 8)]
    assert "[1, 0]" in text


@pytest.mark.parametrize("index", ["6", "-1", "99999"])
def test_block_that_is_not_there(index: str, tmp_path: Path, capsys: Text) -> None:
    path = write(tmp_path, "type-Q4_0-little")
    assert run(["tensor", str(path), "q", "--block", index]) == 2
    assert "0 to 5" in capsys.readouterr().err


# ---- export ----------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize("type_id", sorted(BLOCKS))
def test_npy(type_id: int, order: str, tmp_path: Path, capsys: Text) -> None:
    name = BLOCKS[type_id].name
    path, out = write(tmp_path, f"type-{name}-{order}"), tmp_path / "out.npy"
    answer(path, capsys, "--export", str(out))
    raw = np.load(out)
    with gc.open(path) as model:
        tensor = model.tensors["q"]
        assert raw.tobytes() == tensor.raw
        if type_id in PLAIN and name != "BF16":
            assert raw.shape == tensor.shape
            assert np.array_equal(raw, tensor.dequantize(), equal_nan=raw.dtype.kind == "f")
        try:
            values = tensor.dequantize()
        except gc.BuildError:
            return
    answer(path, capsys, "--export", str(out), "--dequantize", "--force")
    decoded = np.load(out)
    assert decoded.shape == values.shape
    assert decoded.tobytes() == values.astype(values.dtype.newbyteorder("<")).tobytes()


@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize("name", ["F32", "F16", "BF16", "F64", "I8", "I64", "Q4_0", "Q6_K"])
def test_safetensors(name: str, order: str, tmp_path: Path, capsys: Text) -> None:
    path, out = write(tmp_path, f"type-{name}-{order}"), tmp_path / "out.safetensors"
    answer(path, capsys, "--export", str(out))
    data = out.read_bytes()
    length = int.from_bytes(data[:8], "little")
    entry = json.loads(data[8 : 8 + length])["q"]
    assert (8 + length) % 8 == 0
    assert entry["data_offsets"] == [0, len(data) - 8 - length]
    with gc.open(CASES[f"type-{name}-little"].data) as little, gc.open(path) as model:
        swapped = name.startswith("Q")
        wanted = (model if swapped else little).tensors["q"]
        assert data[8 + length :] == wanted.raw
        assert entry["dtype"] == ("U8" if swapped else name)
        if not swapped:
            assert entry["shape"] == list(wanted.shape)


def test_safetensors_library_reads_it(tmp_path: Path, capsys: Text) -> None:
    library = pytest.importorskip("safetensors.numpy")
    path, out = write(tmp_path, "type-Q5_K-big"), tmp_path / "out.safetensors"
    answer(path, capsys, "--export", str(out), "--dequantize")
    with gc.open(path) as model:
        values = model.tensors["q"].dequantize()
    assert library.load_file(out)["q"].tobytes() == values.tobytes()


@pytest.mark.parametrize("name", ["shapes-v3"])
def test_shapes(name: str, tmp_path: Path, capsys: Text) -> None:
    path, out = write(tmp_path, name), tmp_path / "out.npy"
    with gc.open(path) as model:
        shapes = {tensor.name: tensor.shape for tensor in model.tensors.all}
    for tensor, shape in shapes.items():
        for more in ([], ["--dequantize"]):
            arguments = ["tensor", str(path), tensor, "--export", str(out), "-f", *more]
            assert run(arguments) == 0, capsys.readouterr().err
            assert np.load(out).shape == shape


def test_export_refusals(tmp_path: Path, capsys: Text) -> None:
    path, out = write(tmp_path, "type-Q4_0-little"), tmp_path / "out.npy"
    out.write_bytes(b"precious")
    assert run(["tensor", str(path), "q", "--export", str(out)]) == 4
    assert run(["tensor", str(path), "q", "--export", str(out), "--dequantize"]) == 4
    assert out.read_bytes() == b"precious"
    assert run(["tensor", str(path), "q", "--export", str(tmp_path / "out.bin")]) == 2
    assert run(["tensor", str(path), "q", "--dequantize"]) == 2
    assert ".npy or .safetensors" in capsys.readouterr().err
    assert sorted(it.name for it in tmp_path.iterdir()) == ["out.npy", path.name]


# ---- compare ---------------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["npy", "safetensors"])
def test_compare_with_its_own_export(ending: str, tmp_path: Path, capsys: Text) -> None:
    path, out = write(tmp_path, "type-Q6_K-big"), tmp_path / f"out.{ending}"
    answer(path, capsys, "--export", str(out), "--dequantize")
    found = answer(path, capsys, "--compare", str(out))["compare"]
    assert (found["num_different"], found["max_error"]) == (0, 0.0)


def test_compare_byte_orders_and_other_names(tmp_path: Path, capsys: Text) -> None:
    little, big = write(tmp_path, "type-Q3_K-little"), write(tmp_path, "type-Q3_K-big")
    assert answer(little, capsys, "--compare", str(big))["compare"]["num_different"] == 0
    found = answer(little, capsys, "--compare", f"{big}:q")["compare"]
    assert found["steps_of"] == "Q3_K"
    assert run(["tensor", str(little), "q", "--compare", f"{big}:weight"]) == 2
    assert "shape" in capsys.readouterr().err
    assert run(["tensor", str(little), "q", "--compare", f"{big}:wait"]) == 2
    assert "weight" in capsys.readouterr().err
    assert run(["tensor", str(little), "q", "--compare", str(tmp_path / "none")]) == 4


def test_compare_a_rounded_tensor(tmp_path: Path, capsys: Text) -> None:
    rng = np.random.default_rng(1)
    original = rng.standard_normal((3, 32)).astype("<f4")
    scale = np.array(0.5, "<f2")
    quants = np.clip(np.rint(original / float(scale)) + 8, 0, 15).astype(np.uint8)
    rows = [scale.tobytes() + (row[:16] | (row[16:] << 4)).tobytes() for row in quants]
    tensors = (b.Tensor(b"q", (32, 3), 2, b"".join(rows)),)
    path, npy = tmp_path / "m.gguf", tmp_path / "o.npy"
    path.write_bytes(b.build(b.Model(tensors=tensors)).data)
    np.save(npy, original)
    found = answer(path, capsys, "--compare", str(npy), code=1)["compare"]
    assert found["steps_of"] == "Q4_0"
    assert 0.45 < found["max_steps"] <= 0.5001
    assert found["max_error"] == pytest.approx(found["max_steps"] * 0.5)
    np.save(npy, np.asfortranarray(original.astype(">f8")))
    assert answer(path, capsys, "--compare", str(npy), code=1)["compare"] == {
        **found,
        "other": f"o.npy (float64) of {npy}",
    }
    np.save(npy, original.T)
    assert run(["tensor", str(path), "q", "--compare", str(npy)]) == 2
    assert "reverse" in capsys.readouterr().err


@pytest.mark.parametrize(
    "content",
    [
        b"\x93NUMPY\x01\x00v\x00{broken",
        (30).to_bytes(8, "little") + b"{" + b" " * 40,
        (70).to_bytes(8, "little")
        + b'{"q": {"dtype": "F32", "shape": [64], "data_offsets": [-8, 248]}}'.ljust(400),
        (70).to_bytes(8, "little")
        + b'{"q": {"dtype": "F32", "shape": [99], "data_offsets": [0, 396]}}'.ljust(80),
        (30).to_bytes(8, "little") + b'{"q": {"dtype": "F32"}}'.ljust(40),
        b"neither",
    ],
)
def test_compare_with_damaged_files(content: bytes, tmp_path: Path, capsys: Text) -> None:
    path, other = write(tmp_path, "type-F32-little"), tmp_path / "other"
    other.write_bytes(content)
    assert run(["tensor", str(path), "q", "--compare", str(other)]) == 3
    assert capsys.readouterr().err


# ---- which tensor ----------------------------------------------------------------------------


def test_names(tmp_path: Path, capsys: Text) -> None:
    path = write(tmp_path, "tensor-twice")
    with gc.open(path) as model:
        name = model.tensors.all[0].name
    assert run(["tensor", str(path), name]) == 2
    assert "--occurrence" in capsys.readouterr().err
    assert run(["tensor", str(path), name, "--occurrence", "1"]) == 0
    assert run(["tensor", str(path), name, "--occurrence", "2"]) == 2
    path = write(tmp_path, "type-F32-little")
    assert run(["tensor", str(path), "weigth"]) == 2
    assert "weight" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "tensor", "code"),
    [
        ("future-next+0", "t", 2),
        ("removed-Q4_2", "t", 2),
        ("block-33", "t", 2),
        ("offset-past-end", "t1", 3),
    ],
)
def test_tensors_that_cannot_be_decoded(
    name: str, tensor: str, code: int, tmp_path: Path, capsys: Text
) -> None:
    path = write(tmp_path, name)
    out = tmp_path / "out.npy"
    for arguments in ([], ["--block", "0"], ["--export", str(out)], ["--compare", str(path)]):
        assert run(["tensor", str(path), tensor, *arguments]) == code
        assert repr(tensor) in capsys.readouterr().err
    assert not out.exists()


def test_any_name_and_any_bytes(tmp_path: Path, capsys: Text) -> None:
    tensor = b.Tensor(b"\xff\0", (32,), 2, tensor_bytes(2, (32,)))
    path = tmp_path / "m.gguf"
    path.write_bytes(b.build(b.Model(tensors=(tensor,))).data)
    out = tmp_path / "out.safetensors"
    assert run(["tensor", str(path), "\udcff\0", "--export", str(out), "--dequantize"]) == 0
    capsys.readouterr()
    assert run(["tensor", str(path), "\udcff\0", "--compare", str(out), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["compare"]["num_different"] == 0

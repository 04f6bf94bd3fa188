"""Export and build: the same bytes for every file; small manifests by hand; nothing outside."""

from __future__ import annotations

import os
import struct
from typing import TYPE_CHECKING

import numpy as np
import pytest

import gguf_construct as gc
from gguf_construct.api import build_bytes, build_model, export_model
from gguf_construct.errors import BuildError, DestinationExistsError, TruncatedError
from gguf_construct.manifest.build import plan_build
from tests.support import builders as b
from tests.support.builders import Model, Pair, Tensor, build
from tests.support.cases import BAD, VALID, BadCase, Case
from tests.support.cases_model import MODEL_CASES
from tests.support.cases_valid import F32_8, base
from tests.support.shared import fixture_files, needs_shared

if TYPE_CHECKING:
    from pathlib import Path

    from gguf_construct.core.chunks import WritePlan
    from gguf_construct.manifest.values import Files

OPENING = [case for case in (*BAD, *MODEL_CASES) if case.stage != "parse"]


def exported(data: bytes, folder: Path) -> str:
    """Export, and the manifest's text."""
    with gc.open(data) as model:
        export_model(model, folder)
    return (folder / "manifest.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize("case", VALID, ids=str)
def test_a_valid_file_comes_back(case: Case, tmp_path: Path) -> None:
    exported(case.data, tmp_path / "d")
    assert build_bytes(tmp_path / "d") == case.data


def is_cut(data: bytes) -> bool:
    """Whether the data of a tensor is not all there."""
    with gc.open(data) as model:
        for tensor in model.tensors.all:
            try:
                tensor.size  # noqa: B018
            except TruncatedError:
                return True
    return False


@pytest.mark.parametrize("case", OPENING, ids=str)
def test_a_file_with_faults_comes_back_or_is_cut(case: BadCase, tmp_path: Path) -> None:
    try:
        exported(case.data, tmp_path / "d")
    except gc.ParseError:
        assert case.stage != "finding" or is_cut(case.data)
        assert not (tmp_path / "d").exists()
        return
    assert build_bytes(tmp_path / "d") == case.data


@needs_shared
def test_every_real_file_comes_back_in_both_byte_orders(tmp_path: Path) -> None:
    for number, path in enumerate(fixture_files()):
        folder = tmp_path / str(number)
        exported(path.read_bytes(), folder)
        assert build_bytes(folder) == path.read_bytes(), path
        other = tmp_path / f"{number}.gguf"
        with gc.open(path) as model:
            target = "big" if model.byte_order == "little" else "little"
        if path.stat().st_size < 1 << 20:
            gc.convert(path, other, byte_order=target)
            exported(other.read_bytes(), tmp_path / f"{number}.other")
            assert build_bytes(tmp_path / f"{number}.other") == other.read_bytes(), path


def test_a_usual_manifest_states_no_layout(tmp_path: Path) -> None:
    tensors = (Tensor(b"a", (8,), 0, F32_8), Tensor(b"b", (3,), 24, b"abc"))
    text = exported(build(base(tensors=tensors)).data, tmp_path / "d")
    assert text.partition("version:")[2].splitlines() == [
        " 3",
        "byte_order: little",
        "metadata:",
        "  general.architecture: llama",
        "  llama.block_count: !uint32 1",
        "  llama.rope.freq_base: !float32 10000.0",
        "  tokenizer.ggml.add_bos_token: true",
        "tensors:",
        "  a: {type: F32, shape: [8], data: tensors/a.npy}",
        "  b: {type: I8, shape: [3], data: tensors/b.npy}",
    ]
    assert np.load(tmp_path / "d/tensors/a.npy").tobytes() == F32_8


def test_long_values_are_files_that_other_tools_read(tmp_path: Path) -> None:
    pairs = (
        Pair(b"tokenizer.chat_template", b.text("{{ a }}\r\n")),
        Pair(b"x.numbers", b.array(b.UINT16, *range(99))),
        Pair(b"x.words", b.array(b.STRING, *[b"a\n"] * 20, b"\xff")),
        Pair(b"X.NUMBERS", b.array(b.UINT16, *range(99))),
    )
    exported(build(base(*pairs)).data, tmp_path / "d")
    folder = tmp_path / "d/metadata"
    assert (folder / "tokenizer.chat_template.jinja").read_bytes() == b"{{ a }}\r\n"
    assert np.load(folder / "x.numbers.npy").tolist() == list(range(99))
    lines = (folder / "x.words.jsonl").read_text().splitlines()
    assert (lines[0], lines[-1]) == ('"a\\n"', '{"base64": "/w=="}')
    assert (folder / "X.NUMBERS-2.npy").exists()


def test_export_leaves_what_is_there(tmp_path: Path) -> None:
    (tmp_path / "d").mkdir()
    (tmp_path / "d/mine").write_text("x")
    with gc.open(build(base()).data) as model:
        with pytest.raises(DestinationExistsError):
            export_model(model, tmp_path / "d")
        (tmp_path / "d/mine").unlink()
        export_model(model, tmp_path / "d")
        model.metadata["general.name"] = "new"
        with pytest.raises(BuildError, match="not saved"):
            export_model(model, tmp_path / "e")
    assert sorted(os.listdir(tmp_path)) == ["d"]


# -- by hand ---------------------------------------------------------------------------------


def built(folder: Path, text: str) -> gc.Model:
    (folder / "manifest.yaml").write_text(text, encoding="utf-8")
    return gc.open(build_bytes(folder))


def test_a_manifest_by_hand_needs_little(tmp_path: Path) -> None:
    np.save(tmp_path / "big.npy", np.arange(6, dtype=">f4").reshape(2, 3))
    (tmp_path / "raw.bin").write_bytes(bytes(range(34)))
    text = """
metadata:
  general.architecture: llama
  llama.block_count: 1
  llama.rope.freq_base: 10000
  general.tags: [a, "1"]
  general.name: "5"
  my.key: !uint32 7
tensors:
  m: {values: [[1, 2, 3], [4, 5, 6]]}
  z: {type: Q8_0, shape: [4, 32], fill: zeros}
  n: {data: big.npy}
  r: {type: q8_0, dims: [32], data: raw.bin}
  h: {type: BF16, values: [1.0, 3.0, nan]}
  s: {type: I32, shape: [], values: -1}
"""
    with built(tmp_path, text) as model:
        assert (model.version, model.byte_order, model.alignment) == (3, "little", 32)
        types = {field.key: field.type for field in model.metadata.fields()}
        assert types == {
            "general.architecture": "string",
            "llama.block_count": "uint32",
            "llama.rope.freq_base": "float32",
            "general.tags": "[string]",
            "general.name": "string",
            "my.key": "uint32",
        }
        tensors = model.tensors
        assert tensors["m"].shape == (2, 3)
        assert tensors["m"].raw == struct.pack("<6f", *range(1, 7))
        assert tensors["n"].raw == struct.pack("<6f", *range(6))
        assert tensors["z"].raw == bytes(4 * 34)
        assert tensors["r"].raw == bytes(range(34))
        assert tensors["h"].raw == bytes.fromhex("803f 4040 c07f")
        assert (tensors["s"].shape, tensors["s"].raw) == ((), struct.pack("<i", -1))
        assert [tensor.offset for tensor in tensors.values()] == [0, 32, 192, 224, 288, 320]
        assert model.file_size == model.data_start + 352


def test_an_empty_map_builds_an_empty_model(tmp_path: Path) -> None:
    with built(tmp_path, "{}\n") as model:
        assert (len(model.metadata), len(model.tensors), model.file_size) == (0, 0, 24)


def test_the_other_byte_order_and_version(tmp_path: Path) -> None:
    text = "byte_order: big\nmetadata: {a: !uint16 1}\ntensors: {w: {values: [1]}}\n"
    with built(tmp_path, text) as model:
        assert model.byte_order == "big"
        assert model.tensors["w"].raw == struct.pack(">f", 1)
    with built(tmp_path, "version: 1\nmetadata: {a: !uint16 1}\n") as model:
        assert (model.version, model.metadata["a"]) == (1, 1)


@pytest.mark.parametrize(
    ("text", "line", "why"),
    [
        ("", 1, "empty"),
        ("- a\n", 1, "a map is expected"),
        ("metadata:\n  a: 1\n", 2, "type of this value"),
        ("metadata:\n  a: x\n  a: y\n", 3, "already in line 2"),
        ("metadata:\n  - a: x\n    b: y\n", 2, "one NAME"),
        ("metadata:\n  llama.block_count: two\n  general.architecture: llama\n", 2, "uint32"),
        ("metadata:\n  a: !string {file: x}\n", 2, "not there"),
        ("metadata:\n  a: {file: x, array: y}\n", 2, "one file"),
        ("metadata:\n  a: !uint8 {array: junk.npy}\n", 2, "npy"),
        ("metadata:\n  a: !string {array: junk.jsonl}\n", 2, "line 2"),
        ("metadata:\n  a: !array {array: junk.npy.bin}\n", 2, "array of arrays"),
        ("metadata:\n  a: !uint16 {array: u8.npy}\n", 2, "holds uint8"),
        ("metadata:\n  a: !float32 {array: two.npy}\n", 2, "2 dimensions"),
        ("tensors:\n  w: {shape: [1]}\n", 2, "needs one of"),
        ("tensors:\n  w: {shape: [2], values: [1]}\n", 2, "8 bytes"),
        ("tensors:\n  w: {shape: [1, 2], dims: [1, 2], fill: zeros}\n", 2, "reverse"),
        ("tensors:\n  w: {type: Q9, shape: [1], fill: zeros}\n", 2, "tensor type"),
        ("tensors:\n  w: {type: Q8_0, shape: [33], fill: zeros}\n", 2, "not known"),
        ("tensors:\n  w: {type: Q8_0, values: [1]}\n", 2, "cannot be given"),
        ("tensors:\n  w: {values: [[1, 2], [3]]}\n", 2, "list of 2"),
        ("tensors:\n  w: {values: [a]}\n", 2, "not fit F32"),
        ("tensors:\n  w: {values: [0.5, 1e400]}\n", 2, "not fit F32: 1e400"),
        ("tensors:\n  w: {type: F64, values: [-1e400]}\n", 2, "not fit F64: -1e400"),
        ("tensors:\n  w: {type: BF16, values: [1e400]}\n", 2, "not fit BF16: 1e400"),
        ("tensors:\n  w: {data: raw}\n", 2, "shape is missing"),
        ("tensors:\n  w: {shape: [1], data: u8.npy}\n", 2, "not tensor data"),
        ("tensors:\n  w: {type: F32, shape: [5], data: two.npy}\n", 2, "shape"),
        ("tensors:\n  w: {shape: [4611686018427387904], fill: zeros}\n", 2, "zeros"),
        ("tensors:\n  w: {shape: [-1], fill: zeros}\n", 2, "not within"),
        ("tensors:\n  w: {values: [1], offset: 1152921504606846977}\n", 2, "beyond"),
        ("tensors:\n  w: {values: [1], more: 2}\n", 2, "not known here"),
        ("version: 4\n", 1, "version"),
        ("byte_order: middle\n", 1, "byte order"),
        ("manifest: 2\n", 1, "form"),
        ("data_size: x\n", 1, "size"),
        ("filler:\n  - {at: 1}\n", 2, "filler"),
        ("tensors:\n  !uint32 w: {values: [1]}\n", 2, "name"),
    ],
)
def test_a_wrong_manifest_says_where(text: str, line: int, why: str, tmp_path: Path) -> None:
    (tmp_path / "junk.npy").write_bytes(b"junk")
    (tmp_path / "junk.npy.bin").write_bytes(b"junk")
    (tmp_path / "junk.jsonl").write_bytes(b'"a"\njunk\n')
    (tmp_path / "raw").write_bytes(b"1234")
    np.save(tmp_path / "u8.npy", np.zeros(1, np.uint8))
    np.save(tmp_path / "two.npy", np.zeros((1, 1), "<f4"))
    with pytest.raises(BuildError, match=why) as caught:
        built(tmp_path, text)
    assert caught.value.path == f"line {line}"


def test_data_that_does_not_fit_its_size_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="data_size is 2"):
        built(tmp_path, "data_size: 2\ntensors: {w: {values: [1]}}\n")


@pytest.mark.parametrize(
    "path",
    [
        *("/etc/hostname", "../outside", "a/../../outside", "link", "links/file", "", ".", "a//b"),
        *("./a", "fifo", "folder", "C:\\x", "a\\b", "a\x00b", "x" * 5000),
    ],
)
@pytest.mark.parametrize("place", ["metadata", "array", "tensor", "filler"])
def test_nothing_outside_the_folder_is_reached(path: str, place: str, tmp_path: Path) -> None:
    folder = tmp_path / "d"
    folder.mkdir()
    (tmp_path / "outside").write_text("secret")
    (folder / "link").symlink_to(tmp_path / "outside")
    (tmp_path / "real").mkdir()
    (tmp_path / "real/file").write_text("secret")
    (folder / "links").symlink_to(tmp_path / "real")
    (folder / "folder").mkdir()
    os.mkfifo(folder / "fifo")
    name = '"' + path.replace("\\", "\\\\").replace("\x00", "\\0") + '"'
    text = {
        "metadata": f"metadata: {{a: !string {{file: {name}}}}}",
        "array": f"metadata: {{a: !string {{array: {name}}}}}",
        "tensor": f"tensors: {{w: {{shape: [1], data: {name}}}}}",
        "filler": f"filler: [{{at: 1, file: {name}}}]",
    }[place]
    with pytest.raises(BuildError) as caught:
        built(folder, text)
    assert caught.value.path == "line 1"


def test_a_manifest_that_is_a_link_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").write_text("{}")
    (tmp_path / "d").mkdir()
    (tmp_path / "d/manifest.yaml").symlink_to(tmp_path / "real")
    with pytest.raises(BuildError, match="link"):
        build_bytes(tmp_path / "d")


def test_more_tensors_than_descriptors(tmp_path: Path) -> None:
    tensors = tuple(Tensor(b"t.%d" % at, (8,), 0, F32_8) for at in range(2000))
    data = build(Model(tensors=tensors)).data
    exported(data, tmp_path / "d")
    result = build_model(tmp_path / "d", tmp_path / "out.gguf")
    assert (tmp_path / "out.gguf").read_bytes() == data
    assert result.nbytes_total == len(data)


def test_a_file_that_changes_meanwhile_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "w").write_bytes(bytes(4))
    (tmp_path / "manifest.yaml").write_text("tensors: {w: {shape: [1], data: w}}\n")

    def slow(text: str, files: Files) -> WritePlan:
        plan = plan_build(text, files)
        (tmp_path / "w").write_bytes(bytes(2))
        return plan

    monkeypatch.setattr("gguf_construct.manifest.build.plan_build", slow)
    with pytest.raises(gc.WriteError):
        build_model(tmp_path, tmp_path / "out.gguf")
    assert not (tmp_path / "out.gguf").exists()

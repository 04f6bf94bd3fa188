"""Against others: gguf.quants on random blocks, and the values that ggml itself decoded."""

from __future__ import annotations

import struct
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

from gguf_construct.quants import dequantize
from tests.quants.samples import CODEBOOK_TYPES, IDS, edge_blocks, random_blocks, single_bits
from tests.support.blocks import BLOCKS, swap_bytes, tensor_nbytes
from tests.support.require import need_shared

if TYPE_CHECKING:
    from pathlib import Path

PEER_TYPES = sorted(
    {"F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q2_K", "Q3_K", "Q4_K", "Q5_K"}
    | {"Q6_K", "TQ1_0", "TQ2_0", "MXFP4", "NVFP4", "IQ4_NL", "IQ4_XS", "IQ1_S", "IQ1_M"}
    | {"IQ2_XXS", "IQ2_XS", "IQ2_S", "IQ3_XXS", "IQ3_S"}
)


@pytest.mark.parametrize("name", PEER_TYPES)
def test_gguf_py_decodes_the_same_bits(name: str) -> None:
    pytest.importorskip("gguf", exc_type=ImportError)
    from gguf import GGMLQuantizationType, quants

    type = getattr(GGMLQuantizationType, name, None)
    if type is None:
        pytest.skip(f"the installed gguf does not know {name}")
    if name == "IQ2_XXS" and sys.byteorder == "big":
        pytest.skip("gguf-py takes its grid indices from words in the host's byte order")
    # Its byte order is that of the host; ours is told.
    data = random_blocks(name, 300)
    if BLOCKS[IDS[name]].elements > 1:
        data += edge_blocks(name)
    host = data if sys.byteorder == "little" else swap_bytes(IDS[name], data)
    with np.errstate(all="ignore"):
        theirs = quants.dequantize(np.frombuffer(host, np.uint8).reshape(1, -1), type)
    expected = single_bits(np.asarray(theirs, np.float32).reshape(-1))
    np.testing.assert_array_equal(single_bits(dequantize(data, IDS[name])), expected)


class Stored(NamedTuple):
    """A tensor's type and bytes."""

    type: int
    data: bytes


_VALUE_NBYTES = (1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8)


class Walk:
    """Just enough of a version 3 reader to find the tensors of a well-formed file."""

    def __init__(self, path: Path, order: str) -> None:
        self.data = path.read_bytes()
        self.order = "<" if order == "little" else ">"
        self.at = 8

    def number(self, code: str) -> int:
        """The next integer."""
        (value,) = struct.unpack_from(self.order + code, self.data, self.at)
        self.at += struct.calcsize(code)
        return int(value)

    def text(self) -> str:
        """The next string."""
        start = self.at + 8
        self.at = start + self.number("Q")
        return self.data[start : self.at].decode("utf-8", "replace")

    def skip(self, kind: int) -> None:
        """Pass over a value."""
        if kind == 8:
            self.text()
        elif kind == 9:
            element = self.number("I")
            for _ in range(self.number("Q")):
                self.skip(element)
        else:
            self.at += _VALUE_NBYTES[kind]

    def tensors(self) -> dict[str, Stored]:
        """All tensors by name."""
        num_tensors, num_pairs = self.number("Q"), self.number("Q")
        for _ in range(num_pairs):
            assert self.text() != "general.alignment"
            self.skip(self.number("I"))
        infos = []
        for _ in range(num_tensors):
            name, dims = self.text(), [self.number("Q") for _ in range(self.number("I"))]
            infos.append((name, tuple(dims), self.number("I"), self.number("Q")))
        base = (self.at + 31) // 32 * 32
        return {
            name: Stored(kind, self.data[base + offset :][: tensor_nbytes(kind, dims)])
            for name, dims, kind, offset in infos
        }


def ggml_values() -> dict[str, Any]:
    """What ggml decoded, by tensor name."""
    with np.load(need_shared() / "fixtures" / "endian" / "values.npz") as archive:
        return {name: archive[name] for name in archive.files}


def check_against_ggml(stored: Stored, expected: Any, order: str) -> None:
    """Fail unless all values have the bits that ggml gave them."""
    values = dequantize(stored.data, stored.type, byte_order=order).astype(np.float32, copy=False)
    assert values.tobytes() == np.asarray(expected, np.float32).reshape(-1).tobytes()


@pytest.mark.parametrize("with_codebook", [False, True])
def test_ggml_decodes_the_same_bits(with_codebook: bool) -> None:
    if with_codebook:
        pytest.importorskip("gguf", exc_type=ImportError)
    values = ggml_values()
    tensors = Walk(need_shared() / "fixtures" / "endian" / "le.gguf", "little").tensors()
    chosen = [
        name
        for name in values
        if (BLOCKS[tensors[name].type].name in CODEBOOK_TYPES) == with_codebook
    ]
    assert len(chosen) >= 7
    for name in chosen:
        stored = tensors[name]
        check_against_ggml(stored, values[name], "little")
        swapped = stored._replace(data=swap_bytes(stored.type, stored.data))
        check_against_ggml(swapped, values[name], "big")


def test_the_file_of_a_big_endian_ggml_holds_the_same_values() -> None:
    values = ggml_values()
    tensors = Walk(need_shared() / "fixtures" / "endian" / "be.gguf", "big").tensors()
    checked = 0
    for name, expected in values.items():
        # A big-endian ggml searches the codebooks in another order: other blocks, other values.
        if BLOCKS[tensors[name].type].name not in CODEBOOK_TYPES:
            check_against_ggml(tensors[name], expected, "big")
            checked += 1
    assert checked > 15

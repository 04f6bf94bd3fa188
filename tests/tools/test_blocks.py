"""The block table is derived from fields, and a schema that contradicts itself is refused."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tools.emit.blocks import blocks_of
from tools.generate import SPEC
from tools.ksy.errors import SchemaError
from tools.ksy.load import load
from tools.ksy.resolve import resolve

if TYPE_CHECKING:
    from tools.ksy.nodes import Schema


def _schema(change: tuple[str, str] | None = None) -> Schema:
    def read(name: str) -> str:
        text = Path(SPEC / f"{name}.ksy").read_text()
        if change and name == "ggml":
            assert change[0] in text
            text = text.replace(*change, 1)
        return text

    return resolve(load("gguf", read))


def test_sizes_follow_from_fields() -> None:
    table = {block.member: block for block in blocks_of(_schema())}
    assert len(table) == 35
    # Sizes by hand from the C structs: a half and 16 bytes; 2 halves, 12 and 128 bytes.
    assert (table["q4_0"].nbytes, table["q4_0"].swap) == (18, ((2, 1), (1, 16)))
    assert (table["q4_k"].nbytes, table["q4_k"].swap) == (144, ((2, 2), (1, 140)))
    assert table["q5_0"].swap == ((2, 1), (4, 1), (1, 16))
    assert table["mxfp4"].swap == ((1, 17),)


CONTRADICTIONS = [
    (("-bytes: 18", "-bytes: 19"), "'-bytes' is 19, but the fields take 18"),
    (("-elements: 256", "-elements: 255"), "255 in its block"),
    (("-type: f2", "-type: f4"), "is not 2 bytes wide"),
    (("-type: f2", "-type: f3"), "unknown '-type'"),
    (("-ggml-type: q4_0", "-ggml-type: q4_1"), "must be 'q4_0'"),
    (("        'ggml_type::q8_k': block_q8_k\n", ""), r"types without a block: \[15\]"),
]


@pytest.mark.parametrize(("change", "words"), CONTRADICTIONS)
def test_contradictions_are_refused(change: tuple[str, str], words: str) -> None:
    with pytest.raises(SchemaError, match=words):
        blocks_of(_schema(change))

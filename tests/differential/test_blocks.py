"""Block layouts: the table typed in by hand, the generated one, and what Kaitai reads."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

import pytest

from gguf_construct._generated import types
from gguf_construct.core.kaitai_reader import load_kaitai
from tests.support.blocks import BLOCKS, REMOVED
from tests.support.cases import CASES
from tests.support.engines import KAITAI_PY

if TYPE_CHECKING:
    from collections.abc import Iterator

_LETTERS = {"u": "BHIQ", "s": "bhiq", "f": "  fd"}


def test_generated_table_is_the_typed_in_one() -> None:
    assert set(types.BLOCKS) == set(BLOCKS)
    assert set(types.REMOVED_TYPES) == set(REMOVED)
    for type_id, block in BLOCKS.items():
        layout = types.BLOCKS[type_id]
        found = (layout.name, layout.num_elements, layout.nbytes)
        assert found == (block.name, block.elements, block.nbytes)
        assert _spread(layout.swap) == _spread(block.fields)
        assert types.GGMLType(type_id).name == block.name


def _spread(runs: tuple[tuple[int, int], ...]) -> list[int]:
    """The width of the item that each byte belongs to."""
    return [width for width, count in runs for _ in range(width * count)]


def _pieces(layout: types.BlockLayout, block: Any, order: str) -> Iterator[bytes]:
    """The block's bytes, packed again from the fields that Kaitai read."""
    for field in layout.fields:
        value = getattr(block, field.name)
        if isinstance(value, bytes):
            yield value
            continue
        values = value if isinstance(value, list) else [value]
        kind = "f" if field.type in ("f4", "f8") else "s" if field.type[0] == "s" else "u"
        letter = _LETTERS[kind][field.width.bit_length() - 1]
        yield struct.pack(f"{order}{len(values)}{letter}", *values)


@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize("type_id", BLOCKS, ids=lambda type_id: BLOCKS[type_id].name)
def test_kaitai_reads_the_blocks_of_tensors(type_id: int, order: str) -> None:
    KAITAI_PY.need()
    layout = types.BLOCKS[type_id]
    case = CASES[f"type-{layout.name}-{order}"]
    info = load_kaitai().Gguf.from_bytes(case.data).body.tensor_infos[0]
    prefix = "<" if order == "little" else ">"
    found = b"".join(
        piece for block in info.data.blocks for piece in _pieces(layout, block, prefix)
    )
    assert found == case.built.model.tensors[0].data

"""Sizes and positions in the data section."""

from __future__ import annotations

import pytest

from gguf_construct.core.sizes import align_up, is_whole_rows, tensor_nbytes
from tests.support import unknown
from tests.support.blocks import BLOCKS, REMOVED


@pytest.mark.parametrize(
    ("offset", "alignment", "aligned"),
    [
        (0, 32, 0),
        (1, 32, 32),
        (31, 32, 32),
        (32, 32, 32),
        (33, 32, 64),
        (7, 1, 7),
        (7, 3, 9),
        (2**63 + 1, 32, 2**63 + 32),
    ],
)
def test_align_up(offset: int, alignment: int, aligned: int) -> None:
    assert align_up(offset, alignment) == aligned


@pytest.mark.parametrize("type_id", sorted(BLOCKS))
def test_rows_are_whole_blocks(type_id: int) -> None:
    block = BLOCKS[type_id]
    assert is_whole_rows((block.elements,), type_id)
    assert tensor_nbytes((block.elements, 3, 2), type_id) == 6 * block.nbytes
    assert tensor_nbytes((2 * block.elements,), type_id) == 2 * block.nbytes
    assert tensor_nbytes((0, 5), type_id) == 0
    is_plain = block.elements == 1
    assert is_whole_rows((), type_id) is is_plain
    assert tensor_nbytes((), type_id) == (block.nbytes if is_plain else None)
    if not is_plain:
        assert tensor_nbytes((block.elements + 1,), type_id) is None
        assert tensor_nbytes((1, block.elements), type_id) is None


@pytest.mark.parametrize("type_id", [*sorted(REMOVED), unknown.TENSOR_TYPE, -1])
def test_types_without_a_layout_have_no_size(type_id: int) -> None:
    assert not is_whole_rows((32,), type_id)
    assert tensor_nbytes((32,), type_id) is None


def test_sizes_do_not_overflow() -> None:
    assert tensor_nbytes((2**40, 2**40), 0) == 2**82

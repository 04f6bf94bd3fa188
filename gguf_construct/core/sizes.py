"""Sizes and positions in the data section, in plain integers without overflow.

Source: ggml_nbytes and ggml_row_size in ggml.c, GGML_PAD in ggml.h.
"""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from .._generated.types import BLOCKS

if TYPE_CHECKING:
    from collections.abc import Sequence


def align_up(offset: int, alignment: int) -> int:
    """The first multiple of `alignment` that is not below `offset`; any alignment above 0."""
    return -(-offset // alignment) * alignment


def is_whole_rows(dims: Sequence[int], type: int) -> bool:
    """Whether the first dimension is a whole number of blocks of a known type."""
    return type in BLOCKS and (dims[0] if dims else 1) % BLOCKS[type].num_elements == 0


def tensor_nbytes(dims: Sequence[int], type: int) -> int | None:
    """Bytes that a tensor takes, without padding.

    Args:
        dims: dimensions in file order; none at all for a scalar.
        type: the ggml type id.

    Returns:
        None when the type's layout is unknown or gone, or a row is not a whole number of blocks.
    """
    if not is_whole_rows(dims, type):
        # A scalar of a block type cannot exist either: one element does not fill a block.
        return None
    block = BLOCKS[type]
    return prod(dims) // block.num_elements * block.nbytes

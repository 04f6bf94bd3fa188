"""The values of a tensor piece by piece, wherever they come from, in bounded memory."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..core.tensors import DataBytes, TensorInfo

PIECE = 1 << 18
"""Elements of a piece: a multiple of the elements of every block."""


class BlockData(NamedTuple):
    """Bytes of a ggml type, and their byte order ("little" or "big")."""

    data: DataBytes | bytes
    type: int
    byte_order: str


class Values(NamedTuple):
    """Values that can be walked more than once.

    Attributes:
        name: for messages.
        shape: in numpy's order.
        type_name: what they are stored as, such as ``Q4_K`` or ``float16``.
        pieces: gives one-dimensional arrays of PIECE elements (the last may be shorter).
        blocks: the bytes that they are decoded from, if they are of a ggml type.
    """

    name: str
    shape: tuple[int, ...]
    type_name: str
    pieces: Callable[[], Iterator[Any]]
    blocks: BlockData | None = None

    @property
    def num_elements(self) -> int:
        """Number of values; those of no dimensions are one."""
        return prod(self.shape)


def tensor_values(tensor: TensorInfo) -> Values:
    """The values of a tensor of a GGUF file.

    Raises:
        BuildError: the layout of its type is not known, or rows are not whole blocks.
        TruncatedError: its data is not all in the file.
    """
    tensor.require_layout()
    blocks = BlockData(tensor.pieces, tensor.type, tensor.byte_order)
    return block_values(tensor.name, tensor.shape, blocks)


def block_values(name: str, shape: tuple[int, ...], blocks: BlockData) -> Values:
    """The values in bytes of a ggml type."""
    from ..quants import dequantize
    from ..quants.dtypes import layout_of

    layout = layout_of(blocks.type)
    step = PIECE // layout.num_elements * layout.nbytes

    def pieces() -> Iterator[Any]:
        for start in range(0, len(blocks.data), step):
            part = blocks.data[start : start + step]
            yield dequantize(part, blocks.type, byte_order=blocks.byte_order)

    return Values(name, shape, layout.name, pieces, blocks)

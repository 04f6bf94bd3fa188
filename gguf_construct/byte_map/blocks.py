"""The place of a byte inside tensor data: block, field of the block, elements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from .._generated.types import BLOCKS
from ..errors import GGUFError
from .spans import TensorBytes

if TYPE_CHECKING:
    from .._generated.types import BlockField, BlockLayout
    from ..core.document import Document
    from ..core.tensors import TensorInfo
    from ..runtime.tracing import Span


class BlockPlace(NamedTuple):
    """A byte inside a block of a tensor.

    `block` counts from 0 over the whole tensor, `start` and `end` are the block's absolute
    offsets.  `field` is the block's field and `item` the number of the item in it, from 0.
    `elements` is the range of the tensor's elements that the block holds, in file order, and
    `position` the first one's index along each dimension, in file order.  `value` is the item
    decoded and `values` the block's elements; both are None when the block is cut or its
    codebook is not installed.
    """

    layout: BlockLayout
    block: int
    num_blocks: int
    start: int
    end: int
    field: BlockField
    item: int
    elements: range
    position: tuple[int, ...]
    value: Any
    values: list[float] | None


def block_place(document: Document, span: Span, offset: int) -> BlockPlace | None:
    """Where in its block the byte at absolute `offset` lies.

    None for a span that is not tensor data, or of a type whose layout is not known.
    """
    if not isinstance(span.value, TensorBytes):
        return None
    tensor = document.tensors.all[span.value.tensor]
    layout, nbytes = BLOCKS.get(tensor.type), tensor.nbytes
    if layout is None or nbytes is None:
        return None
    block, within = divmod(offset - tensor.data_offset, layout.nbytes)
    start = tensor.data_offset + block * layout.nbytes
    field = next(f for f in reversed(layout.fields) if f.offset <= within)
    item = (within - field.offset) // field.width
    first = block * layout.num_elements
    value, values = _decoded(document, tensor, start, layout, field, item)
    return BlockPlace(
        layout,
        block,
        nbytes // layout.nbytes,
        start,
        start + layout.nbytes,
        field,
        item,
        range(first, first + layout.num_elements),
        _position(first, tensor.dims),
        value,
        values,
    )


def _position(element: int, dims: tuple[int, ...]) -> tuple[int, ...]:
    position = []
    for dim in dims:
        element, at = divmod(element, dim)
        position.append(at)
    return tuple(position)


def _decoded(
    document: Document,
    tensor: TensorInfo,
    start: int,
    layout: BlockLayout,
    field: BlockField,
    item: int,
) -> tuple[Any, list[float] | None]:
    from ..quants.inspect import block_fields

    raw = bytes(document.buffer[start : start + layout.nbytes])
    if len(raw) < layout.nbytes:
        return None, None
    try:
        block = block_fields(raw, tensor.type, document.byte_order)
    except GGUFError:
        return None, None
    decoded = next(one for one in block.fields if one.field.name == field.name)
    value = decoded.value if field.count == 1 else decoded.value[item]
    return value, block.elements.tolist()

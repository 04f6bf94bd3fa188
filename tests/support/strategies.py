"""Hypothesis strategies: whole documents as builder inputs, so the truth is known beforehand."""

from __future__ import annotations

from hypothesis import strategies as st

from . import builders as b
from .blocks import BLOCKS, swap_bytes, tensor_bytes
from .builders import Array, ByteOrder, Model, Pair, Tensor, Value

_BITS = {
    b.UINT8: (0, 8),
    b.INT8: (-1, 8),
    b.UINT16: (0, 16),
    b.INT16: (-1, 16),
    b.UINT32: (0, 32),
    b.INT32: (-1, 32),
    b.FLOAT32: (0, 32),
    b.BOOL: (0, 8),
    b.UINT64: (0, 64),
    b.INT64: (-1, 64),
    b.FLOAT64: (0, 64),
}
ORDERS: st.SearchStrategy[ByteOrder] = st.sampled_from((b.LITTLE, b.BIG))
VERSIONS = st.sampled_from((1, 2, 3))
ALIGNMENTS = st.sampled_from((1, 2, 4, 8, 16, 32, 64, 128))


def payloads(type_id: int) -> st.SearchStrategy[int | bytes]:
    """Canonical payloads of a scalar type or of strings: any bits, any bytes."""
    if type_id == b.STRING:
        return strings()
    sign, width = _BITS[type_id]
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if sign else (0, (1 << width) - 1)
    return st.integers(low, high)


def strings(max_size: int = 12) -> st.SearchStrategy[bytes]:
    """Text, and bytes that are no text."""
    return st.one_of(st.binary(max_size=max_size), st.text(max_size=max_size // 4).map(str.encode))


@st.composite
def arrays(draw: st.DrawFn, depth: int = 2) -> Array:
    """Arrays of every element type, empty ones too; nested up to `depth` more levels."""
    types = [*b.SCALARS, b.STRING, *([b.ARRAY] * 3 if depth else [])]
    type_id = draw(st.sampled_from(types))
    if type_id == b.ARRAY:
        return Array(type_id, tuple(draw(st.lists(arrays(depth=depth - 1), max_size=3))))
    return Array(type_id, tuple(draw(st.lists(payloads(type_id), max_size=5))))


@st.composite
def values(draw: st.DrawFn, nested: bool = True) -> Value:
    """A value of any type."""
    type_id = draw(st.sampled_from([*b.SCALARS, b.STRING, b.ARRAY, b.ARRAY]))
    if type_id == b.ARRAY:
        return Value(type_id, draw(arrays(depth=2 if nested else 0)))
    return Value(type_id, draw(payloads(type_id)))


def keys() -> st.SearchStrategy[bytes]:
    """Usual keys and odd ones; never empty, never the alignment."""
    usual = st.from_regex(r"[a-z]{1,5}(\.[a-z_]{1,5}){0,2}", fullmatch=True).map(str.encode)
    odd = st.binary(min_size=1, max_size=20)
    return st.one_of(usual, odd).filter(lambda key: key != b"general.alignment")


@st.composite
def tensors(draw: st.DrawFn, name: bytes, order: ByteOrder) -> Tensor:
    """A small tensor of any living type, 0 to 4 dims, zeros among them."""
    type_id = draw(st.sampled_from(sorted(BLOCKS)))
    elements = BLOCKS[type_id].elements
    rest = draw(st.lists(st.integers(0, 3), max_size=3))
    dims = (elements * draw(st.integers(0, 3)), *rest)
    if elements == 1 and not rest and draw(st.booleans()):
        dims = ()
    data = tensor_bytes(type_id, dims, draw(st.integers(0, 3)))
    return Tensor(name, dims, type_id, data if order == b.LITTLE else swap_bytes(type_id, data))


@st.composite
def models(
    draw: st.DrawFn,
    versions: st.SearchStrategy[int] = VERSIONS,
    orders: st.SearchStrategy[ByteOrder] = ORDERS,
    nested: bool = True,
) -> Model:
    """A sound document: unique keys and names, tensors in canonical layout."""
    order = draw(orders)
    names = draw(st.lists(keys(), max_size=6, unique=True))
    pairs = [Pair(key, draw(values(nested))) for key in names]
    if draw(st.booleans()):
        pair = Pair(b"general.alignment", b.u32(draw(ALIGNMENTS)))
        pairs.insert(draw(st.integers(0, len(pairs))), pair)
    tensor_names = draw(
        st.lists(strings(), max_size=4, unique_by=lambda name: name.split(b"\0")[0])
    )
    return Model(
        tuple(pairs),
        tuple(draw(tensors(name, order)) for name in tensor_names),
        draw(versions),
        order,
        pad_end=draw(st.booleans()),
        pad_byte=draw(st.sampled_from((0, 0, 0xAA))),
        tail=draw(st.sampled_from((b"", b"", b"tail"))),
    )

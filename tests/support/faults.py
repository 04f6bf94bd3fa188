"""Copies of a model with one fault each: a tensor or key left out, a value or type changed.

Strategy: the file is read and written by the suite's own plain code, so that nothing of the
library is between the fault and those that judge it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from .builders import (
    ARRAY,
    BOOL,
    FLOAT32,
    INT32,
    STRING,
    UINT16,
    UINT32,
    UINT64,
    Array,
    Model,
    Pair,
    Tensor,
    Value,
    build,
    f32_bits,
    f64_bits,
)
from .seen import read_plainly

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Fault", "faults", "model_of"]

_F32, _F16, _I32, _F64, _Q8_0 = 0, 1, 26, 28, 8
_Q8_BLOCK, _Q8_NBYTES = 32, 34


class Fault(NamedTuple):
    """A damaged copy.  `kind`: tensor-left-out, key-left-out, value, type, shape, tensor-type."""

    kind: str
    what: str
    model: Model


def model_of(data: bytes) -> Model:
    """A sound little-endian file as a model that `build` writes again."""
    seen, _ = read_plainly(data)
    pairs = tuple(Pair(key, value) for key, value in seen.metadata)
    start = seen.data_start or 0
    tensors = []
    ends = sorted({start + offset for _, _, _, offset in seen.tensors} | {len(data)})
    for name, dims, type_id, offset in seen.tensors:
        first = start + offset
        size = _nbytes(dims, type_id)
        end = first + size if size is not None else ends[ends.index(first) + 1]
        tensors.append(Tensor(name, dims, type_id, data[first:end]))
    return Model(pairs, tuple(tensors))


def _nbytes(dims: tuple[int, ...], type_id: int) -> int | None:
    count = 1
    for dim in dims:
        count *= dim
    each = {_F32: 4, _F16: 2, _I32: 4, _F64: 8, 30: 2}.get(type_id)
    if type_id == _Q8_0:
        return count // _Q8_BLOCK * _Q8_NBYTES
    return None if each is None else count * each


def faults(model: Model) -> Iterator[Fault]:
    """Every single fault of the kinds above, keys first, in file order."""
    for at, pair in enumerate(model.pairs):
        name = _text(pair.key)
        yield Fault("key-left-out", name, _without_pair(model, at))
        for what, value in _other_values(pair.value):
            yield Fault("value", f"{name} {what}", _with_value(model, at, value))
        for what, value in _other_types(pair.value):
            yield Fault("type", f"{name} {what}", _with_value(model, at, value))
    for at, tensor in enumerate(model.tensors):
        name = _text(tensor.name)
        tensors = model.tensors[:at] + model.tensors[at + 1 :]
        yield Fault("tensor-left-out", name, replace(model, tensors=tensors))
        for kind, what, other in _other_tensors(tensor):
            tensors = (*model.tensors[:at], other, *model.tensors[at + 1 :])
            yield Fault(kind, f"{name} {what}", replace(model, tensors=tensors))


def _text(name: object) -> str:
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)


def _without_pair(model: Model, at: int) -> Model:
    return replace(model, pairs=model.pairs[:at] + model.pairs[at + 1 :])


def _with_value(model: Model, at: int, value: Value) -> Model:
    changed = model.pairs[at]._replace(value=value)
    return replace(model, pairs=(*model.pairs[:at], changed, *model.pairs[at + 1 :]))


def _other_values(value: Value) -> Iterator[tuple[str, Value]]:
    payload = value.payload
    if value.type == BOOL:
        yield "flipped", value._replace(payload=1 - (payload & 1))
    elif value.type == FLOAT32:
        yield "negated", value._replace(payload=payload ^ 1 << 31)
        yield "is 0", value._replace(payload=0)
        yield "is 3", value._replace(payload=f32_bits(3.0))
    elif value.type == STRING:
        yield "+ x", value._replace(payload=payload + b"x")
        yield "is empty", value._replace(payload=b"")
    elif value.type == ARRAY:
        yield from _other_arrays(value)
    else:
        for what, number in (("+ 1", payload + 1), ("x 2", payload * 2), ("is 0", 0)):
            if number != payload:
                yield what, value._replace(payload=number)


def _other_arrays(value: Value) -> Iterator[tuple[str, Value]]:
    array: Array = value.payload
    if not array.items:
        return
    yield "is shorter", value._replace(payload=array._replace(items=array.items[:-1]))
    longer = (*array.items, array.items[-1])
    yield "is longer", value._replace(payload=array._replace(items=longer))
    if isinstance(array.items[0], int) and array.type != BOOL:
        first = (array.items[0] + 1, *array.items[1:])
        yield "[0] + 1", value._replace(payload=array._replace(items=first))


def _other_types(value: Value) -> Iterator[tuple[str, Value]]:
    payload = value.payload
    if value.type == ARRAY:
        yield from _other_element_types(value)
        return
    if value.type == STRING:
        yield "as uint32", Value(UINT32, 1)
        yield "as [string]", Value(ARRAY, Array(STRING, (payload,)))
        return
    number = payload if value.type != FLOAT32 else 1
    for what, type_id in (("int32", INT32), ("uint64", UINT64), ("uint16", UINT16)):
        if type_id != value.type:
            yield f"as {what}", Value(type_id, number % 2**16)
    if value.type != FLOAT32:
        yield "as float32", Value(FLOAT32, f32_bits(float(number)))
    else:
        yield "as float64", Value(12, f64_bits(1.0))
    if value.type != UINT32:
        yield "as uint32", Value(UINT32, number % 2**32)
    yield "as string", Value(STRING, b"1")
    yield "as an array", Value(ARRAY, Array(value.type, (payload,)))


def _other_element_types(value: Value) -> Iterator[tuple[str, Value]]:
    array: Array = value.payload
    if array.type == STRING:
        yield "of uint32", Value(ARRAY, Array(UINT32, tuple(range(len(array.items)))))
        yield "as a string", Value(STRING, b"x")
        return
    numbers = tuple(int(item) if isinstance(item, int) else 0 for item in array.items)
    for what, type_id in (("uint32", UINT32), ("int32", INT32), ("uint64", UINT64)):
        if type_id != array.type:
            yield f"of {what}", Value(ARRAY, Array(type_id, tuple(one % 2**31 for one in numbers)))
    if array.type != FLOAT32:
        yield "of float32", Value(ARRAY, Array(FLOAT32, tuple(f32_bits(1.0) for _ in numbers)))
    yield "as uint32", Value(UINT32, 1)


def _other_tensors(tensor: Tensor) -> Iterator[tuple[str, str, Tensor]]:
    dims = tensor.dims
    for index in range(len(dims)):
        doubled = (*dims[:index], dims[index] * 2, *dims[index + 1 :])
        yield "shape", f"dims[{index}] x 2", _resized(tensor, doubled)
    if len(dims) > 1 and dims[0] != dims[1]:
        swapped = (dims[1], dims[0], *dims[2:])
        yield "shape", "turned", tensor._replace(dims=swapped)
    yield "shape", "with a dimension of 2", _resized(tensor, (*dims, 2))
    for what, type_id in (("F32", _F32), ("F16", _F16), ("I32", _I32), ("F64", _F64)):
        if type_id != tensor.type:
            yield "tensor-type", f"as {what}", _resized(tensor._replace(type=type_id), dims)
    if dims and dims[0] % _Q8_BLOCK == 0 and tensor.type != _Q8_0:
        yield "tensor-type", "as Q8_0", _resized(tensor._replace(type=_Q8_0), dims)


def _resized(tensor: Tensor, dims: tuple[int, ...]) -> Tensor:
    size = _nbytes(dims, tensor.type)
    if size is None:
        size = len(tensor.data) * 2
    return tensor._replace(dims=dims, data=bytes(size))


def written(fault: Fault) -> bytes:
    """The bytes of a damaged copy."""
    return build(fault.model).data

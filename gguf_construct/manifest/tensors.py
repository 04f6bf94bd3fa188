"""The tensors of a manifest: entries with type, shape and where their bytes come from."""

from __future__ import annotations

from struct import Struct
from struct import error as struct_error
from typing import TYPE_CHECKING, Any, NamedTuple

from .._generated.types import BLOCKS, GGMLType
from ..core.chunks import Chunk, Copy, Literal, Swap, Zeros
from ..core.sizes import tensor_nbytes
from ..core.tensors import type_name
from ..editing.assignment import parse_float
from ..errors import BuildError
from ..runtime.views import number_format
from . import npy
from .optional import read_optional
from .yaml_values import parse_key

if TYPE_CHECKING:
    from .values import Files
    from .yaml_read import Node

_MAX_VALUES = 1 << 20
_MAX_NUMBER = 2**64 - 1


class TensorSpec(NamedTuple):
    """A tensor to build.

    Attributes:
        name: its bytes.
        type: the ggml type id.
        dims: in file order.
        offset: in the data section, or None for the next place.
        chunk: its bytes.
        line: where the manifest has it.
        optional: fields of its tensor info that only some versions have.
    """

    name: bytes
    type: int
    dims: tuple[int, ...]
    offset: int | None
    chunk: Chunk
    line: int
    optional: dict[str, Any]


def read_tensor(key: Node, node: Node, order: str, files: Files) -> TensorSpec:
    """One entry of the manifest, for a file of byte order `order` ("<" or ">").

    Raises:
        BuildError: the entry is incomplete or contradicts itself; with the line.
    """
    fields = node.fields("type", "shape", "dims", "offset", "data", "values", "fill", "header")
    sources = [name for name in ("data", "values", "fill") if name in fields]
    if len(sources) != 1:
        node.fail("a tensor needs one of data: FILE, values: [...] and fill: zeros")
    type = _type(fields["type"]) if "type" in fields else None
    dims = _dims(node, fields)
    if "data" in fields:
        type, dims, chunk = _from_file(node, fields["data"], type, dims, order, files)
    elif "values" in fields:
        type, dims, chunk = _from_values(fields["values"], type, dims, order)
    else:
        type, dims, chunk = _filled(node, fields["fill"], type, dims)
    expected = tensor_nbytes(dims, type)
    if expected is not None and expected != chunk.nbytes:
        node.fail(
            f"{type_name(type)} of shape {list(dims[::-1])} takes {expected} bytes, "
            f"the data has {chunk.nbytes}"
        )
    offset = _number(fields["offset"]) if "offset" in fields else None
    optional = read_optional("tensor_info", fields.get("header"))
    return TensorSpec(parse_key(key), type, dims, offset, chunk, node.line, optional)


def _type(node: Node) -> int:
    text = node.text
    if text.isdecimal():
        return _number(node, 2**32 - 1)
    try:
        return GGMLType[text.upper()]
    except KeyError:
        node.fail(
            f"{text[:40]!r} is not a tensor type", f"types are {', '.join(GGMLType.__members__)}"
        )


def _number(node: Node, maximum: int = _MAX_NUMBER) -> int:
    text = node.text
    try:
        number = int(text, 0)
    except ValueError:
        node.fail(f"{text[:40]!r} is not a number")
    if not 0 <= number <= maximum:
        node.fail(f"{number} is not within 0 and {maximum}")
    return number


def _dims(node: Node, fields: dict[str, Node]) -> tuple[int, ...] | None:
    """File order: `dims` as they are, `shape` reversed."""
    found = None
    if "dims" in fields:
        found = tuple(_number(item) for item in fields["dims"].items)
    if "shape" in fields:
        shape = tuple(_number(item) for item in fields["shape"].items)[::-1]
        if found is not None and found != shape:
            node.fail("dims is not the reverse of shape", "one of the two is enough")
        found = shape
    return found


def _from_file(
    node: Node,
    path: Node,
    type: int | None,
    dims: tuple[int, ...] | None,
    order: str,
    files: Files,
) -> tuple[int, tuple[int, ...], Chunk]:
    try:
        source, size = files.locate(path.text)
        if not path.text.endswith(".npy"):
            if dims is None:
                node.fail("the shape is missing", "only .npy files know theirs")
            return GGMLType.F32 if type is None else type, dims, Copy(0, size, source)
        header = npy.read_npy_header(files.head(path.text, npy.MAX_HEADER_NBYTES))
    except BuildError as error:
        if error.path is not None:
            raise
        path.fail(error.message, error.hint)
    found = npy.type_of(header)
    if type is None:
        type = found
    if type is None or (found != type and npy.dtype_of(type, "<") is not None):
        path.fail(f"the array is not {type_name(type) if type is not None else 'tensor data'}")
    shape = header.shape[::-1]
    if dims is None:
        dims = shape
    if npy.dtype_of(type, "<") is not None and dims != shape:
        node.fail(f"the array has the shape {list(header.shape)}, not {list(dims[::-1])}")
    start, nbytes = header.nbytes, size - header.nbytes
    if order == header.order or header.width == 1:
        return type, dims, Copy(start, nbytes, source)
    if nbytes % header.width:
        path.fail(f"{nbytes} bytes are not a whole number of elements")
    return type, dims, Swap(start, nbytes, ((header.width, 1),), source)


def _from_values(
    node: Node, type: int | None, dims: tuple[int, ...] | None, order: str
) -> tuple[int, tuple[int, ...], Chunk]:
    type = GGMLType.F32 if type is None else type
    layout = BLOCKS.get(type)
    if layout is None or layout.num_elements > 1:
        node.fail(f"values cannot be given for {type_name(type)}", "name a file with data: FILE")
    shape = _shape(node)
    flat: list[Any] = []
    _flatten(node, shape, flat)
    if dims is None:
        dims = shape[::-1]
    field = layout.fields[0]
    try:
        data = b"".join([_encoded(field.type, field.width, one, order) for one in flat])
    except (struct_error, OverflowError, ValueError) as error:
        node.fail(f"the values do not fit {layout.name}: {error}")
    return type, dims, Literal(data)


def _encoded(kind: str, width: int, text: str, order: str) -> bytes:
    if kind == "bf2":
        # The upper half of a float32, rounded to the nearest, to even on a tie.
        number = parse_float(text, "floats")
        (bits,) = Struct("<I").unpack(Struct("<f").pack(number))
        upper = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 if number == number else 0x7FC0
        return Struct(f"{order}H").pack(upper)
    value = parse_float(text, "floats") if kind[0] == "f" else int(text, 0)
    return Struct(order + number_format(kind[0], width)).pack(value)


def _shape(node: Node) -> tuple[int, ...]:
    """numpy's shape of nested lists, by their first elements."""
    if node.kind != "list":
        return ()
    items = node.items
    return (len(items), *(_shape(items[0]) if items else ()))


def _flatten(node: Node, shape: tuple[int, ...], into: list[Any]) -> None:
    if not shape:
        into.append(node.text)
        if len(into) > _MAX_VALUES:
            node.fail(f"more than {_MAX_VALUES} values", "name a .npy file with data: FILE")
        return
    if node.kind != "list" or len(node.items) != shape[0]:
        node.fail(f"a list of {shape[0]} is expected here, as in the rows before")
    for item in node.items:
        _flatten(item, shape[1:], into)


def _filled(
    node: Node, fill: Node, type: int | None, dims: tuple[int, ...] | None
) -> tuple[int, tuple[int, ...], Chunk]:
    if fill.text != "zeros":
        fill.fail("fill takes only zeros")
    if dims is None:
        node.fail("the shape is missing")
    type = GGMLType.F32 if type is None else type
    nbytes = tensor_nbytes(dims, type)
    if nbytes is None:
        node.fail(f"the size of {type_name(type)} of shape {list(dims[::-1])} is not known")
    if nbytes > 1 << 50:
        node.fail(f"{nbytes} bytes of zeros are too many")
    return type, dims, Zeros(nbytes)

"""Open a tensor of any file that holds some: GGUF, safetensors, numpy."""

from __future__ import annotations

import json
import os
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ..._generated.types import MAGIC, GGMLType
from ...comparison.tensor_values import PIECE, BlockData, Values, block_values, tensor_values
from ...core.codec import parse
from ...core.registry import close_matches
from ...core.tensors import DataBytes
from ...errors import BuildError, KeyNotFoundError, ParseError
from ..source.source import open_source

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..source.source import Source

_NPY_MAGIC = b"\x93NUMPY"
_MAX_HEADER_NBYTES = 100_000_000  # the limit of the safetensors library
_TYPES = {
    "F32": GGMLType.F32,
    "F16": GGMLType.F16,
    "BF16": GGMLType.BF16,
    "F64": GGMLType.F64,
    "I8": GGMLType.I8,
    "I16": GGMLType.I16,
    "I32": GGMLType.I32,
    "I64": GGMLType.I64,
}


def split_reference(text: str) -> tuple[str, str | None]:
    """``FILE`` or ``FILE:TENSOR`` as (path, tensor name); both parts may hold colons."""
    if os.path.exists(text):
        return text, None
    for at, letter in enumerate(text):
        if letter == ":" and os.path.exists(text[:at]):
            return text[:at], text[at + 1 :]
    return text, None


@contextmanager
def open_values(path: str, name: str | None, default: str) -> Iterator[Values]:
    """The values of a tensor of a file, valid inside the ``with`` block.

    Args:
        path: a GGUF, safetensors or .npy file, told apart by content.
        name: the tensor; without one, `default`, or the only tensor that there is.
        default: the name to look for.

    Raises:
        OSError: the file cannot be opened.
        ParseError: it is none of the three, or damaged.
        KeyNotFoundError: it has no such tensor.
        BuildError: the type of its elements is not known.
    """
    with open_source(path) as source:
        start = bytes(source.buffer[: len(_NPY_MAGIC)])
        if start == _NPY_MAGIC:
            yield _npy_values(path)
        elif start[: len(MAGIC)] != MAGIC and _is_safetensors(source):
            yield _safetensors_values(source, name, default)
        else:
            tensors = parse(source.buffer).tensors
            yield tensor_values(tensors[_choose(list(tensors), name, default)])


def _choose(names: Sequence[str], name: str | None, default: str) -> str:
    wanted = default if name is None else name
    if wanted in names:
        return wanted
    if name is None and len(names) == 1:
        return names[0]
    matches = tuple(close_matches(wanted, list(names)))
    hint = f"did you mean {' or '.join(matches)}?" if matches else "name one as FILE:TENSOR"
    raise KeyNotFoundError(f"no tensor {wanted!r}", hint=hint, key=wanted, matches=matches)


def _npy_values(path: str) -> Values:
    import numpy as np

    try:
        array: Any = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, SyntaxError) as error:
        raise ParseError(f"{path} is no readable .npy file: {error}") from error
    if array.dtype.kind not in "fiu":
        raise BuildError(f"{path}: elements of type {array.dtype} cannot be compared")
    flat = array.reshape(-1)

    def pieces() -> Iterator[Any]:
        for at in range(0, flat.size, PIECE):
            piece = flat[at : at + PIECE]
            yield np.asarray(piece, dtype=piece.dtype.newbyteorder("="))

    return Values(os.path.basename(path), tuple(array.shape), array.dtype.name, pieces)


def _is_safetensors(source: Source) -> bool:
    """Whether a file begins with the length of a JSON object, and the object."""
    length = int.from_bytes(source.buffer[:8], "little")
    return 2 <= length <= min(source.size - 8, _MAX_HEADER_NBYTES) and source.buffer[8:9] == b"{"


def _safetensors_values(source: Source, name: str | None, default: str) -> Values:
    data_start = 8 + int.from_bytes(source.buffer[:8], "little")
    try:
        header = json.loads(bytes(source.buffer[8:data_start]))
        names = [key for key in header if key != "__metadata__"]
    except (ValueError, RecursionError) as error:
        raise ParseError(f"{source.path}: its safetensors header is damaged: {error}") from error
    chosen = _choose(names, name, default)
    try:
        entry = header[chosen]
        type_name, shape = entry["dtype"], tuple(map(int, entry["shape"]))
        start, end = map(int, entry["data_offsets"])
    except (KeyError, TypeError, ValueError) as error:
        raise ParseError(f"{source.path}: the entry of {chosen!r} is damaged") from error
    if type_name not in _TYPES:
        known = ", ".join(_TYPES)
        raise BuildError(f"{chosen!r} holds {type_name}, which cannot be compared; only {known}")
    return _block_values(source, chosen, shape, _TYPES[type_name], data_start, (start, end))


def _block_values(
    source: Source,
    name: str,
    shape: tuple[int, ...],
    type: GGMLType,
    data_start: int,
    place: tuple[int, int],
) -> Values:
    from ...core.sizes import tensor_nbytes

    nbytes = place[1] - place[0]
    wanted = tensor_nbytes(shape[::-1], type)
    start = data_start + place[0]
    if wanted != nbytes or min(*shape, place[0], 0) < 0 or start + nbytes > source.size:
        raise ParseError(
            f"{source.path}: {name!r} should hold {wanted} bytes, but its entry gives {nbytes} "
            f"from {start} of {source.size}",
            offset=start,
        )
    data = DataBytes(source.buffer, start, nbytes)
    return block_values(name, shape, BlockData(data, type, "little"))

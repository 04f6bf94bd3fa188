"""Values that a manifest keeps in files: strings, lists of numbers or strings, nested lists."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn, Protocol

from .._generated.codec import codec
from .._generated.types import CANONICAL_ORDER, CANONICAL_VERSION, LIMITS, NUMBERS, Array, ValueType
from ..core.type_names import SCALARS, scalar_spec
from ..errors import BuildError
from ..runtime.views import READ_FAULTS, NumberArray
from . import npy
from .yaml_values import parse_node

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .yaml_read import Node

_TEXT, _ARRAY = "file", "array"


class Files(Protocol):
    """The folder of a manifest.  Every method raises BuildError for a path that leaves it."""

    def read(self, path: str) -> bytes:
        """All bytes of a small file."""

    def head(self, path: str, nbytes: int) -> bytes:
        """The first bytes of a file."""

    def locate(self, path: str) -> tuple[int, int]:
        """(number of the source, size) of a file that a plan copies from."""


def file_of(node: Node, path: Node, files: Files) -> bytes:
    """The bytes of a file that the manifest names.  Raises BuildError with the line."""
    try:
        return files.read(path.text)
    except BuildError as error:
        node.fail(error.message, error.hint)


def locate(path: Node, files: Files) -> tuple[int, int]:
    """Source number and size of a file that the manifest names.  Raises BuildError."""
    try:
        return files.locate(path.text)
    except BuildError as error:
        path.fail(error.message, error.hint)


def metadata_value(node: Node, specs: Sequence[str], files: Files | None) -> tuple[int, Any]:
    """Value type and codec value of a metadata value, in the manifest or in a file.

    Raises:
        BuildError: it is not a value of its type, or its file cannot be used; with the line.
    """
    if node.kind != "map":
        return parse_node(node, specs)
    if files is None:
        node.fail("a map is not a value", "start a value of several lines with |")
    fields = node.fields(_TEXT, _ARRAY)
    if len(fields) != 1:
        node.fail("name one file: {file: PATH} holds a text, {array: PATH} a list")
    if _TEXT in fields:
        if node.tag not in ("", "string"):
            node.fail(f"a file holds text, not !{node.tag}", "lists are named by {array: PATH}")
        return ValueType.STRING, file_of(node, fields[_TEXT], files)
    data = file_of(node, fields[_ARRAY], files)
    path = fields[_ARRAY].text
    if path.endswith(".npy"):
        return ValueType.ARRAY, _numbers(node, data, specs)
    if path.endswith(".jsonl"):
        return ValueType.ARRAY, _strings(node, data, path)
    return ValueType.ARRAY, _nested(node, data)


def _numbers(node: Node, data: bytes, specs: Sequence[str]) -> Array:
    try:
        header = npy.read_npy_header(data)
    except BuildError as error:
        node.fail(error.message, error.hint)
    wanted = node.tag or next((spec[1:-1] for spec in specs if spec[0] == "["), "")
    fitting = [scalar_spec(one) for one in NUMBERS if NUMBERS[one] == (header.kind, header.width)]
    if not fitting:
        kind = {"f": "float", "s": "int", "u": "uint"}[header.kind]
        node.fail(f"metadata has no {kind}{header.width * 8}")
    if wanted and wanted not in fitting:
        node.fail(f"the file holds {fitting[0]}, not {wanted}")
    element_type = SCALARS[wanted or fitting[0]]
    if len(header.shape) != 1:
        node.fail(f"the array has {len(header.shape)} dimensions, a list has one")
    count = header.shape[0]
    if header.nbytes + count * header.width != len(data):
        node.fail(f"{count} elements are stated, the file has {len(data) - header.nbytes} bytes")
    numbers = NumberArray(data, header.nbytes, count, header.order, header.kind, header.width)
    return Array(element_type=element_type, num_elements=count, elements=numbers)


def _strings(node: Node, data: bytes, path: str) -> Array:
    if node.tag not in ("", "string"):
        node.fail(f"a .jsonl file holds strings, not !{node.tag}")
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    try:
        values = json.loads(b"[" + b",".join(lines) + b"]")
        if len(values) != len(lines):
            raise ValueError
        items = [_item(value) for value in values]
    except (ValueError, RecursionError):
        _blame_line(node, lines, path)
    return Array(element_type=ValueType.STRING, num_elements=len(items), elements=items)


def _item(value: Any) -> bytes:
    if isinstance(value, str):
        return value.encode("utf-8")
    if isinstance(value, dict) and set(value) == {"base64"}:
        from base64 import b64decode

        return b64decode(value["base64"], validate=True)
    raise ValueError("neither a string nor an object with base64")


def _blame_line(node: Node, lines: list[bytes], path: str) -> NoReturn:
    for number, line in enumerate(lines, 1):
        try:
            _item(json.loads(line))
        except (ValueError, RecursionError) as error:
            node.fail(f"{path}, line {number}: {error}", "each line is a JSON string")
    raise AssertionError(path)


def _nested(node: Node, data: bytes) -> Array:
    if node.tag != scalar_spec(ValueType.ARRAY):
        node.fail("a list of numbers is a .npy file, one of strings a .jsonl file")
    read = codec(CANONICAL_ORDER).READ_ARRAY[CANONICAL_VERSION]
    array: Array | None = None
    end = -1
    with suppress(*READ_FAULTS):
        array, end = read(data, 0, len(data), LIMITS)
    if array is None or end != len(data):
        node.fail("the file is not an encoded array of arrays")
    return array

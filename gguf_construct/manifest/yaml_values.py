"""Metadata values as YAML with the value type as a tag, exactly, in both directions.

    general.name: Gemma 3              text needs no tag
    llama.block_count: !uint32 32      a number has its type
    some.flag: true                    !bool 2 for a byte that is neither 0 nor 1
    x.nan: !float32 nan(0x7fc12345)    a NaN with its bits; plain nan is the usual one
    x.raw: !bytes 'ok\\xff'             a string that is not UTF-8
    x.list: !int32 [1, 2]              the tag of a list is the type of its elements
    x.lists: !array [!int32 [1], !string [a]]

A number without a tag takes the type that the file, or the registry of standard keys, has.
"""

from __future__ import annotations

import re
from struct import Struct
from typing import TYPE_CHECKING, Any

from .._generated.types import NUMBERS, Array, ValueType
from ..core.registry import expected_types
from ..core.type_names import SCALARS, scalar_spec
from ..core.values import from_python
from ..editing.assignment import parse_float
from ..errors import GGUFError
from ..runtime.views import NaN, StringArray, number_format
from .yaml_write import bytes_scalar, parse_bytes, scalar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.field import Field
    from .yaml_read import Node

BYTES = "bytes"
_MAX_SIMPLE_KEY = 500
_USUAL_NAN = {4: 0x7FC00000, 8: 0x7FF8000000000000}
_NAN = re.compile(r"nan\((0x[0-9a-fA-F]+)\)")
_NUMBER = re.compile(
    r"[-+]?(0x[0-9a-fA-F]+|[0-9][0-9_]*|([0-9]*\.[0-9]+|[0-9]+\.?)([eE][-+]?[0-9]+)?)"
)
_NAMED_NUMBERS = frozenset({"nan", "inf", "-inf", ".nan", ".inf", "-.inf"})
_BOOLS = {"true": 1, "false": 0}


# -- writing ---------------------------------------------------------------------------------


def value_yaml(value_type: int, value: Any, *, is_tagged: bool = True) -> str:
    """A value on one line; without its tag where the list around it has it."""
    if value_type == ValueType.STRING:
        return _string_yaml(value)
    if value_type == ValueType.ARRAY:
        return _array_yaml(value)
    text = number_text(value_type, value)
    if value_type == ValueType.BOOL and value in (0, 1):
        return text
    return f"!{scalar_spec(value_type)} {text}" if is_tagged else text


def _string_yaml(data: bytes) -> str:
    try:
        return scalar(data.decode())
    except UnicodeDecodeError:
        return f"!{BYTES} {bytes_scalar(data)}"


def _array_yaml(array: Array) -> str:
    elements: Any = array.elements
    if isinstance(elements, StringArray):
        elements = elements.iter_raw()
    kind = array.element_type
    items = [value_yaml(kind, item, is_tagged=False) for item in elements]
    return f"!{scalar_spec(kind)} [{', '.join(items)}]"


def number_text(value_type: int, value: Any) -> str:
    """A number or boolean without its type."""
    if value_type == ValueType.BOOL:
        return bool_text(value)
    kind, width = NUMBERS[value_type]
    return _float_text(value, width) if kind == "f" else str(value)


def bool_text(byte: int) -> str:
    """A boolean; a byte that is neither 0 nor 1 as a number."""
    return str(byte) if byte > 1 else ("false", "true")[byte]


def _float_text(value: float, width: int) -> str:
    if value != value:
        bits = value.bits if isinstance(value, NaN) else _USUAL_NAN[width]
        return "nan" if bits == _USUAL_NAN[width] else f"nan(0x{bits:0{width * 2}x})"
    if value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    if width == NUMBERS[ValueType.FLOAT64][1]:
        return repr(value)
    coder = Struct("<" + number_format("f", width))
    for digits in range(6, 10):  # nine digits tell all float32 values apart
        text = repr(float(f"{value:.{digits}g}"))
        if coder.pack(float(text)) == coder.pack(value):
            return text
    return repr(value)


def tagged_yaml(field: Field, architecture: str | None) -> str:
    """The value of a pair on one line, tagged where its type would be taken for another one."""
    kind, value = field.record.value_type, field.record.value
    text = value_yaml(kind, value)
    specs = expected_types(field.key, architecture)
    if text.startswith("!") or not specs or first_scalar(specs) == scalar_spec(kind):
        return text
    return f"!{scalar_spec(kind)} {text}"


def first_scalar(specs: Sequence[str]) -> str:
    """The spec that a value without a tag takes: the first that is not a list's."""
    return next((spec for spec in specs if spec[0] != "["), specs[0])


def pair_lines(name: bytes, value: str, indent: str) -> list[str]:
    """``key: value``; YAML wants a long key marked."""
    key = _string_yaml(name)
    if len(key) <= _MAX_SIMPLE_KEY:
        return [f"{indent}{key}: {value}"]
    return [f"{indent}? {key}", f"{' ' * len(indent)}: {value}"]


# -- reading ---------------------------------------------------------------------------------


def parse_key(node: Node) -> bytes:
    """The bytes of a key or tensor name.  Raises BuildError with the line."""
    if node.tag not in ("", "string", BYTES):
        node.fail(f"a name cannot be !{node.tag}")
    return _string(node)


def parse_node(node: Node, specs: Sequence[str] = ()) -> tuple[int, Any]:
    """Value type and codec value of a node.

    Args:
        node: scalar or list.
        specs: type specs that the key may have, the preferred one first, for values without tag.

    Raises:
        BuildError: it is not a value of its type, or the type is not known; with the line.
    """
    if node.kind == "list":
        return ValueType.ARRAY, _list(node, specs)
    if node.kind == "map":
        node.fail("a map is not a value", "start a value of several lines with |")
    if node.tag == BYTES:
        return ValueType.STRING, _string(node)
    if node.tag:
        value_type = _type_of(node)
        return value_type, _scalar(node, value_type)
    if node.is_quoted or not _is_other_than_text(node.value):
        wanted = first_scalar(specs) if specs else "string"
        if wanted != "string" and not node.is_quoted:
            return _wanted(node, wanted)
        return ValueType.STRING, _string(node)
    if specs:
        return _wanted(node, first_scalar(specs))
    if node.value in _BOOLS:
        return ValueType.BOOL, _BOOLS[node.value]
    raise _no_type(node)


def _wanted(node: Node, spec: str) -> tuple[int, Any]:
    if spec.startswith("["):
        node.fail(f"this key holds a list ({spec}), not {node.value!r}")
    value_type = SCALARS[spec]
    return value_type, _scalar(node, value_type)


def _is_other_than_text(text: str) -> bool:
    return text in _BOOLS or text in _NAMED_NUMBERS or _NUMBER.fullmatch(text) is not None


def _no_type(node: Node) -> GGUFError:
    from .yaml_read import at_line

    return at_line(
        node.line,
        "the type of this value is not known",
        "this is not a standard key: put a type such as !uint32 in front, or quotes around it",
    )


def _type_of(node: Node) -> ValueType:
    value_type = SCALARS.get(node.tag)
    if value_type is None:
        names = ", ".join(SCALARS)
        node.fail(f"!{node.tag} is not a value type", f"types are {names}, and bytes")
    if value_type == ValueType.ARRAY and node.kind == "scalar":
        node.fail("!array is for lists of lists")
    return value_type


def _scalar(node: Node, value_type: ValueType) -> Any:
    if value_type == ValueType.STRING:
        return _string(node)
    text = node.text.strip()
    try:
        return parse_number(text, value_type)
    except GGUFError as error:
        node.fail(error.message)
    except OverflowError as error:
        node.fail(str(error))
    except ValueError:
        node.fail(f"{text[:60]!r} is not a valid {scalar_spec(value_type)}")


def parse_number(text: str, value_type: ValueType) -> Any:
    """The codec value of a number or boolean.

    Raises:
        TypeConflictError: it does not fit the type.
        ValueError: it is neither.
        OverflowError: it is larger than any float.
    """
    if value_type == ValueType.BOOL:
        if text in _BOOLS:
            return _BOOLS[text]
        return from_python("uint8", int(text))
    kind, width = NUMBERS[value_type]
    if kind != "f":
        return from_python(scalar_spec(value_type), int(text, 0))
    bits = _NAN.fullmatch(text)
    if bits is not None or text.lstrip(".") == "nan":
        number = int(bits.group(1), 16) if bits is not None else _USUAL_NAN[width]
        return _nan(number, width)
    spec = scalar_spec(value_type)
    return from_python(spec, parse_float(text.replace(".inf", "inf"), spec))


def _nan(bits: int, width: int) -> NaN:
    name = f"<{number_format('u', width)}"
    if bits >= 1 << 8 * width:
        raise ValueError("too many bits")
    value = Struct("<" + number_format("f", width)).unpack(Struct(name).pack(bits))[0]
    if value == value:
        raise ValueError("these are not the bits of a NaN")
    return NaN(bits, width)


def _string(node: Node) -> bytes:
    text = node.text
    if node.tag != BYTES:
        return text.encode("utf-8")
    try:
        return parse_bytes(text)
    except ValueError as error:
        node.fail(str(error))


def _list(node: Node, specs: Sequence[str]) -> Array:
    element_type = _type_of(node) if node.tag else _element_type(node, specs)
    if element_type == ValueType.ARRAY:
        items = []
        for item in node.items:
            if item.kind != "list":
                item.fail("this list holds lists")
            items.append(_list(item, ()))
        return Array(element_type=element_type, num_elements=len(items), elements=items)
    values = []
    for item in node.items:
        if item.kind != "scalar":
            item.fail(f"a {item.kind} in a list of {scalar_spec(element_type)}")
        if item.tag not in ("", scalar_spec(element_type), BYTES):
            item.fail(f"!{item.tag} in a list of {scalar_spec(element_type)}")
        if item.tag == BYTES and element_type != ValueType.STRING:
            item.fail(f"bytes in a list of {scalar_spec(element_type)}")
        values.append(_scalar(item, element_type))
    return Array(element_type=element_type, num_elements=len(values), elements=values)


def _element_type(node: Node, specs: Sequence[str]) -> ValueType:
    """The type of a list without a tag: the key's, or what the elements say."""
    for spec in specs:
        if spec.startswith("["):
            inner = spec[1:-1]
            return ValueType.ARRAY if inner.startswith("[") else SCALARS[inner]
    if node.items and all(item.kind == "list" for item in node.items):
        return ValueType.ARRAY
    texts = [item for item in node.items if item.kind == "scalar"]
    if texts and all(item.is_quoted or not _is_other_than_text(item.value) for item in texts):
        return ValueType.STRING
    if texts and all(item.value in _BOOLS for item in texts):
        return ValueType.BOOL
    raise _no_type(node)

"""Values between the codec and Python, without loss in either direction.

The codec works with numbers, bytes and views; people work with bool, int, float, str, numpy
arrays and lists.  Conversion to Python never fails; conversion from Python checks the range of
the type and refuses what the type cannot hold.
"""

from __future__ import annotations

import operator
import sys
from collections.abc import Iterable, Mapping, Sequence, Set
from contextlib import suppress
from struct import Struct
from struct import error as struct_error
from typing import Any

from .._generated.types import NUMBERS, Array, ValueType
from ..errors import TypeConflictError
from ..runtime.views import NaN, NumberArray, RecordArray, StringArray, exact_nan, number_format
from .type_names import parse_spec, scalar_spec, value_type_of


def text_of(data: bytes) -> str:
    """Bytes as text; what is not UTF-8 becomes lone surrogates, so nothing is lost."""
    return data.decode("utf-8", "surrogateescape")


def bytes_of(text: str, key: str = "value") -> bytes:
    """The bytes of a text; the inverse of `text_of`.

    Raises:
        TypeConflictError: it is not text, or holds a surrogate that encodes no byte.
    """
    if not isinstance(text, str):
        raise _conflict("string", text, key, f"a {key} is text, not {type(text).__name__}")
    try:
        # A subclass may have an `encode` of its own.
        return str.encode(text, "utf-8", "surrogateescape")
    except UnicodeEncodeError as error:
        why = f"character {error.start} is half of a surrogate pair, which UTF-8 cannot hold"
        raise _conflict("string", text, key, why) from error


def spec_of(value_type: int, value: Any) -> str:
    """The type spec of a codec value."""
    if value_type != ValueType.ARRAY:
        return scalar_spec(value_type)
    if value.element_type != ValueType.ARRAY:
        return f"[{scalar_spec(value.element_type)}]"
    inner = {spec_of(ValueType.ARRAY, item) for item in value.elements}
    return f"[{inner.pop()}]" if len(inner) == 1 else "[array]"


def to_python(value_type: int, value: Any) -> Any:
    """A codec value as a person wants it.

    bool, int, float or str; for arrays of numbers a read-only numpy view of the file (of
    booleans a bool array), for strings a lazy StringArray, for nested arrays a list.
    """
    if value_type == ValueType.STRING:
        return text_of(value)
    if value_type == ValueType.BOOL:
        return bool(value)
    if value_type != ValueType.ARRAY:
        return value
    if value.element_type == ValueType.ARRAY:
        return [to_python(ValueType.ARRAY, item) for item in value.elements]
    if isinstance(value.elements, NumberArray):
        return _numpy_view(value.elements, value.element_type == ValueType.BOOL)
    return value.elements


def _numpy_view(numbers: NumberArray, is_bool: bool) -> Any:
    import numpy as np

    len(numbers.buffer)  # refuses where the model is closed
    view = np.frombuffer(
        numbers.buffer, dtype=numbers.dtype, count=numbers.num, offset=numbers.start
    )
    # numpy's bool must be 0 or 1, files may hold any byte: compare instead of reinterpreting.
    return view != 0 if is_bool else view


def plain(value_type: int, value: Any) -> Any:
    """Like `to_python`, but arrays are lists of plain numbers and strings; needs no numpy."""
    if value_type != ValueType.ARRAY:
        return to_python(value_type, value)
    if value.element_type == ValueType.ARRAY:
        return [plain(ValueType.ARRAY, item) for item in value.elements]
    if value.element_type == ValueType.BOOL:
        return [bool(item) for item in value.elements]
    return list(value.elements)


def same_plain(mine: Any, theirs: Any) -> bool:
    """Whether Python data equals what `plain` gave, arrays of any kind element by element."""
    if hasattr(theirs, "tolist"):  # numpy
        theirs = theirs.tolist()
    if not isinstance(mine, list):
        return bool(mine == theirs)
    if isinstance(theirs, (str, bytes)) or not isinstance(theirs, Sequence):
        return False
    return len(mine) == len(theirs) and all(map(same_plain, mine, theirs))


def guess_spec(value: object) -> str | None:
    """The spec of a Python value where only one is sensible, else None (numbers have many)."""
    try:
        return _guess(value)
    except RecursionError:  # a list that holds itself
        return None


def _guess(value: object) -> str | None:
    if _is_bool(value):
        return "bool"
    if isinstance(value, (str, bytes, bytearray)):
        return "string"
    if isinstance(value, StringArray):
        return "[string]"
    if isinstance(value, (list, tuple)) and value:
        inner = {_guess(item) for item in value}
        if len(inner) == 1 and (spec := inner.pop()) is not None:
            return f"[{spec}]"
    if (name := _numpy_name(value, 0)) in _NUMPY_NAMES:
        return parse_spec(name)
    name = _numpy_name(value)
    return f"[{parse_spec(name)}]" if name in _NUMPY_NAMES else None


def _numpy_name(value: object, ndim: int = 1) -> str:
    """The element type of a numpy array of `ndim` dimensions in any byte order, else nothing."""
    if getattr(value, "ndim", -1) != ndim:
        return ""
    # The name, not str(dtype): that is ``>f4`` for numbers in the other byte order.
    return str(getattr(getattr(value, "dtype", None), "name", ""))


_NUMPY_NAMES = frozenset(scalar_spec(one) for one in NUMBERS)


def from_python(spec: str, value: Any, key: str = "value") -> Any:
    """The codec value of type `spec` for a Python value.

    Raises:
        TypeConflictError: the value is of another kind, or outside the type's range.
    """
    value_type = value_type_of(spec)
    if value_type == ValueType.ARRAY:
        if not spec.startswith("["):
            raise _conflict(spec, value, key, "the type of the elements must be given: [TYPE]")
        return _array(spec[1:-1], value, key)
    if value_type == ValueType.STRING:
        if isinstance(value, str):
            return bytes_of(value, key)
        if isinstance(value, (bytes, bytearray, memoryview)):
            return bytes(value)
        raise _conflict(spec, value, key)
    if value_type == ValueType.BOOL:
        return int(_boolean(spec, value, key))
    kind, width = NUMBERS[value_type]
    if kind == "f":
        return _float(spec, width, value, key)
    return _integer(spec, kind, width, value, key)


def _conflict(spec: str, value: Any, key: str, why: str = "") -> TypeConflictError:
    return TypeConflictError(
        why or f"{_shown(value)} is not a valid {spec}",
        path=key,
        expected=spec,
        actual=type(value).__name__,
    )


def _shown(value: Any) -> str:
    try:
        shown = repr(value)
    except ValueError:  # Python refuses to print integers of thousands of digits
        return f"this {type(value).__name__}"
    return shown if len(shown) <= 60 else f"{shown[:57]}..."


def _is_bool(value: Any) -> bool:
    # Of numpy too: its name was bool_ before version 2.
    return isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")


def _boolean(spec: str, value: Any, key: str) -> bool:
    if _is_bool(value):
        return bool(value)
    raise _conflict(spec, value, key)


def _integer(spec: str, kind: str, width: int, value: Any, key: str) -> int:
    if _is_bool(value):
        raise _conflict(spec, value, key)
    try:
        number = operator.index(value)
    except TypeError as error:
        raise _conflict(spec, value, key) from error
    bits = 8 * width
    low, high = (0, 2**bits - 1) if kind == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
    if not low <= number <= high:
        why = f"{_shown(number)} is outside the range of {spec}, {low} to {high}"
        raise _conflict(spec, value, key, why)
    return number


def _float(spec: str, width: int, value: Any, key: str) -> float:
    if isinstance(value, NaN) and value.width == width:
        return value
    if _numpy_name(value, ndim=0) == spec and value != value:
        # A number of numpy has its bits; those of a signalling NaN do not survive a C double.
        order = value.dtype.byteorder
        if order not in ("<", ">"):  # "=" is the host's; scalars always are
            order = "<" if sys.byteorder == "little" else ">"
        return exact_nan(order, value.tobytes())
    if _is_bool(value) or isinstance(value, (str, bytes)) or not hasattr(value, "__float__"):
        raise _conflict(spec, value, key)
    try:
        number = float(value)
        coder = Struct("<" + number_format("f", width))
        stored: float = coder.unpack(coder.pack(number))[0]
    except (OverflowError, TypeError, ValueError) as error:
        why = f"{_shown(value)} is outside the range of {spec}"
        raise _conflict(spec, value, key, why) from error
    return stored


def _array(inner: str, value: Any, key: str) -> Array:
    if isinstance(value, (str, bytes, Mapping, Set)) or not isinstance(value, Iterable):
        raise _conflict(f"[{inner}]", value, key)
    if getattr(value, "ndim", 1) == 0:  # a scalar of numpy, which claims to be iterable
        raise _conflict(f"[{inner}]", value, key)
    if hasattr(value, "filled") and getattr(value, "mask").any():  # noqa: B009  (numpy.ma)
        raise _conflict(f"[{inner}]", value, key, "masked elements have no value to store")
    if inner == "array":
        return _mixed(value, key)
    element_type = value_type_of(inner)
    elements: Sequence[Any] | Any
    if isinstance(value, (StringArray, RecordArray)) and inner == "string":
        elements = value
    elif inner in _NUMPY_NAMES and _numpy_name(value) == inner:
        elements = _numbers(element_type, value)
    else:
        value = list(value)
        elements = _all_at_once(element_type, value)
        if elements is None:  # one by one, which also says what is wrong with which
            elements = [from_python(inner, item, f"{key}[{at}]") for at, item in enumerate(value)]
    return Array(element_type=element_type, num_elements=len(elements), elements=elements)


def _all_at_once(element_type: int, items: list[Any]) -> Sequence[Any] | None:
    """Elements of one plain Python type in one pass, where all fit; a vocabulary has 262,144."""
    kinds = set(map(type, items))
    if element_type == ValueType.STRING and kinds == {str}:
        with suppress(UnicodeEncodeError):
            return [item.encode("utf-8", "surrogateescape") for item in items]
    if element_type in NUMBERS and element_type != ValueType.BOOL:
        kind, width = NUMBERS[element_type]
        if kinds and kinds <= ({float, int} if kind == "f" else {int}):
            with suppress(struct_error, OverflowError):
                raw = Struct(f"<{len(items)}{number_format(kind, width)}").pack(*items)
                return NumberArray(raw, 0, len(items), "<", kind, width)
    return None


def _mixed(value: Iterable[Any], key: str) -> Array:
    """Arrays whose own types differ, as `to_python` gives them: each says what it holds."""
    elements = []
    for at, item in enumerate(value):
        spec = guess_spec(item) or ("[array]" if isinstance(item, (list, tuple)) else "")
        if not spec.startswith("["):
            why = "the type of the inner arrays must be given"
            raise _conflict("[array]", value, f"{key}[{at}]", why)
        elements.append(from_python(spec, item, f"{key}[{at}]"))
    return Array(element_type=ValueType.ARRAY, num_elements=len(elements), elements=elements)


def _numbers(element_type: int, value: Any) -> NumberArray:
    """A numpy array of the very type, bit for bit."""
    kind, width = NUMBERS[element_type]
    raw = value.astype(value.dtype.newbyteorder("<")).tobytes()
    return NumberArray(raw, 0, value.size, "<", kind, width)

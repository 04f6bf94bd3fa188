"""Values and assignments as people type them on a command line."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.type_names import parse_spec
from ..errors import EditError, TypeConflictError

if TYPE_CHECKING:
    from collections.abc import Collection

_TRUE = frozenset({"true", "1", "yes", "on"})
_FALSE = frozenset({"false", "0", "no", "off"})


class Assignment(NamedTuple):
    """``KEY[:TYPE]=VALUE``; `from_file` when the value was given as ``@path``."""

    key: str
    type: str | None
    text: str
    from_file: bool


def parse_assignment(text: str, known: Collection[str] = ()) -> Assignment:
    """Take an assignment apart.

    The key ends at the first ``=``, unless only a longer one is among the `known` keys of the
    file.  What follows its last colon is a type if it is one and no part of a known key.  A value
    that starts with ``@`` names a file (``@-`` stdin); ``@@`` is a leading ``@``.

    Raises:
        EditError: there is no ``=`` or no key.
    """
    left, equals, value = text.partition("=")
    if not equals or not left:
        raise EditError(f"{text[:60]!r} is not KEY=VALUE", hint="write KEY=VALUE or KEY:TYPE=VALUE")
    for key in known:
        if "=" in key and text.startswith((f"{key}=", f"{key}:")) and left not in known:
            more, _, value = text[len(key) :].partition("=")
            left = key + more
            break
    key, type = (left, None) if left in known else _split_type(left)
    if value.startswith("@@"):
        return Assignment(key, type, value[1:], False)
    if value.startswith("@"):
        return Assignment(key, type, value[1:], True)
    return Assignment(key, type, value, False)


def _split_type(left: str) -> tuple[str, str | None]:
    key, colon, spec = left.rpartition(":")
    if not colon or not key:
        return left, None
    try:
        return key, parse_spec(spec)
    except TypeConflictError:
        if spec.replace("[", "").replace("]", "").isidentifier() and "." not in spec:
            raise
        return left, None


def parse_value(text: str | bytes, spec: str, key: str | None = None) -> Any:
    """The Python value of a text for a type; errors name `key`.

    Strings are taken as they are, numbers as Python and C write them (``0x10``, ``1e-5``,
    ``nan``), booleans as true/false/1/0/yes/no/on/off, arrays as JSON.

    Raises:
        TypeConflictError: the text is not a value of that type.
    """
    if spec == "string":
        return text
    try:
        plain = text.decode() if isinstance(text, bytes) else text
        return _parse(plain.strip(), spec)
    except OverflowError as error:
        cause: Exception = error
        what = str(error)
        hint: str | None = "write inf for infinity, or Infinity in arrays"
    except (ValueError, RecursionError) as error:
        what = f"{text[:60]!r} is not a valid {spec}"
        hint = "write arrays as JSON, such as [1, 2]" if spec.startswith("[") else None
        cause = error
    raise TypeConflictError(
        what, hint=hint, path=key, expected=spec, actual=str(text[:60])
    ) from cause


def _parse(text: str, spec: str) -> Any:
    if spec.startswith("["):
        import json

        value = json.loads(text, parse_float=lambda number: parse_float(number, spec))
        if not isinstance(value, list):
            raise ValueError("not a JSON array")
        return _array(value, spec[1:-1])
    if spec == "bool":
        if text.lower() in _TRUE | _FALSE:
            return text.lower() in _TRUE
        raise ValueError("not a boolean")
    if spec.startswith("float"):
        return parse_float(text, spec)
    return int(text, 0)


def parse_float(text: str, spec: str) -> float:
    """A number as Python writes it.

    Raises:
        ValueError: it is not a number.
        OverflowError: no float64 holds it; Python itself would take 1e400 for infinity.
    """
    number = float(text)
    if number in (inf, -inf) and "inf" not in text.lower():
        raise OverflowError(f"{text[:60]} is outside the range of {spec}")
    return number


def _array(values: list[Any], inner: str) -> list[Any]:
    """JSON has no NaN, infinities or bytes: take the strings that our own JSON uses for them."""
    if inner.startswith("["):
        if not all(isinstance(value, list) for value in values):
            raise ValueError("not an array of arrays")
        return [_array(value, inner[1:-1]) for value in values]
    if inner.startswith("float"):
        return [parse_float(value, inner) if isinstance(value, str) else value for value in values]
    if inner == "string":
        return [_bytes(value) if isinstance(value, dict) else value for value in values]
    return values


def _bytes(value: dict[str, Any]) -> bytes:
    from base64 import b64decode

    if set(value) != {"base64"}:
        raise ValueError("an object here is {'base64': ...}")
    return b64decode(value["base64"], validate=True)

"""Type specs: how value types are written for people, such as ``uint32`` or ``[string]``.

A spec names a value type; brackets make an array of it.  ``[array]`` means an array of
arrays whose own element types differ or are unknown (when it is empty).
"""

from __future__ import annotations

from .._generated.types import ValueType
from ..errors import TypeConflictError

SCALARS: dict[str, ValueType] = {one.name.lower(): one for one in ValueType}
"""Every value type by its spec; ``array`` is among them."""

# Far more brackets than any reader follows; each costs a level of recursion here.
_LONGEST = 100
_SHORT = {"str": "string", "u": "uint", "i": "int", "f": "float"}


def scalar_spec(value_type: int) -> str:
    """The spec of a value type id."""
    return ValueType(value_type).name.lower()


def parse_spec(text: str) -> str:
    """The canonical form of a spec as a person types it.

    Accepts ``UINT32``, ``u32``, ``str``, ``[string]``, ``array[string]`` and ``string[]``.

    Raises:
        TypeConflictError: no such type.
    """
    if not isinstance(text, str):
        raise _unknown(repr(text)[:20])
    spec = text.strip().lower()
    if len(spec) > _LONGEST:
        raise _unknown(f"{text[:20]}...")
    if spec.endswith("[]"):
        return f"[{parse_spec(spec[:-2])}]"
    if spec.startswith("array[") and spec.endswith("]"):
        return f"[{parse_spec(spec[6:-1])}]"
    if spec.startswith("[") and spec.endswith("]"):
        return f"[{parse_spec(spec[1:-1])}]"
    if spec in _SHORT:
        spec = _SHORT[spec]
    elif spec[:1] in _SHORT and spec[1:].isdigit():
        spec = _SHORT[spec[0]] + spec[1:]
    if spec not in SCALARS:
        raise _unknown(text)
    return spec


def _unknown(text: str) -> TypeConflictError:
    known = ", ".join(name for name in SCALARS if name != "array")
    return TypeConflictError(
        f"{text!r} is not a value type",
        hint=f"types are {known}, and [TYPE] for an array",
        expected=known,
        actual=text,
    )


def value_type_of(spec: str) -> ValueType:
    """The value type that a canonical spec means: any bracket means ARRAY."""
    return ValueType.ARRAY if spec.startswith("[") else SCALARS[spec]

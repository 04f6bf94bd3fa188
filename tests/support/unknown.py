"""Numbers that the schema gives no meaning: a new type or version takes one, and they move on."""

from __future__ import annotations

from gguf_construct._generated.types import VERSIONS, GGMLType, ValueType

__all__ = ["TENSOR_TYPE", "VALUE_TYPE", "VERSION"]

TENSOR_TYPE = max(GGMLType) + 1
VALUE_TYPE = max(ValueType) + 1
VERSION = max(VERSIONS) + 1

"""Numbers that the schema gives no meaning: a new type takes one of them, and they move on."""

from __future__ import annotations

from gguf_construct._generated.types import GGMLType, ValueType

__all__ = ["TENSOR_TYPE", "VALUE_TYPE"]

TENSOR_TYPE = max(GGMLType) + 1
VALUE_TYPE = max(ValueType) + 1

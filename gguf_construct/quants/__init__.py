"""Dequantization of every ggml tensor type with numpy, from either byte order.

Importing this package imports numpy; the IQ codebooks are loaded when first needed.
"""

from __future__ import annotations

from .decode import dequantize, iter_dequantize
from .dtypes import block_dtype
from .inspect import DecodedBlock, DecodedField, block_fields

__all__ = [
    "DecodedBlock",
    "DecodedField",
    "block_dtype",
    "block_fields",
    "dequantize",
    "iter_dequantize",
]

"""Blocks and numbers: every ggml tensor type decoded with numpy, and numbers encoded.

Importing this package imports numpy; the IQ codebooks are loaded when first needed.
"""

from __future__ import annotations

from .decode import dequantize, iter_dequantize
from .dtypes import block_dtype, typed_array
from .encode import encode, type_of
from .inspect import DecodedBlock, DecodedField, block_fields

__all__ = [
    "DecodedBlock",
    "DecodedField",
    "block_dtype",
    "block_fields",
    "dequantize",
    "encode",
    "iter_dequantize",
    "type_of",
    "typed_array",
]

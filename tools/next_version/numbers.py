"""The numbers that the next version takes: the first free ones, or the last ones in a copy."""

from __future__ import annotations

from gguf_construct._generated.types import VERSIONS, GGMLType, ValueType
from tools.generate import REPOSITORY

ANSWERS = REPOSITORY / "answers.json"
"""What the program says without the next version; the file is there in a copy only."""

_STEP = 0 if ANSWERS.is_file() else 1
VERSION = VERSIONS[-1] + _STEP
THIS_VERSION = VERSION - 1
VALUE_TYPE = max(ValueType) + _STEP
TENSOR_TYPE = max(GGMLType) + _STEP

FLAGS, FLAGS_DEFAULT = 0x01020304, 1
CHECKSUM = 0xA1B2C3D4
STAMPS = (1, -1, 1_700_000_000_000_000_000)

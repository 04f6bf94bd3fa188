"""Codes for what cannot be read: one for each way in which a header can break."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...core.problem import Problem
from ...errors import (
    InvalidFieldError,
    LimitExceededError,
    NotGGUFError,
    TruncatedError,
    UnsupportedVersionError,
)
from .base import describe

if TYPE_CHECKING:
    from ...errors import ParseError

_FORMAT = "docs/gguf.md, file structure"
_READER = "gguf_init_from_file in gguf.cpp"

describe(
    "not-gguf",
    "parsing",
    "The file starts with the magic bytes of GGUF. The message says what the file is instead.",
    _FORMAT,
)
describe(
    "not-gguf-empty",
    "parsing",
    "The file is not empty, and has at least the four bytes of the magic.",
    _FORMAT,
)
describe(
    "not-gguf-pointer",
    "parsing",
    "The file is the model, not a pointer to it (git-lfs, xet).",
    _FORMAT,
)
describe(
    "not-gguf-download",
    "parsing",
    "The file is the model, not a page, message or document that was served in its place.",
    _FORMAT,
)
describe(
    "not-gguf-legacy",
    "parsing",
    "The file is GGUF, not one of the formats of 2023 before it (ggml, ggmf, ggjt, ggla, ggsn).",
    _FORMAT,
)
describe(
    "not-gguf-other-model",
    "parsing",
    "The file is GGUF, not another format for weights (safetensors, pickle, HDF5, ...).",
    _FORMAT,
)
describe(
    "not-gguf-packed",
    "parsing",
    "The file is not packed (zip, gzip, xz, zstd, tar, ...).",
    _FORMAT,
)
describe(
    "not-gguf-shifted",
    "parsing",
    "The magic stands at the very start and in the right order.",
    _FORMAT,
)
describe(
    "version-unsupported",
    "parsing",
    "The version is one that a reader knows, in the byte order of the file.",
    _READER,
)
describe(
    "byte-order-mixed",
    "parsing",
    "The counts and lengths are in the byte order that the version shows.",
    _READER,
)
describe(
    "header-truncated",
    "parsing",
    "The file holds all of the header: it is not cut inside a key, a value or a tensor info.",
    _READER,
)
describe(
    "count-impossible",
    "parsing",
    "A count of pairs, tensors, elements or dimensions is one that the file has room for.",
    _READER,
)
describe(
    "length-impossible",
    "parsing",
    "The length of a string is one that the file has room for.",
    _READER,
)
describe(
    "limit-exceeded",
    "parsing",
    "Counts, lengths and nesting stay within the safety limits (--limits raises them).",
    "limits in spec/gguf.ksy",
)
describe(
    "array-depth",
    "parsing",
    "Arrays are not nested deeper than the limit.",
    "limits in spec/gguf.ksy",
)
describe(
    "value-type-unknown",
    "parsing",
    "The type of a value is one of the 13 that exist.",
    _READER,
)
describe(
    "element-type-unknown",
    "parsing",
    "The element type of an array is one of the 13 that exist, even if the array is empty.",
    _READER,
)
describe(
    "header-unreadable",
    "parsing",
    "The header can be read.",
    _READER,
)

describe(
    "file-unreadable",
    "parsing",
    "The file can be opened and read.",
    "the operating system",
)

_NOT_GGUF = {
    "not-gguf-empty": ("empty", "cut"),
    "not-gguf-pointer": ("git-lfs", "xet"),
    "not-gguf-download": ("html", "xml", "json", "text", "utf-16", "pdf", "png", "zeros"),
    "not-gguf-legacy": ("ggml", "ggmf", "ggjt", "ggla", "ggsn"),
    "not-gguf-other-model": ("safetensors", "pickle", "hdf5", "npy", "tflite", "sqlite", "whisper"),
    "not-gguf-packed": ("zip", "gzip", "xz", "zstd", "bzip2", "7z", "rar", "lz4", "tar"),
    "not-gguf-shifted": ("prefixed", "reversed"),
}
_CODE_OF_KIND = {kind: code for code, kinds in _NOT_GGUF.items() for kind in kinds}

# A field that demands this much more than there is was never true; less may be a cut file.
_NEVER_TRUE = 2**31
_LENGTH = re.compile(r"\.len_value$")
_COUNT = re.compile(r"(^|\.)num_\w+$")


def problem_of(error: ParseError) -> Problem:
    """A parse error as a problem."""
    code = _code(error)
    return Problem(code, "error", error.message, error.path, error.offset, error.hint)


def states_too_much(error: ParseError) -> bool:
    """Whether a count or length at this place is far more than the file could hold."""
    if isinstance(error, TruncatedError):
        return error.needed - error.available >= _NEVER_TRUE
    return isinstance(error, LimitExceededError) and error.actual > error.maximum


def _code(error: ParseError) -> str:
    if isinstance(error, NotGGUFError):
        return _CODE_OF_KIND.get(error.kind, "not-gguf")
    if isinstance(error, UnsupportedVersionError):
        return "version-unsupported"
    path = error.path or ""
    if isinstance(error, LimitExceededError):
        return _limit_code(error, path)
    if isinstance(error, TruncatedError):
        return _impossible(path) if states_too_much(error) else "header-truncated"
    if isinstance(error, InvalidFieldError):
        if path.endswith("element_type"):
            return "element-type-unknown"
        return "value-type-unknown" if path.endswith("value_type") else "header-unreadable"
    return "header-unreadable"


def _limit_code(error: LimitExceededError, path: str) -> str:
    if error.limit == "max_dims":
        return "tensor-dims-count"
    if error.limit == "max_array_depth":
        return "array-depth"
    return _impossible(path) if error.actual >= _NEVER_TRUE else "limit-exceeded"


def _impossible(path: str) -> str:
    if _LENGTH.search(path):
        return "length-impossible"
    return "count-impossible" if _COUNT.search(path) else "header-truncated"

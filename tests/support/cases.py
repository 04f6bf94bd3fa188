"""All hand-made cases in one place: `VALID`, `BAD`, `NOT_GGUF`, by name in `CASES`."""

from __future__ import annotations

from .case_types import BadCase, Case, Expected, ValidCase, describe
from .cases_bad import BAD
from .cases_valid import VALID, growing_headers
from .not_gguf import NOT_GGUF, NotGGUF
from .truncations import Cut, cut, cuts, small_models

__all__ = [
    "BAD",
    "CASES",
    "NOT_GGUF",
    "VALID",
    "BadCase",
    "Case",
    "Cut",
    "Expected",
    "NotGGUF",
    "ValidCase",
    "cut",
    "cuts",
    "describe",
    "growing_headers",
    "small_models",
]

CASES: dict[str, Case] = {case.name: case for case in (*VALID, *BAD)}
assert len(CASES) == len(VALID) + len(BAD), "two cases share a name"

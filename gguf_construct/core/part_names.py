"""Names of pieces: files that were cut out of a larger one by bytes, to be joined again.

Source: the names that download mirrors, hf-splitters, `split` and 7-Zip give.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..errors import ParseError

__all__ = ["JOIN", "is_part_name", "tell_of_parts"]

JOIN = (
    "join the pieces in order (cat m.gguf.part1of2 m.gguf.part2of2 > m.gguf); "
    "these are no shards, which are models of their own"
)
"""What to do with pieces."""

_PART_NAME = r"(?i)[.-](part[-_.]?\d+of\d+|part[-_.]?(\d+|[a-z]{1,2})|split-[a-z]{1,2}|0\d\d)$"


def is_part_name(name: str) -> bool:
    """Whether a file is named like one of several pieces."""
    return re.search(_PART_NAME, name) is not None


def tell_of_parts(error: ParseError, name: str) -> None:
    """Advise joining, where a file that cannot be read is named like a piece."""
    if is_part_name(name):
        error.hint = JOIN

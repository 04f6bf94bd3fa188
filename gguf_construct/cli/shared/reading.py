"""What verbs read: a file, or standard input under the name ``-``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...model import Model, open_model
from ...storage.write.small_files import read_value

if TYPE_CHECKING:
    from ..._generated.types import Limits

_STDIN = "-"


def given(file: str) -> str | bytes:
    """What to open for a name on the command line: the path, or the bytes of standard input.

    Raises:
        OSError: standard input is closed, or holds more than fits in memory sensibly.
    """
    return read_value(_STDIN) if file == _STDIN else file


def open_given(file: str, limits: Limits | None = None) -> Model:
    """Open the model that a name on the command line means.  Raises ParseError, OSError."""
    return open_model(given(file), limits=limits)

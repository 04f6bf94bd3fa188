"""What takes the place of a file's bytes once its model is closed."""

from __future__ import annotations

from typing import Any, NoReturn

from ..errors import ClosedError


def closed() -> ClosedError:
    """The error for whoever asks a closed model for what is in its file."""
    return ClosedError(
        "the model is closed",
        hint="read what you need inside the `with` block, or open the file again",
    )


class ClosedBuffer:
    """A buffer that refuses to be read."""

    def __len__(self) -> int:
        self._refuse()

    def __getitem__(self, part: Any) -> bytes:
        self._refuse()

    def _refuse(self) -> NoReturn:
        raise closed()

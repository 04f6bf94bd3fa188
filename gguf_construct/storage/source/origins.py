"""What a plan reads from, besides the file that it was made from."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...core.late_bytes import LateBytes
from ...errors import WriteError
from .source import Source

if TYPE_CHECKING:
    from collections.abc import Iterable


class LateSource(Source):
    """Bytes that are made when they are read."""

    __slots__ = ()

    def read_into(self, start: int, into: memoryview) -> None:
        """Fill `into` with the bytes from `start` on."""
        into[:] = self.buffer[start : start + len(into)]


def sources_of(own: Source, origins: Iterable[object]) -> list[Source]:
    """The sources of a plan by their numbers: its own file, then those that hold other tensors.

    Raises:
        WriteError: the model that a tensor was taken from is closed.
    """
    return [own, *(_source(origin) for origin in origins)]


def _source(origin: Any) -> Source:
    if isinstance(origin, Source):
        if origin.path is not None and origin.is_closed:
            raise WriteError(
                f"{origin.path}: it was closed, and tensors of it are still to be written",
                hint="close the other model after saving this one",
            )
        return origin
    held: Any = origin  # a source of bytes in memory asks them only for slices
    return LateSource(held) if isinstance(origin, LateBytes) else Source(held)

"""Write plans: what the bytes of a target file are, as plain data.

A plan is a list of chunks in target order.  It is made by pure code (`ops`), and executed in
one place (`fileio.write`), so each strategy (new file, replace, convert, split, merge) is just
another plan over the same four chunk kinds, and memory stays flat however large the model.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, NamedTuple

from ..errors import BuildError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Chunk", "Copy", "LateLiteral", "Literal", "Swap", "WritePlan", "Zeros"]


class Literal(NamedTuple):
    """Bytes that are given here."""

    data: bytes

    @property
    def nbytes(self) -> int:
        """Length in bytes."""
        return len(self.data)


class LateLiteral(Literal):
    """A Literal whose bytes are made when they are first asked for, in any thread, and once.

    So that a header can be encoded while the data behind it is being written already.
    """

    _nbytes: int
    _produce: Callable[[], bytes]
    _lock: threading.Lock
    _made: bytes | None

    @classmethod
    def of(cls, nbytes: int, make: Callable[[], bytes]) -> LateLiteral:
        """A literal of `nbytes` bytes; `make` must give exactly so many."""
        self = cls(b"")
        self._nbytes, self._produce = nbytes, make
        self._lock, self._made = threading.Lock(), None
        return self

    @property
    def nbytes(self) -> int:
        """Length in bytes; known before the bytes are."""
        return self._nbytes

    @property
    def data(self) -> bytes:
        """The bytes.  Raises BuildError when there are not as many as was said."""
        with self._lock:
            if self._made is None:
                made = self._produce()
                if len(made) != self._nbytes:
                    raise BuildError(f"{len(made)} bytes were made instead of {self._nbytes}")
                self._made = made
            return self._made


class Copy(NamedTuple):
    """`nbytes` bytes of source number `source`, from absolute offset `start`, unchanged."""

    start: int
    nbytes: int
    source: int = 0


class Swap(NamedTuple):
    """Like `Copy`, but the byte order of every field of every block is reversed.

    `layout` lists one block's fields in order as (item width in bytes, number of items):
    Q4_0 is ``((2, 1), (1, 16))``.  `nbytes` is a whole number of blocks.
    """

    start: int
    nbytes: int
    layout: tuple[tuple[int, int], ...]
    source: int = 0


class Zeros(NamedTuple):
    """`nbytes` zero bytes (padding)."""

    nbytes: int


Chunk = Literal | Copy | Swap | Zeros


class WritePlan(NamedTuple):
    """The chunks of a target file, in order.

    Attributes:
        chunks: its bytes.
        strategy: the name of the strategy that made the plan.
        header_nbytes: size of its header, without padding; None where the planner does not say.
    """

    chunks: tuple[Chunk, ...]
    strategy: str = "new file"
    header_nbytes: int | None = None

    @property
    def nbytes(self) -> int:
        """Size of the target in bytes."""
        return sum(chunk.nbytes for chunk in self.chunks)

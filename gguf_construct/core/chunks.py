"""Write plans: what the bytes of a target file are, as plain data.

A plan is a list of chunks in target order.  Pure code (`planning`) makes it and one place
(`storage.write.new_file`) executes it, so each strategy (new file, replace, convert) is just
another plan over the same four chunk kinds, and memory stays flat however large the model.
"""

from __future__ import annotations

from typing import NamedTuple


class Literal(NamedTuple):
    """Bytes that are given here."""

    data: bytes

    @property
    def nbytes(self) -> int:
        """Length in bytes."""
        return len(self.data)


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
        header_nbytes: size of its header, without padding; None where the planner does not say.
        origins: what sources 1, 2, ... are: open sources, or bytes in memory; source 0 is the
            file that the plan was made from.
    """

    chunks: tuple[Chunk, ...]
    header_nbytes: int | None = None
    origins: tuple[object, ...] = ()

    @property
    def nbytes(self) -> int:
        """Size of the target in bytes."""
        return sum(chunk.nbytes for chunk in self.chunks)

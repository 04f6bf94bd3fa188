"""Files cut short at every byte, and what a reader may say of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .builders import BOOL, INT32, STRING, Array, Model, Pair, Tensor, array, build, text, u8, u32
from .cases_valid import ORDERS, weight

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .builders import Built


class Cut(NamedTuple):
    """The first `size` bytes of a file.  In the header: `offsets`, where the field lies that is cut
    (first), and the lengths and counts that demand it.  In the data section: no offsets, and
    `missing` bytes of tensor data (0: only padding is missing)."""

    size: int
    data: bytes
    offsets: tuple[int, ...]
    missing: int = 0

    @property
    def in_header(self) -> bool:
        """Whether the header itself is cut: a parse error, not a finding."""
        return bool(self.offsets) or self.size == 0


def cut(built: Built, size: int) -> Cut:
    """`built` cut to `size` bytes."""
    data = built.data[:size]
    for span in built.spans:
        if span.end > size:
            return Cut(size, data, (span.start, *span.owners))
    needed = max(
        (
            built.marks[f"tensors[{index}].data"] + len(tensor.data)
            for index, tensor in enumerate(built.model.tensors)
            if tensor.data
        ),
        default=0,
    )
    return Cut(size, data, (), max(0, needed - size))


def cuts(built: Built) -> Iterator[Cut]:
    """Every cut, from the empty file to one byte less than all."""
    return (cut(built, size) for size in range(len(built.data)))


def small_models() -> Iterator[tuple[str, Built]]:
    """Small files with a field of every kind, in each version and byte order."""
    pairs = (
        Pair(b"general.architecture", text("llama")),
        Pair(b"general.alignment", u32(16)),
        Pair(b"flags", array(BOOL, 0, 1, 2)),
        Pair(b"words", array(STRING, b"one", b"", b"three")),
        Pair(b"numbers", array(INT32, -1, 2)),
        Pair(b"nested", array(9, Array(STRING, (b"in", b"ner")), Array(INT32))),
        Pair(b"last.x", u8(5)),
    )
    for version in (1, 2, 3):
        for order in ORDERS:
            tensors = (weight(order), Tensor(b"tail", (3,), 24, b"abc"))
            yield f"v{version}-{order}", build(Model(pairs, tensors, version, order))

"""Arrays as values that can be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gguf_construct.comparison.tensor_values import Values

if TYPE_CHECKING:
    from collections.abc import Iterator


def values_of(array: Any, shape: tuple[int, ...] | None = None, piece: int = 7) -> Values:
    """An array in pieces so small that they matter."""
    flat = array.reshape(-1)

    def pieces() -> Iterator[Any]:
        return (flat[at : at + piece] for at in range(0, flat.size, piece))

    return Values("it", array.shape if shape is None else shape, str(array.dtype), pieces)

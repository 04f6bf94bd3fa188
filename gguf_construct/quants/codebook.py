"""The codebooks of the IQ types, taken from the installed gguf package when first needed.

The entries are trained data that no formula gives, so they are not copied here: the extra
`quants` brings the package that has them.  Each is checked for its shape and values.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..errors import BuildError

if TYPE_CHECKING:
    from .bits import I8

_HINT = 'pip install "gguf-construct[quants]"'


class _Book(NamedTuple):
    num_entries: int
    num_elements: int
    values: frozenset[int]


_IQ2_VALUES = frozenset({8, 25, 43})
_BOOKS = {
    "IQ2_XXS": _Book(256, 8, _IQ2_VALUES),
    "IQ2_XS": _Book(512, 8, _IQ2_VALUES),
    "IQ2_S": _Book(1024, 8, _IQ2_VALUES),
    "IQ3_XXS": _Book(256, 4, frozenset({4, 12, 20, 28, 36, 44, 52, 62})),
    "IQ3_S": _Book(512, 4, frozenset(range(1, 16, 2))),
    "IQ1_S": _Book(2048, 8, frozenset({-1, 0, 1})),
}


def _grid_of_gguf(name: str) -> npt.NDArray[Any]:
    try:
        from gguf import quants
    except ImportError as error:
        raise BuildError(
            f"decoding {name} needs its codebook, which the gguf package holds", hint=_HINT
        ) from error
    try:
        quant = getattr(quants, name)
        quant.init_grid()
        return np.asarray(quant.grid)
    except Exception as error:
        raise BuildError(f"the installed gguf package has no codebook of {name}", hint=_HINT) from (
            error
        )


@cache
def entries(name: str) -> I8:
    """The codebook of a type as signed bytes, (entries, elements); `name` is a key like IQ2_S.

    Raises:
        BuildError: the gguf package is missing, or its codebook is not what ggml documents.
    """
    book = _BOOKS[name]
    grid = _grid_of_gguf(name)
    if grid.size != book.num_entries * book.num_elements or not book.values.issuperset(
        np.unique(grid).tolist()
    ):
        raise BuildError(f"the installed gguf package has a damaged codebook of {name}", hint=_HINT)
    return grid.reshape(book.num_entries, book.num_elements).astype(np.int8)


@cache
def packed_entries(name: str) -> npt.NDArray[np.unsignedinteger[Any]]:
    """The codebook with each entry as one integer in memory order, so that a look-up moves it
    whole; view the result as signed bytes."""
    table = entries(name)
    return table.view(f"u{table.shape[1]}").reshape(-1)


@cache
def ternary_entries() -> npt.NDArray[np.uint64]:
    """Eight times (entry + delta) for IQ1_S and IQ1_M, packed: first the entries with delta
    +1/8, then those with -1/8."""
    eightfold = 8 * entries("IQ1_S")
    return np.concatenate([eightfold + 1, eightfold - 1]).astype(np.int8).view(np.uint64).ravel()


@cache
def signs(num_bits: int) -> npt.NDArray[np.uint64]:
    """Eight factors of 1 or -1 per code, packed; bit k of the code is the sign of element k.

    With 7 bits, the eighth sign makes the number of negative elements even.  (`ksigns_iq2xs`)
    """
    bits = np.arange(1 << num_bits)[:, None] >> np.arange(8) & 1
    if num_bits == 7:
        bits[:, 7] = bits.sum(axis=1) % 2
    return (1 - 2 * bits).astype(np.int8).view(np.uint64).ravel()

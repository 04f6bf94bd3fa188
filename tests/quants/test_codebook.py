"""Codebooks: where they come from, and what is refused."""

from __future__ import annotations

import builtins
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gguf_construct.errors import BuildError, GGUFError
from gguf_construct.quants import codebook, dequantize
from tests.quants.samples import (
    CODEBOOK_TYPES,
    IDS,
    forget_codebooks,
    made_up_book,
    random_blocks,
)
from tests.support.blocks import BLOCKS

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def forgotten() -> Iterator[None]:
    """Codebooks are looked up anew in the test, and again after it."""
    forget_codebooks()
    yield
    forget_codebooks()


@pytest.mark.usefixtures("forgotten")
@pytest.mark.parametrize("name", CODEBOOK_TYPES)
def test_without_the_gguf_package_the_message_says_what_to_install(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    real_import = builtins.__import__

    def no_gguf(module: str, *args: Any, **kwargs: Any) -> Any:
        if module.split(".")[0] == "gguf":
            raise ImportError(module)
        return real_import(module, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", no_gguf)
    with pytest.raises(BuildError, match="codebook") as caught:
        dequantize(random_blocks(name, 1), IDS[name])
    assert caught.value.hint == 'pip install "gguf-construct[quants]"'


@pytest.mark.usefixtures("forgotten")
def test_other_types_do_not_need_the_gguf_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gguf", None)
    for name in sorted(set(IDS) - set(CODEBOOK_TYPES)):
        assert dequantize(random_blocks(name, 1), IDS[name]).size == BLOCKS[IDS[name]].elements


@pytest.mark.usefixtures("forgotten")
def test_a_gguf_package_without_the_codebook_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gguf", SimpleNamespace(quants=SimpleNamespace()))
    with pytest.raises(BuildError, match="no codebook of IQ2_S"):
        dequantize(random_blocks("IQ2_S", 1), IDS["IQ2_S"])


@pytest.mark.usefixtures("forgotten")
@pytest.mark.parametrize("damage", ["value", "shape"])
def test_a_damaged_codebook_is_an_error(damage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    grid = made_up_book("IQ3_S")
    if damage == "value":
        grid[0, 0, 7, 3] = 2
    else:
        grid = grid[:, :, :-1]
    monkeypatch.setattr(codebook, "_grid_of_gguf", lambda _: grid)
    with pytest.raises(GGUFError, match="damaged codebook of IQ3_S"):
        dequantize(random_blocks("IQ3_S", 1), IDS["IQ3_S"])


@pytest.mark.usefixtures("forgotten")
def test_entries_have_the_shape_of_their_book(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(codebook, "_grid_of_gguf", made_up_book)
    for name in codebook._BOOKS:
        grid = made_up_book(name)
        table = codebook.entries(name)
        assert table.dtype == np.int8
        assert table.shape == grid.shape[2:]
        assert table.tolist() == grid[0, 0].tolist()
        assert codebook.packed_entries(name).tobytes() == table.tobytes()
    ternary = codebook.ternary_entries().view(np.int8).reshape(2, 2048, 8)
    eightfold = 8 * codebook.entries("IQ1_S")
    assert ternary[0].tolist() == (eightfold + 1).tolist()
    assert ternary[1].tolist() == (eightfold - 1).tolist()


def test_the_books_of_ggml_have_these_sizes() -> None:
    sizes = {name: (book.num_entries, book.num_elements) for name, book in codebook._BOOKS.items()}
    assert sizes == {
        "IQ2_XXS": (256, 8),
        "IQ2_XS": (512, 8),
        "IQ2_S": (1024, 8),
        "IQ3_XXS": (256, 4),
        "IQ3_S": (512, 4),
        "IQ1_S": (2048, 8),
    }

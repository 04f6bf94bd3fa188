"""What cannot be decoded is refused, by name."""

from __future__ import annotations

import builtins
import sys
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from gguf_construct.errors import BuildError, GGUFError, InvalidFieldError
from gguf_construct.quants import block_fields, codebook, dequantize, iter_dequantize
from tests.quants.samples import (
    CODEBOOK_TYPES,
    IDS,
    forget_codebooks,
    made_up_book,
    random_blocks,
)
from tests.support.blocks import BLOCKS, NEXT_ID, REMOVED

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def forgotten() -> Iterator[None]:
    """Codebooks are looked up anew in the test, and again after it."""
    forget_codebooks()
    yield
    forget_codebooks()


@pytest.mark.parametrize("type_id", sorted(REMOVED))
def test_a_removed_type_is_refused_with_its_name_and_advice(type_id: int) -> None:
    for job in (dequantize, iter_dequantize, block_fields):
        with pytest.raises(BuildError, match=REMOVED[type_id]) as caught:
            job(bytes(18), type_id)
        assert "removed" in str(caught.value)
        assert caught.value.hint


@pytest.mark.parametrize("type_id", [NEXT_ID, -1, 1 << 31, (1 << 64) - 1])
def test_an_unknown_type_is_refused_with_its_number(type_id: int) -> None:
    for job in (dequantize, iter_dequantize, block_fields):
        with pytest.raises(BuildError, match=f"unknown tensor type {type_id}"):
            job(bytes(18), type_id)


@pytest.mark.parametrize("name", [name for name in sorted(IDS) if BLOCKS[IDS[name]].nbytes > 1])
@pytest.mark.parametrize("missing", [1, -1])
def test_a_broken_block_is_refused(name: str, missing: int) -> None:
    nbytes = 3 * BLOCKS[IDS[name]].nbytes - missing
    for job in (dequantize, iter_dequantize):
        with pytest.raises(InvalidFieldError, match=f"{nbytes} bytes of {name} data") as caught:
            job(bytes(nbytes), IDS[name])
        assert caught.value.actual == nbytes


@pytest.mark.parametrize("order", ["native", "", ">", "LITTLE"])
def test_a_byte_order_that_is_none_is_refused(order: str) -> None:
    with pytest.raises(BuildError, match="byte order"):
        dequantize(bytes(4), IDS["F32"], byte_order=order)


def test_an_array_of_objects_is_refused() -> None:
    with pytest.raises(BuildError, match="objects"):
        dequantize(np.array([None]), IDS["F32"])


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

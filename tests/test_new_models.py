"""Models made in Python: empty ones to fill, and whole files in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gguf_construct as gc
from gguf_construct.errors import BuildError, DestinationExistsError, TypeConflictError
from tests.support.llama import ggml_headers, needs_llama

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

METADATA: dict[str, Any] = {
    "general.architecture": "llama",
    "llama.block_count": 2,
    "x.big:uint64": 2**63,
    "x.tags:[string]": ["a", "ü"],
    "x.scores:[float32]": [0.5, float("nan")],
}
TENSORS: dict[str, Any] = {
    "b.weight": np.arange(64, dtype=np.float32).reshape(2, 32),
    "a.weight": np.arange(4, dtype=np.int8),
}


@pytest.mark.parametrize(("order", "version"), [("little", 3), ("big", 3), ("little", 2)])
@pytest.mark.parametrize("kind", ["mapping", "list", "iterator"])
def test_a_file_in_one_call(kind: str, order: str, version: int, tmp_path: Path) -> None:
    path = tmp_path / "new.gguf"
    given: Any = TENSORS
    if kind != "mapping":
        given = list(TENSORS.items()) if kind == "list" else iter(TENSORS.items())
    gc.save(path, METADATA, given, byte_order=order, version=version)
    with gc.open(path) as model:
        assert (model.byte_order, model.version) == (order, version)
        assert list(model.metadata) == [key.partition(":")[0] for key in METADATA]
        assert model.metadata.field("x.big").type == "uint64"
        assert list(model.metadata["x.tags"]) == ["a", "ü"]
        assert list(model.tensors) == ["b.weight", "a.weight"]
        for name, array in TENSORS.items():
            assert np.array_equal(model.tensors[name].dequantize(), array)
    assert [one.name for one in tmp_path.iterdir()] == ["new.gguf"]


@needs_llama
@pytest.mark.engine
def test_ggml_reads_what_is_made(tmp_path: Path) -> None:
    path = tmp_path / "new.gguf"
    gc.save(path, METADATA, TENSORS)
    (found,) = ggml_headers([path])
    assert found.ok


def test_an_iterator_is_not_held_in_memory(tmp_path: Path) -> None:
    alive: list[int] = []

    class Counted(np.ndarray[Any, Any]):
        def __del__(self) -> None:
            alive.remove(1)

    def tensors() -> Iterator[tuple[str, Any]]:
        for number in range(5):
            array = np.zeros(1000, np.float32).view(Counted)
            alive.append(1)
            assert len(alive) <= 2
            yield f"t{number}", array
            del array

    gc.save(tmp_path / "new.gguf", {}, tensors())


def test_what_fails_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "new.gguf"

    def failing() -> Iterator[tuple[str, Any]]:
        yield "a", np.zeros(3, np.float32)
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        gc.save(path, {}, failing())
    with pytest.raises(BuildError, match="no tensor type holds"):
        gc.save(path, {}, {"a": np.zeros(3, np.uint16)})
    with pytest.raises(TypeConflictError, match=r"x\.y"):
        gc.save(path, {"x.y": 1})
    assert not list(tmp_path.iterdir())
    gc.save(path, {})
    with pytest.raises(DestinationExistsError, match="exists"):
        gc.save(path, {})
    gc.save(path, {"a:uint8": 1}, overwrite=True)


def test_an_empty_model_is_filled_step_by_step(tmp_path: Path) -> None:
    with gc.new("llama", byte_order="big") as model:
        assert (model.byte_order, len(model.metadata), len(model.tensors)) == ("big", 1, 0)
        model.tensors["a"] = TENSORS["b.weight"]
        model.save(tmp_path / "new.gguf")
    with gc.open(tmp_path / "new.gguf") as model:
        assert model.metadata["general.architecture"] == "llama"
        assert (model.tensors["a"].dequantize() == TENSORS["b.weight"]).all()


@pytest.mark.parametrize(
    ("form", "message"),
    [
        ({"byte_order": "middle"}, "'middle' is no byte order"),
        ({"version": 1}, "version 1"),
        ({"byte_order": "big", "version": 2}, "version 2 has no big-endian files"),
    ],
)
def test_forms_that_there_are_not(form: dict[str, Any], message: str) -> None:
    with pytest.raises(BuildError, match=message):
        gc.new(**form)


def test_many_tensors_take_no_quadratic_time() -> None:
    with gc.new() as model:
        for number in range(20_000):
            model.tensors[f"t{number}"] = TENSORS["a.weight"]
        assert len(model.tensors) == 20_000

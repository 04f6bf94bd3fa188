"""Tensors put in, taken out, renamed and reordered, and the file that a save makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gguf_construct as gc
from gguf_construct.errors import BuildError, EditError, GGUFError, KeyNotFoundError
from tests.support import builders as b
from tests.support.unknown import TENSOR_TYPE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

A = np.arange(12, dtype="<f4").reshape(3, 4)
THREE = (
    b.Tensor(b"a", (4, 3), 0, A.tobytes()),
    b.Tensor(b"b", (32,), 8, bytes(range(34))),
    b.Tensor(b"c", (2,), 0, b"\x01\0\xc0\x7f" + bytes(4)),
)


def _open(*tensors: b.Tensor, order: str = "<") -> gc.Model:
    return gc.open(_bytes(tensors or THREE, order))


def _bytes(tensors: tuple[b.Tensor, ...], order: str = "<") -> bytes:
    if order == ">":
        tensors = tuple(one._replace(data=_swapped(one)) for one in tensors)
    byte_order = b.BIG if order == ">" else b.LITTLE
    return b.build(b.Model(tensors=tensors, byte_order=byte_order)).data


def _swapped(tensor: b.Tensor) -> bytes:
    """The data with its bytes turned, as a block of Q8_0 or as 32-bit numbers."""
    if tensor.type == 8:
        return tensor.data[1::-1] + tensor.data[2:]
    return np.frombuffer(tensor.data, "<u4").astype(">u4").tobytes()


def _saved(model: gc.Model) -> gc.Model:
    return gc.open(model.to_bytes())


def _put(tensors: Any) -> None:
    tensors["d"] = np.ones((2, 2), np.float16)


def _replace(tensors: Any) -> None:
    tensors["a"] = A + 1


def _drop(tensors: Any) -> None:
    del tensors["b"]


def _rename(tensors: Any) -> None:
    tensors.rename("a", "z")


def _reorder(tensors: Any) -> None:
    tensors.reorder(["c", "a", "b"])


EDITS: list[tuple[Callable[[Any], None], list[str], list[str]]] = [
    (_put, ["a", "b", "c", "d"], ["a", "b", "c"]),
    (_replace, ["a", "b", "c"], ["b", "c"]),
    (_drop, ["a", "c"], ["a", "c"]),
    (_rename, ["z", "b", "c"], ["b", "c"]),
    (_reorder, ["c", "a", "b"], ["a", "b", "c"]),
]


@pytest.mark.parametrize(("change", "names", "kept"), EDITS)
@pytest.mark.parametrize("order", ["<", ">"])
def test_an_edit_changes_what_it_names_and_no_other_byte(
    change: Callable[[Any], None], names: list[str], kept: list[str], order: str
) -> None:
    model = _open(order=order)
    before = {name: tensor.raw for name, tensor in model.tensors.items()}
    change(model.tensors)
    assert model.is_changed
    assert list(model.tensors) == names == [one.name for one in model.tensors.all]
    assert [one.index for one in model.tensors.all] == list(range(len(names)))
    written = _saved(model)
    assert list(written.tensors) == names
    assert not written.is_changed
    for name in kept:
        assert written.tensors[name].raw == before[name]
    problems = gc.validate(model.to_bytes(), profile="spec").problems
    assert not [one for one in problems if not one.code.startswith("key-")]


def test_values_come_out_as_they_went_in() -> None:
    model = _open(order=">")
    model.tensors["a"] = A * 2
    model.tensors["half"] = np.array([1.5, -2], np.float16)
    model.tensors["big"] = np.array([1, -2, 3], ">i8")
    model.tensors["scalar"] = np.float64(0.1)
    written = _saved(model)
    assert written.byte_order == "big"
    assert (written.tensors["a"].dequantize() == A * 2).all()
    assert (written.tensors["half"].dequantize() == [1.5, -2]).all()
    assert (written.tensors["big"].dequantize() == [1, -2, 3]).all()
    assert written.tensors["scalar"].dequantize() == 0.1
    assert written.tensors["scalar"].dims == ()


def test_a_tensor_of_another_model_is_copied_across_byte_orders(tmp_path: Path) -> None:
    path = tmp_path / "other.gguf"
    path.write_bytes(_bytes(THREE[:2]))
    model = _open(order=">")
    with gc.open(path) as other:
        model.tensors["a"] = other.tensors["b"]
        model.tensors["twice"] = other.tensors["a"]
        written = _saved(model)
        assert written.tensors["a"].type_name == "Q8_0"
        assert (written.tensors["a"].dequantize() == other.tensors["b"].dequantize()).all()
        assert (written.tensors["twice"].dequantize() == A).all()
    with pytest.raises(GGUFError, match="closed"):
        model.save(tmp_path / "new.gguf")
    assert not (tmp_path / "new.gguf").exists()


def test_a_name_is_given_once() -> None:
    model = _open(*THREE, THREE[0])
    with pytest.raises(EditError, match="two tensors are called 'a'"):
        model.tensors["a"] = A
    with pytest.raises(EditError, match="there is a tensor 'c' already"):
        model.tensors.rename("b", "c")
    with pytest.raises(KeyNotFoundError, match="no tensor 'x'"):
        del model.tensors["x"]
    with pytest.raises(EditError, match="name each of the 4 tensors once"):
        model.tensors.reorder(["a", "b"])
    with pytest.raises(EditError, match="have the same name"):
        model.tensors.reorder(["a", "a", "b", "c"])
    assert not model.is_changed


def test_renaming_to_itself_and_clearing() -> None:
    model = _open()
    model.tensors.rename("a", "a")
    assert list(model.tensors) == ["a", "b", "c"]
    model.tensors.clear()
    written = _saved(model)
    assert not written.tensors
    assert written.file_size == written.header_end


def test_the_old_layout_cannot_be_kept(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(_bytes(THREE))
    with gc.open(path) as model:
        model.tensors["a"] = A
        with pytest.raises(BuildError, match="tensors were edited"):
            model.save(policy="keep")
        with pytest.raises(BuildError, match="tensors were edited"):
            model.save(strategy="in-place")
        with pytest.raises(BuildError, match="tensors were edited"):
            model.save(strategy="insert")
        assert model.save(strategy="auto").strategy == "replace"
        assert not model.is_changed


@pytest.mark.parametrize("verify", ["none", "header", "full", "kaitai"])
def test_each_check_sees_the_edited_tensors(verify: str, tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(_bytes(THREE))
    with gc.open(path) as model:
        model.tensors["a"] = A * 3
        del model.tensors["b"]
        wanted = gc.hash_model(model).content
        model.save(verify=verify)
        assert gc.hash_model(model).content == wanted
        assert (model.tensors["a"].dequantize() == A * 3).all()


def test_hashes_and_differences_count_edits() -> None:
    model, other = _open(), _open()
    assert not gc.diff_models(model, other).tensors
    model.tensors["a"] = A * 3
    rows = gc.diff_models(other, model).tensors
    assert [(row.name, row.differs) for row in rows] == [("a", ("data",))]
    model.tensors["a"] = A
    assert not gc.diff_models(other, model).tensors


@pytest.mark.parametrize("order", ["little", "big"])
def test_edited_tensors_are_converted(order: str, tmp_path: Path) -> None:
    model = _open()
    model.tensors["a"] = A * 3
    path = tmp_path / "c.gguf"
    gc.convert(model, path, byte_order=order)
    with gc.open(path) as written:
        assert written.byte_order == order
        assert (written.tensors["a"].dequantize() == A * 3).all()
        assert written.tensors["c"].dequantize().view(np.uint32)[0] == 0x7FC00001


def test_an_unknown_type_is_copied_but_not_swapped() -> None:
    other = _open(b.Tensor(b"odd", (4,), TENSOR_TYPE, bytes(32)))
    model = _open()
    model.tensors["odd"] = other.tensors["odd"]
    assert _saved(model).tensors["odd"].type == TENSOR_TYPE
    model = _open(order=">")
    model.tensors["odd"] = other.tensors["odd"]
    with pytest.raises(BuildError, match=f"tensor type {TENSOR_TYPE}"):
        model.to_bytes()


def test_several_names_are_given_at_once() -> None:
    tensors = _open().tensors
    first, second, *rest = list(tensors)
    data = [tensors[first].raw, tensors[second].raw]
    tensors.rename_all({first: second, second: first})
    assert list(tensors) == [second, first, *rest]
    assert [one.raw for one in tensors.all[:2]] == data
    with pytest.raises(EditError, match="there is a tensor 'x' already"):
        tensors.rename_all({first: "x", second: "x"})
    with pytest.raises(KeyNotFoundError, match="no tensor 'gone'"):
        tensors.drop([first, "gone"])
    assert list(tensors) == [second, first, *rest]
    tensors.drop([first, second])
    assert list(tensors) == rest

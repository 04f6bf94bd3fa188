"""Edits of tensors chosen by patterns: what is chosen, what becomes of it, what is refused."""

from __future__ import annotations

import pytest

from gguf_construct.editing.tensors import (
    drop_tensors,
    matching,
    order_tensors,
    rename_tensors,
    requantize_tensors,
    take_tensors,
)
from gguf_construct.errors import BuildError, EditError, KeyNotFoundError
from gguf_construct.model import Model, open_model
from tests.support import builders as b

NAMES = ("v.0.a", "v.1.a", "v.1.b", "blk.0.w", "blk.0.norm", "ids", "odd[x]", "odd")
DIMS = {"blk.0.norm": (64,), "odd": (20, 2)}


def _model(scale: int = 1) -> Model:
    """Matrices and a vector of F32, and whole numbers; `scale` changes the first element."""
    tensors = [
        b.Tensor(
            name.encode(),
            dims := DIMS.get(name, (32, 2)),
            26 if name == "ids" else 0,
            bytes([0, 0, scale, 0x3F]) * (dims[0] * (dims[1] if len(dims) > 1 else 1)),
        )
        for name in NAMES
    ]
    return open_model(b.build(b.Model(tensors=tuple(tensors))).data)


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("v.*", "v.0.a v.1.a v.1.b"),
        ("v.?.a", "v.0.a v.1.a"),
        ("v.[!0].*", "v.1.a v.1.b"),
        ("odd[x]", "odd[x]"),
        ("ids", "ids"),
    ],
)
def test_names_and_patterns(pattern: str, expected: str) -> None:
    assert [one.name for one in matching(_model(), pattern)] == expected.split()


def test_dropping() -> None:
    model = _model()
    changes = drop_tensors(model, ["v.1.*", "*.a"])
    assert [(one.action, one.key, one.old) for one in changes] == [
        ("drop", "v.1.a", "F32 [2, 32]"),
        ("drop", "v.1.b", "F32 [2, 32]"),
        ("drop", "v.0.a", "F32 [2, 32]"),
    ]
    assert list(model.tensors) == list(NAMES[3:])
    with pytest.raises(KeyNotFoundError, match=r"no tensor matches 'v\.\*'"):
        drop_tensors(model, ["v.*"])


@pytest.mark.parametrize(
    ("rules", "expected"),
    [
        ([("v.*", "vision.*")], "vision.0.a vision.1.a vision.1.b"),
        ([("v.?.*", "x.?-*")], "x.0-a x.1-a x.1-b"),
        ([("v.[01].a", "[01].z")], "0.z 1.z v.1.b"),
        ([("v.1.b", "q"), ("v.*", "w.*")], "w.0.a w.1.a q"),
        ([("v.1.a", "v.1.b"), ("v.1.b", "v.1.a")], "v.0.a v.1.b v.1.a"),
        ([("v.1.a", "v.1.a")], "v.0.a v.1.a v.1.b"),
    ],
)
def test_renaming(rules: list[tuple[str, str]], expected: str) -> None:
    model = _model()
    before = [one.raw for one in model.tensors.all]
    changes = rename_tensors(model, rules)
    assert list(model.tensors) == [*expected.split(), *NAMES[3:]]
    assert [one.raw for one in model.tensors.all] == before
    assert len(changes) == sum(old != new for old, new in zip(NAMES, model.tensors, strict=True))


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        (("v.*", "w"), "has 0 wildcards, the old one 1"),
        (("v.*", ""), "the new name '' has 0 wildcards"),
        (("v.1.a", "ids"), "there is a tensor 'ids' already"),
        (("gone", "ids"), "no tensor matches 'gone'"),
    ],
)
def test_names_that_cannot_be_given(rule: tuple[str, str], message: str) -> None:
    model = _model()
    with pytest.raises((EditError, KeyNotFoundError), match=message):
        rename_tensors(model, [rule])
    assert list(model.tensors) == list(NAMES)


def test_taking_replaces_or_appends() -> None:
    model, other = _model(), _model(2)
    drop_tensors(model, ["v.0.a"])
    changes = take_tensors(model, other, "v.?.a")
    assert [(one.key, one.old) for one in changes] == [("v.0.a", None), ("v.1.a", "F32 [2, 32]")]
    assert list(model.tensors) == [*NAMES[1:], "v.0.a"]
    assert model.tensors["v.1.a"].raw == other.tensors["v.1.a"].raw != model.tensors["v.1.b"].raw


def test_a_pattern_requantizes_matrices_only() -> None:
    model = _model()
    changes = requantize_tensors(model, "*", "Q8_0")
    assert [one.key for one in changes] == ["v.0.a", "v.1.a", "v.1.b", "blk.0.w", "odd[x]"]
    assert changes[0][2:5] == ("Q8_0", "F32 [2, 32]", "Q8_0 [2, 32]")
    assert [one.type_name for one in model.tensors.all][4:] == ["F32", "I32", "Q8_0", "F32"]
    assert requantize_tensors(model, "v.*", "Q8_0") == []
    assert requantize_tensors(model, "blk.0.norm", "F16")[0].new == "F16 [64]"


@pytest.mark.parametrize(
    ("pattern", "type", "message"),
    [
        ("odd", "Q8_0", "rows of 20 elements are not whole Q8_0 blocks of 32"),
        ("v.*", "Q9", "there is no tensor type 'Q9'"),
        ("gone", "F16", "no tensor matches 'gone'"),
    ],
)
def test_what_cannot_be_requantized(pattern: str, type: str, message: str) -> None:
    with pytest.raises((BuildError, KeyNotFoundError), match=message):
        requantize_tensors(_model(), pattern, type)


def test_ordering() -> None:
    model = _model()
    assert order_tensors(model, ["v.*"]) == []
    (change,) = order_tensors(model, ["ids", "*.a"])
    assert list(model.tensors)[:4] == ["ids", "v.0.a", "v.1.a", "v.1.b"]
    assert (change.old, change.new) == ("v.0.a", "ids")

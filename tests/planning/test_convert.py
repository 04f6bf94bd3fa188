"""Conversion against the builder: the result is the file that would have been written so.

The builder writes the same content in the other byte order or version, with tensors swapped by
the typed-in block table: nothing of the library has a part in the truth.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given

from gguf_construct.errors import BuildError, GGUFError, ParseError, TruncatedError
from gguf_construct.model import open_model
from gguf_construct.planning import convert as convert_module
from gguf_construct.planning.convert import plan_convert
from gguf_construct.storage.write.in_memory import plan_bytes
from tests.support import builders as b
from tests.support import unknown
from tests.support.blocks import BLOCKS, swap_bytes
from tests.support.builders import Model, build
from tests.support.cases import BAD, CASES, VALID
from tests.support.cases_valid import base
from tests.support.shared import fixture_files, needs_shared, shared_path
from tests.support.strategies import models

if TYPE_CHECKING:
    from pathlib import Path

    from gguf_construct.planning.convert import Conversion
    from tests.support.cases import BadCase, ValidCase

OTHER: dict[str, b.ByteOrder] = {b.LITTLE: b.BIG, b.BIG: b.LITTLE}


def planned(data: bytes, **how: Any) -> tuple[bytes, Conversion]:
    """The converted bytes, and the conversion."""
    with open_model(data) as model:
        conversion = plan_convert(model, **how)
        return plan_bytes(conversion.plan, [model.source]), conversion


def converted(data: bytes, **how: Any) -> bytes:
    return planned(data, **how)[0]


def turned(model: Model) -> Model:
    """The same content in the other byte order, of the version that this takes."""
    order = OTHER[model.byte_order]
    tensors = tuple(one._replace(data=swap_bytes(one.type, one.data)) for one in model.tensors)
    version = 3 if order == b.BIG else model.version
    return replace(model, byte_order=order, tensors=tensors, version=version)


def there_and_back(data: bytes) -> bytes:
    with open_model(data) as model:
        order = model.byte_order
    return converted(converted(data, byte_order=OTHER[order]), byte_order=order)


@pytest.mark.parametrize("case", VALID, ids=str)
def test_to_the_other_byte_order(case: ValidCase) -> None:
    model = case.built.model
    assert converted(case.data, byte_order=OTHER[model.byte_order]) == build(turned(model)).data


@pytest.mark.parametrize("case", [it for it in VALID if it.built.model.version == 3], ids=str)
def test_twice_is_the_identity(case: ValidCase) -> None:
    assert there_and_back(case.data) == case.data


@given(models())
def test_any_document_to_the_other_byte_order(model: Model) -> None:
    data, order = build(model).data, OTHER[model.byte_order]
    result = converted(data, byte_order=order)
    # A header of another length is padded with zeros.
    if model.version > 1 or order == b.LITTLE or not model.pad_byte:
        assert result == build(turned(model)).data
    if model.version == 3:
        assert converted(result, byte_order=model.byte_order) == data


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize(
    "case", [it for it in VALID if it.built.model.byte_order == b.LITTLE], ids=str
)
def test_to_another_version(case: ValidCase, version: int) -> None:
    expected = build(replace(case.built.model, version=version)).data
    assert converted(case.data, version=version) == expected


def test_version_and_byte_order_at_once() -> None:
    case = CASES["strings-v1-little"]
    expected = build(turned(case.built.model)).data
    assert converted(case.data, byte_order="big", version=3) == expected
    assert (
        converted(expected, byte_order="little", version=2)
        == build(replace(case.built.model, version=2)).data
    )


def test_big_endian_files_become_version_3_and_that_is_said() -> None:
    data, conversion = planned(CASES["strings-v2-little"].data, byte_order="big")
    with open_model(data) as model:
        assert (model.version, model.byte_order) == (3, "big")
    assert conversion.notes == ("version 2 has no big-endian files: this one becomes version 3",)
    assert [(it.key, it.old, it.new) for it in conversion.changes] == [
        ("byte_order", "little", "big"),
        ("version", 2, 3),
    ]


@pytest.mark.parametrize(
    ("name", "how", "words"),
    [
        ("strings-v3-little", {"byte_order": "middle"}, "no byte order"),
        ("strings-v3-little", {"version": 1}, "version 1"),
        ("strings-v3-little", {"version": unknown.VERSION}, f"version {unknown.VERSION}"),
        ("strings-v3-little", {"version": 2, "byte_order": "big"}, "version 3 has"),
        ("strings-v2-little", {"version": 2, "byte_order": "big"}, "version 3 has"),
        ("strings-v3-big", {"version": 2}, "version 3 has"),
    ],
)
def test_what_cannot_be(name: str, how: dict[str, Any], words: str) -> None:
    with pytest.raises(BuildError, match=words):
        planned(CASES[name].data, **how)


@pytest.mark.parametrize("how", [{}, {"byte_order": "big"}, {"version": 3}])
def test_nothing_to_convert(how: dict[str, Any]) -> None:
    case = CASES["strings-v3-big"]
    data, conversion = planned(case.data, **how)
    assert (data, conversion.changes, conversion.notes) == (case.data, (), ())


@pytest.mark.parametrize(
    ("name", "error", "words"),
    [
        ("offset-overlap", BuildError, "F32 data from 0x100 on overlaps that of 't0'"),
        ("offset-overlap-half", BuildError, "overlaps that of 't0', which ends at 0x120"),
        ("offset-past-end", TruncatedError, "'t1'"),
        ("offset-wraps", TruncatedError, "'t1'"),
        ("dims-2^62", TruncatedError, "'t'"),
        ("block-33", BuildError, "'t' at 0x.*rows of 33 elements.*Q4_0"),
        ("removed-Q4_2", BuildError, "'t' at 0x.*Q4_2"),
        ("removed-Q4_0_4_4", BuildError, "Q4_0_4_4"),
        ("future-next+0", BuildError, f"'t' at 0x.*{unknown.TENSOR_TYPE}"),
        ("future-last", BuildError, r"tensor_infos\[1\] 't'"),
    ],
)
def test_tensors_that_cannot_be_swapped(name: str, error: type[GGUFError], words: str) -> None:
    case = CASES[name]
    with pytest.raises(error, match=words) as caught:
        planned(case.data, byte_order=OTHER[case.built.model.byte_order])
    assert caught.value.offset in range(case.built.header_end)


def test_an_unknown_type_is_named_before_any_other_fault() -> None:
    """Nothing is known of the size of its data, so what the offsets seem to say is no help."""
    model = CASES["offset-overlap"].built.model
    *others, last = model.tensors
    data = build(replace(model, tensors=(*others, last._replace(type=unknown.TENSOR_TYPE)))).data
    with pytest.raises(BuildError, match=f"{unknown.TENSOR_TYPE}, which no known version"):
        planned(data, byte_order=OTHER[model.byte_order])


@pytest.mark.parametrize("case", BAD, ids=str)
def test_files_that_are_not_right(case: BadCase) -> None:
    """Refused, or converted so that converting back gives the file."""
    try:
        again = there_and_back(case.data)
    except GGUFError:
        return
    with open_model(case.data) as model:
        if model.version == 3:
            assert again == case.data


def test_unknown_types_may_change_their_version() -> None:
    case = CASES["future-next+0"]
    data = converted(case.data, version=2)
    assert data == build(replace(case.built.model, version=2)).data


def test_types_that_ggml_cannot_decode_are_named() -> None:
    data = CASES["type-IQ2_XS-little"].data
    _, conversion = planned(data, byte_order="big")
    assert len(conversion.notes) == 1
    assert "IQ2_XS" in conversion.notes[0]
    assert planned(CASES["type-IQ2_XS-big"].data, byte_order="little")[1].notes == ()
    assert planned(CASES["type-Q4_K-little"].data, byte_order="big")[1].notes == ()


def test_pending_edits_are_included() -> None:
    case = CASES["type-Q5_K-little"]
    with open_model(case.data) as model:
        model.metadata.set("x.words", ["one", "two"], "[string]")
        plan = plan_convert(model, byte_order="big").plan
        data = plan_bytes(plan, [model.source])
    pair = b.Pair(b"x.words", b.array(b.STRING, b"one", b"two"))
    edited = replace(case.built.model, pairs=(*case.built.model.pairs, pair))
    assert data == build(turned(edited)).data


def test_a_pending_alignment_lays_the_data_out_again() -> None:
    case = CASES["alignment-64-little"]
    with open_model(case.data) as model:
        model.metadata["general.alignment"] = 8
        data = plan_bytes(plan_convert(model, byte_order="big").plan, [model.source])
    pairs = tuple(
        pair._replace(value=b.u32(8)) if pair.key == b"general.alignment" else pair
        for pair in case.built.model.pairs
    )
    assert data == build(turned(replace(case.built.model, pairs=pairs))).data


def test_gaps_and_disorder_stay() -> None:
    def three(order: b.ByteOrder) -> bytes:
        raw = [bytes(range(n, n + 32)) for n in (0, 40, 80)]
        data = raw if order == b.LITTLE else [swap_bytes(0, it) for it in raw]
        tensors = tuple(
            b.Tensor(b"t%d" % at, (8,), 0, data[at], place=place)
            for at, place in enumerate((128, 0, 40))
        )
        model = Model(tensors=tensors, byte_order=order, pad_byte=0xEE, tail=b"tail")
        return build(model).data

    assert converted(three(b.LITTLE), byte_order="big") == three(b.BIG)


# ---- real files ------------------------------------------------------------------------------


def fixture(name: str) -> bytes:
    folder = shared_path()
    assert folder is not None
    return (folder / "fixtures" / "endian" / name).read_bytes()


@needs_shared
def test_ggml_writes_the_same_on_a_big_endian_machine() -> None:
    little, big = fixture("le.gguf"), fixture("be.gguf")
    _same_outside_codebooks(converted(little, byte_order="big"), big)
    _same_outside_codebooks(converted(big, byte_order="little"), little)


def _same_outside_codebooks(ours: bytes, theirs: bytes) -> None:
    """There, ggml's quantiser searches its codebooks in the order of the host's bytes."""
    with open_model(theirs) as model:
        start = model.data_start
        assert ours[:start] == theirs[:start]
        covered = start
        for tensor in model.tensors.all:
            assert tensor.nbytes is not None
            end = tensor.data_offset + tensor.nbytes
            assert ours[covered : tensor.data_offset] == theirs[covered : tensor.data_offset]
            if not tensor.type_name.startswith(("IQ1", "IQ2", "IQ3")):
                assert ours[tensor.data_offset : end] == theirs[tensor.data_offset : end], tensor
            covered = end
        assert ours[covered:] == theirs[covered:]
        assert {tensor.type for tensor in model.tensors.all} == set(BLOCKS) - {15}  # no Q8_K


@needs_shared
@pytest.mark.parametrize("path", fixture_files(), ids=lambda path: path.stem)
def test_every_real_file_comes_back(path: Path) -> None:
    data = path.read_bytes()
    with open_model(data) as model:
        version = model.version
    again = there_and_back(data)
    assert again == (data if version == 3 else converted(data, version=3))


@needs_shared
@pytest.mark.parametrize("order", ["little", "big"])
def test_values_are_those_that_ggml_decodes(order: str) -> None:
    np = pytest.importorskip("numpy")
    folder = shared_path()
    assert folder is not None
    wanted = np.load(folder / "fixtures" / "endian" / "values.npz")
    data = (
        fixture("le.gguf") if order == "little" else converted(fixture("le.gguf"), byte_order=order)
    )
    with open_model(data) as model:
        checked = 0
        for name in wanted.files:
            tensor = model.tensors[name]
            try:
                values = tensor.dequantize()
            except BuildError:
                assert tensor.type_name.startswith("IQ")  # no codebook is installed
                continue
            expected = np.asarray(wanted[name], np.float32).reshape(tensor.shape)
            assert values.astype(np.float32).tobytes() == expected.tobytes(), name
            checked += 1
        assert checked >= 20


def test_parse_errors_come_first() -> None:
    with pytest.raises(ParseError):
        planned(b"GGUF", byte_order="big")


@pytest.mark.parametrize(
    "value",
    [b.u64(1), b.array(b.UINT64, 1), b.array(b.ARRAY, b.Array(b.ARRAY, (b.Array(b.UINT64),)))],
)
def test_a_value_type_that_the_version_lacks_is_refused(
    value: b.Value, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = build(base(b.Pair(b"x.new", value))).data
    assert converted(data, version=2) != data
    monkeypatch.setattr(convert_module, "VALUE_TYPE_SINCE", {b.UINT64: 3})
    with pytest.raises(BuildError, match="version 2 has no values of type uint64") as caught:
        planned(data, version=2)
    assert caught.value.path == "x.new"
    assert converted(data, byte_order="big") != data

"""Cases over files of the next version; they pass only in a copy whose schema has it.

`python -m tools.next_version` makes the copy and runs them there.
"""

from __future__ import annotations

import json
from struct import pack
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import gguf_construct as gc
from gguf_construct._generated.construct_schema import header_for
from gguf_construct.byte_map.spans import byte_map
from gguf_construct.core.codec import build, parse
from gguf_construct.core.kaitai_reader import load_kaitai
from gguf_construct.core.partial import salvage
from gguf_construct.errors import BuildError
from tests.support import builders as b
from tools.next_version.answers import built_version, converted_version, hashes
from tools.next_version.files import SIGN, new_file, new_model, old_file
from tools.next_version.numbers import (
    ANSWERS,
    CHECKSUM,
    FLAGS,
    FLAGS_DEFAULT,
    STAMPS,
    TENSOR_TYPE,
    THIS_VERSION,
    VALUE_TYPE,
    VERSION,
)

if TYPE_CHECKING:
    from pathlib import Path

ORDERS = (b.LITTLE, b.BIG)
OTHER = {b.LITTLE: b.BIG, b.BIG: b.LITTLE}
order_of_each = pytest.mark.parametrize("order", ORDERS)


def answers() -> dict[str, Any]:
    """What the program said before it had the next version."""
    found: dict[str, Any] = json.loads(ANSWERS.read_text(encoding="utf-8"))
    return found


def converted(data: bytes, folder: Path, **how: Any) -> bytes:
    """The bytes of a converted file."""
    path = folder / "converted.gguf"
    gc.convert(data, path, overwrite=True, **how)
    return path.read_bytes()


@order_of_each
def test_everything_new_is_read(order: b.ByteOrder) -> None:
    document = parse(new_model(order))
    body: Any = document.body
    assert (document.version, document.byte_order, body.flags) == (VERSION, order, FLAGS)
    assert [info.checksum for info in body.tensor_infos] == [CHECKSUM] * 3
    field = document.metadata.field("x.when")
    assert (field.value_type, field.type, field.value) == (VALUE_TYPE, "timestamp", STAMPS[2])
    assert document.metadata.field("x.whens").plain_value == list(STAMPS)
    tensor = document.tensors["odd"]
    assert (tensor.type, tensor.type_name, tensor.nbytes) == (TENSOR_TYPE, "Q3_0", 56)
    assert body.at("num_tensors") - body.at("flags") == 4


@order_of_each
def test_codec_and_construct_build_the_same_bytes(order: b.ByteOrder) -> None:
    for data in (new_model(order), new_file(order), old_file(order)):
        document = parse(data)
        assert build(document) == data
        declaration = header_for(data)
        parsed = declaration.parse(data)
        assert declaration.build(parsed) == data[: document.header_end]
        assert parsed.body.ofs_header_end == document.header_end


@order_of_each
def test_kaitai_reads_the_same(order: b.ByteOrder) -> None:
    data = new_model(order)
    body = load_kaitai().Gguf.from_bytes(data).body
    assert (body.version, body.flags) == (VERSION, FLAGS)
    assert [info.checksum for info in body.tensor_infos] == [CHECKSUM] * 3
    assert body.metadata[-3].value.value == STAMPS[2]
    assert [one.d for one in body.tensor_infos[2].data.blocks] == [0x3C00 + i for i in range(4)]
    assert body.ofs_data == parse(data).data_start
    old = load_kaitai().Gguf.from_bytes(old_file(order)).body
    assert not hasattr(old, "flags")


@order_of_each
def test_the_map_names_every_byte(order: b.ByteOrder) -> None:
    data = new_model(order)
    spans = list(byte_map(data))
    assert [span.start for span in spans[1:]] == [span.end for span in spans[:-1]]
    assert (spans[0].start, spans[-1].end) == (0, len(data))
    by_path = {span.path: span for span in spans}
    assert by_path["flags"].value == FLAGS
    assert "checksum" in str([path for path in by_path if "checksum" in path])


@order_of_each
def test_a_broken_header_is_read_as_far_as_it_goes(order: b.ByteOrder) -> None:
    data = new_model(order)
    whole = parse(data)
    for size in range(0, whole.header_end, 7):
        found = salvage(data[:size])
        assert found.error is not None
        if found.document is not None:
            assert found.document.body.version == VERSION
            assert getattr(found.document.body, "flags") == FLAGS  # noqa: B009 - only here


@order_of_each
def test_the_validator_finds_nothing_new(order: b.ByteOrder) -> None:
    assert gc.validate(new_file(order)).codes == gc.validate(old_file(order)).codes
    news = gc.validate(new_model(order)).codes - gc.validate(old_file(order)).codes
    assert not {code for code in news if code.startswith(("version", "value-type", "tensor-type"))}


@order_of_each
def test_the_other_byte_order_and_back(order: b.ByteOrder, tmp_path: Path) -> None:
    turned = converted(new_model(order), tmp_path, byte_order=OTHER[order])
    assert turned == new_model(OTHER[order])
    assert converted(turned, tmp_path, byte_order=order) == new_model(order)


@order_of_each
def test_the_next_version_and_back(order: b.ByteOrder, tmp_path: Path) -> None:
    raised = converted(old_file(order), tmp_path, version=VERSION)
    assert raised == new_file(order)
    assert converted(raised, tmp_path, version=THIS_VERSION) == old_file(order)
    assert getattr(parse(raised).body, "flags") == FLAGS_DEFAULT  # noqa: B009 - only here


def test_what_an_older_version_cannot_hold_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "old.gguf"
    with pytest.raises(BuildError, match="no values of type timestamp"):
        gc.convert(new_model(b.LITTLE), path, version=THIS_VERSION)
    with gc.open(new_model(b.LITTLE)) as model:
        for key in ("x.when", "x.whens", "x.many"):
            del model.metadata[key]
        with pytest.raises(BuildError, match=r"flags.*would be lost"):
            gc.convert(model, path, version=THIS_VERSION)
    assert not path.exists()


def test_facts_that_a_new_version_does_not_change() -> None:
    found = {
        "built": built_version(),
        "big-endian": converted_version(old_file(b.LITTLE, 2), byte_order="big"),
        "version 1": converted_version(old_file(b.LITTLE), version=1),
    }
    assert found == {name: answer for name, answer in answers().items() if name != "hashes"}


@order_of_each
def test_hashes_stay_what_they_are(order: b.ByteOrder) -> None:
    assert hashes(old_file(order)) == answers()["hashes"]
    assert hashes(new_file(order)) == answers()["hashes"]


@order_of_each
def test_an_export_is_built_again_to_the_byte(order: b.ByteOrder, tmp_path: Path) -> None:
    for number, data in enumerate((new_model(order), new_file(order))):
        folder = tmp_path / str(number)
        gc.export_model(data, folder)
        gc.build_model(folder, tmp_path / "built.gguf", overwrite=True)
        assert (tmp_path / "built.gguf").read_bytes() == data


@order_of_each
@pytest.mark.parametrize("strategy", ["replace", "auto"])
def test_an_edit_keeps_the_rest(order: b.ByteOrder, strategy: str, tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(new_model(order))
    with gc.open(path) as model:
        model.metadata.set("x.later", STAMPS[2], type="timestamp")
        model.save(strategy=strategy, verify="full")
    later = b.Value(VALUE_TYPE, pack(f"{SIGN[order]}q", STAMPS[2]))
    assert path.read_bytes() == new_model(order, b.Pair(b"x.later", later))


@order_of_each
def test_a_model_made_in_python_has_either_version(order: b.ByteOrder, tmp_path: Path) -> None:
    for version in (THIS_VERSION, VERSION):
        path = tmp_path / f"{version}.gguf"
        gc.save(path, {"x.when:int64": STAMPS[0]}, {"t": np.arange(4, dtype=np.float32)},
                byte_order=order, version=version)  # fmt: skip
        with gc.open(path) as model:
            assert (model.version, model.metadata["x.when"]) == (version, STAMPS[0])
            assert getattr(model.body, "flags") == FLAGS_DEFAULT  # noqa: B009 - only here
    with gc.new() as model:
        assert model.version == answers()["built"]


@order_of_each
def test_differences_of_the_new_fields_are_told(order: b.ByteOrder) -> None:
    one = new_model(order)
    changed = bytearray(one)
    changed[8] ^= 0xFF
    found = gc.diff_models(one, bytes(changed))
    assert any("flags" in note for note in found.notes)
    place = parse(one).tensors["odd"].record.at("checksum")
    other = bytearray(one)
    other[place] ^= 0xFF
    (row,) = gc.diff_models(one, bytes(other)).tensors
    assert (row.name, row.differs) == ("odd", ("checksum",))


def test_a_type_without_a_decoder_says_so() -> None:
    with (
        gc.open(new_model(b.LITTLE)) as model,
        pytest.raises(BuildError, match="decoding Q3_0 is not supported"),
    ):
        model.tensors["odd"].dequantize()

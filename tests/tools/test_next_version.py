"""The tool that tries out the next version: its edits fit the schema, and facts can be missed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from gguf_construct._generated.types import VERSIONS
from tests.support import builders as b
from tools.emit import render_all
from tools.generate import SPEC
from tools.next_version import __main__ as program
from tools.next_version.answers import todays_answers
from tools.next_version.edits import FACTS, StaleEditError, with_next_version, without_fact
from tools.next_version.files import new_file, new_model, next_bytes, old_file
from tools.next_version.numbers import FLAGS, VERSION
from tools.next_version.scratch import read_spec

if TYPE_CHECKING:
    from collections.abc import Mapping


def types_of(spec: Mapping[str, str]) -> str:
    return render_all(lambda name: spec[name], lambda *_: "x")["types.py"]


def test_the_edits_make_a_version_that_the_generator_takes() -> None:
    text = types_of(with_next_version(read_spec(SPEC)))
    assert f"VERSIONS = {(*VERSIONS, VERSION)!r}\n" in text
    assert "'tensor_info': {'checksum': 0}" in text
    assert "'body': {'flags': 1}" in text
    for line in ("    TIMESTAMP = ", "    Q3_0 = ", "        GGMLType.Q3_0,\n"):
        assert text.count(line) == 1
    assert read_spec(SPEC) != with_next_version(read_spec(SPEC))


@pytest.mark.parametrize("fact", FACTS)
def test_without_a_fact_the_schema_still_generates_but_says_something_else(fact: str) -> None:
    spec = with_next_version(read_spec(SPEC))
    assert types_of(without_fact(spec, fact)) != types_of(spec)


def test_every_fact_of_the_schema_is_tried() -> None:
    stated = re.findall(r"^  (\w+_(?:version|order)):$", read_spec(SPEC)["gguf.ksy"], re.MULTILINE)
    assert set(stated) == set(FACTS) - {"since", "default"}


def test_an_edit_that_finds_nothing_says_so() -> None:
    spec = {**read_spec(SPEC), "ggml.ksy": "meta:\n  id: ggml\n"}
    with pytest.raises(StaleEditError, match=r"ggml\.ksy has nothing like"):
        with_next_version(spec)


def test_a_field_of_the_header_makes_codecs_little_longer() -> None:
    found = program.growth(read_spec(SPEC))
    assert found.keys() == {"codec_le.py", "codec_be.py"}
    assert all(0 < share < 0.1 for share in found.values())


@pytest.mark.parametrize("order", [b.LITTLE, b.BIG])
def test_files_of_the_next_version_have_what_is_new_where_it_belongs(order: b.ByteOrder) -> None:
    old, new = old_file(order), new_file(order)
    assert new[:4] == old[:4]
    assert new[4:8] == VERSION.to_bytes(4, order)
    assert new[8:12] == (1).to_bytes(4, order)
    assert new[12:60] == old[8:56]
    assert new_model(order)[8:12] == FLAGS.to_bytes(4, order)
    one = b.Model((), (b.Tensor(b"t", (1,), 0, bytes(4)),), byte_order=order)
    header = 4 + 4 + 4 + 8 + 8 + (8 + 1 + 4 + 8 + 4 + 8 + 4)
    data = next_bytes(one, 2, 0xA1B2C3D4)
    assert data[header - 4 : header] == (0xA1B2C3D4).to_bytes(4, order)
    assert not any(data[header:])


def test_what_the_program_answers_today() -> None:
    found = todays_answers()
    assert (found["built"], found["big-endian"], found["version 1"]) == (3, 3, None)
    assert len(found["hashes"]["content"]) == 64


def test_an_unknown_fact_is_a_usage_error(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        program.main(["--without", "nothing"])
    assert caught.value.code == 2
    assert "written_version" in capsys.readouterr().err

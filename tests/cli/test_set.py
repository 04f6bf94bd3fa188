"""set, unset, rename, repack: what they change, refuse and say."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

import gguf_construct as gc
from gguf_construct.cli.main import run
from tests.support import builders as b
from tests.support.files import write_vocabulary_model

if TYPE_CHECKING:
    from pathlib import Path

Text = pytest.CaptureFixture[str]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """A little model that may be changed."""
    return write_vocabulary_model(tmp_path)


def _value(path: Path, key: str) -> tuple[str, object]:
    with gc.open(path) as opened:
        field = opened.metadata.field(key)
        return field.type, field.plain_value


SETTINGS = [
    ("general.name=New name", "general.name", "string", "New name"),
    ("general.name=", "general.name", "string", ""),
    ("general.name=@@home", "general.name", "string", "@home"),
    ("general.name=a=b:c", "general.name", "string", "a=b:c"),
    ("x.flag=false", "x.flag", "bool", False),
    ("x.flag=0", "x.flag", "bool", False),
    ("x.flag=True", "x.flag", "bool", True),
    ("tokenizer.ggml.eos_token_id=0x2", "tokenizer.ggml.eos_token_id", "uint32", 2),
    ("tokenizer.ggml.bos_token_id=1", "tokenizer.ggml.bos_token_id", "uint32", 1),
    ("llama.rope.freq_base=1e6", "llama.rope.freq_base", "float32", 1e6),
    ("x.new:u64=18446744073709551615", "x.new", "uint64", 2**64 - 1),
    ("x.new:int8=-128", "x.new", "int8", -128),
    ("x.new:f64=-inf", "x.new", "float64", float("-inf")),
    ("x.new:[i32]=[1, -2]", "x.new", "[int32]", [1, -2]),
    ("x.new:[string]=[]", "x.new", "[string]", []),
    ("x.new:[[u8]]=[[1], [2, 3]]", "x.new", "[[uint8]]", [[1], [2, 3]]),
    ("x.new:[bool]=[true, false]", "x.new", "[bool]", [True, False]),
    ('x.new:[string]=["a", {"base64": "//4="}]', "x.new", "[string]", ["a", "\udcff\udcfe"]),
    ('general.tags=["chat", "de"]', "general.tags", "[string]", ["chat", "de"]),
    ("a key with spaces:u8=1", "a key with spaces", "uint8", 1),
    ("Schlüssel:str=ä", "Schlüssel", "string", "ä"),
]


@pytest.mark.parametrize(("assignment", "key", "spec", "value"), SETTINGS)
def test_set(assignment: str, key: str, spec: str, value: object, model: Path) -> None:
    before = dict(_tensors(model))
    assert run(["set", str(model), "-i", "--force-value", assignment]) == 0
    assert _value(model, key) == (spec, value)
    assert dict(_tensors(model)) == before


def _tensors(path: Path) -> list[tuple[str, bytes]]:
    with gc.open(path) as opened:
        return [(tensor.name, tensor.raw) for tensor in opened.tensors.all]


REFUSED = [
    ("tokenizer.ggml.eos_token_id=5", "the vocabulary has 5 tokens"),
    ("tokenizer.ggml.eos_token_id=4294967296", "outside the range of uint32"),
    ("tokenizer.ggml.eos_token_id=-1", "outside the range of uint32"),
    ("tokenizer.ggml.eos_token_id=two", "is not a valid uint32"),
    ("tokenizer.ggml.eos_token_id:i32=2", "--force-type"),
    ("general.name:u8=2", "--force-type"),
    ("x.flag=maybe", "is not a valid bool"),
    ("x.unknown=5", "give a type"),
    ("x.unknown:uint33=5", "is not a value type"),
    ("x.unknown:f32=1e39", "outside the range of float32"),
    ("x.unknown:f64=1e400", "1e400 is outside the range of float64"),
    ("x.unknown:[f64]=[1.0, -1e400]", "-1e400 is outside the range of [float64]"),
    ('x.unknown:[f64]=["1e400"]', "1e400 is outside the range of float64"),
    ("x.unknown:[i32]=5", "is not a valid [int32]"),
    ("x.unknown:[i32]=[1, 2.5]", "is not a valid int32"),
    ("x.unknown:[u8]=[256]", "outside the range"),
    ("tokenizer.ggml.scores=[1, 2]", "2 elements for a vocabulary of 5 tokens"),
    ("tokenizer.chat_template={% if %}", "line 1"),
    ("general.alignment=48", "power of two"),
    ("general.alignment=0", "power of two"),
    ("x.unknown:[[i32]]=" + "[" * 100_000, "x.unknown: '[[[["),
    ("x.flag=5.5", "x.flag: '5.5' is not a valid bool"),
    ("no assignment", "KEY=VALUE"),
    ("=5", "KEY=VALUE"),
]


@pytest.mark.parametrize(("assignment", "words"), REFUSED)
def test_refused(assignment: str, words: str, model: Path, capfd: Text) -> None:
    before = model.read_bytes()
    assert run(["set", str(model), "-i", assignment]) == 2
    assert words in " ".join(capfd.readouterr().err.split())
    assert model.read_bytes() == before
    assert [path.name for path in model.parent.iterdir()] == ["model.gguf"]


FORCED = [
    ("tokenizer.ggml.eos_token_id=5", "--force-value", ("uint32", 5)),
    ("tokenizer.ggml.eos_token_id:i32=2", "--force-type", ("int32", 2)),
    ("tokenizer.chat_template={% if %}", "--force-value", ("string", "{% if %}")),
]


@pytest.mark.parametrize(("assignment", "option", "stored"), FORCED)
def test_forced(assignment: str, option: str, stored: object, model: Path, capfd: Text) -> None:
    assert run(["set", str(model), "-i", assignment, option]) == 0
    assert _value(model, assignment.partition("=")[0].partition(":")[0]) == stored
    if option == "--force-value":
        assert "warning:" in capfd.readouterr().err


def test_a_file_is_taken_byte_for_byte(model: Path, tmp_path: Path) -> None:
    text = b"line one\r\nline two\n\n"
    (tmp_path / "t.jinja").write_bytes(text)
    assert run(["set", str(model), "-i", f"tokenizer.chat_template=@{tmp_path}/t.jinja"]) == 0
    with gc.open(model) as opened:
        assert opened.metadata.field("tokenizer.chat_template").record.value == text


def test_where_to_write_must_be_said(model: Path, capfd: Text) -> None:
    assert run(["set", str(model), "general.name=x"]) == 2
    assert "-o OUT" in capfd.readouterr().err
    assert run(["set", str(model), "general.name=x", "-i", "-o", "y"]) == 2


def test_an_existing_output_is_kept(model: Path, tmp_path: Path, capfd: Text) -> None:
    out = tmp_path / "out.gguf"
    out.write_bytes(b"precious")
    assert run(["set", str(model), "general.name=x", "-o", str(out)]) == 4
    assert out.read_bytes() == b"precious"
    assert run(["set", str(model), "general.name=x", "-o", str(out), "--force"]) == 0
    assert _value(out, "general.name") == ("string", "x")


def test_output_may_be_the_input(model: Path) -> None:
    assert run(["set", str(model), "general.name=x", "-o", str(model)]) == 4
    assert run(["set", str(model), "general.name=x", "-o", str(model), "--force"]) == 0
    assert _value(model, "general.name") == ("string", "x")


def test_the_same_value_writes_nothing(model: Path, capfd: Text) -> None:
    stamp = model.stat().st_mtime_ns
    assert run(["set", str(model), "-i", "general.name=Anné", "--json"]) == 0
    told = capfd.readouterr()
    assert "nothing" in told.err
    assert json.loads(told.out)["changes"] == []
    assert run(["set", str(model), "-i", "general.name=Anné", "-q"]) == 0
    assert capfd.readouterr() == ("", "")
    assert model.stat().st_mtime_ns == stamp


def test_set_and_set_back_is_the_identity(model: Path) -> None:
    before = model.read_bytes()
    for text in ("x", "y" * 40, "Anné"):
        assert run(["set", str(model), "-i", f"general.name={text}"]) == 0
    assert model.read_bytes() == before


def test_json_report(model: Path, tmp_path: Path, capfd: Text) -> None:
    out = tmp_path / "out.gguf"
    assert run(["set", str(model), "-o", str(out), "general.name=x", "--json", "-q"]) == 0
    told = capfd.readouterr()
    report = json.loads(told.out)
    assert told.err == ""
    assert (report["schema"], report["path"]) == (1, str(out))
    # Padding is left to the file system, which reads it as zeros.
    assert out.stat().st_size - 64 < report["bytes_written"] <= out.stat().st_size
    (change,) = report["changes"]
    assert (change["key"], change["old"], change["new"]) == ("general.name", "Anné", "x")


def test_notes_for_people(model: Path, capfd: Text) -> None:
    assert run(["set", str(model), "-i", "tokenizer.ggml.eos_token_id=3"]) == 0
    assert "marked normal, not control" in capfd.readouterr().err
    assert run(["set", str(model), "-i", "x.third:f32=0.1"]) == 0
    assert "cannot hold 0.1 exactly" in capfd.readouterr().err
    assert run(["set", str(model), "-i", "x.deep:[[u8]]=[[1]]", "--force-value"]) == 0
    assert "arrays inside arrays" in capfd.readouterr().err


def test_alignment_edits_lay_the_data_out_again(model: Path) -> None:
    before = _tensors(model)
    assert run(["set", str(model), "-i", "general.alignment=128"]) == 0
    with gc.open(model) as opened:
        assert opened.alignment == 128
        assert opened.data_start % 128 == 0
    assert _tensors(model) == before
    assert run(["unset", str(model), "-i", "general.alignment"]) == 0
    assert _tensors(model) == before


def test_keys_with_equals_signs_and_colons_can_be_set(tmp_path: Path) -> None:
    odd = (b"k=e:y", b"k:u8")
    path = write_vocabulary_model(tmp_path, *(b.Pair(key, b.u32(1)) for key in odd))
    settings = [
        "k=e:y=5",
        "k:u8=6",
        "k:u8:u64=7",
        "k=e:y:i32=8",
        "k:string=e:y=9",
        "general.name=k=e",
    ]
    for setting in settings:
        assert run(["set", str(path), "-i", setting, "--force-type"]) == 0
    assert [_value(path, key) for key in ("k=e:y", "k:u8", "k", "general.name")] == [
        ("int32", 8),
        ("uint64", 7),
        ("string", "e:y=9"),
        ("string", "k=e"),
    ]


def test_a_key_is_given_once(model: Path, capsys: Text) -> None:
    before = model.read_bytes()
    assert run(["set", str(model), "-i", "general.name=a", "x.n:u8=1", "general.name:str=b"]) == 2
    assert "general.name is given twice" in capsys.readouterr().err
    assert model.read_bytes() == before


@pytest.mark.parametrize("verb", [["set", "x.n:u8=1"], ["repack"], ["convert", "--endian=big"]])
def test_a_model_is_not_written_to_standard_output(
    model: Path, verb: list[str], monkeypatch: pytest.MonkeyPatch, capsys: Text
) -> None:
    monkeypatch.chdir(model.parent)
    assert run([verb[0], model.name, *verb[1:], "-o", "-"]) == 2
    assert "standard output" in capsys.readouterr().err
    assert run([verb[0], model.name, *verb[1:], "-o", "./-"]) == 0
    gc.open(model.with_name("-")).close()


def test_a_name_cannot_write_a_message_of_its_own(model: Path, capsys: Text) -> None:
    other = model.with_name("m.gguf\nerror: all is lost")
    model.rename(other)
    assert run(["set", str(other), "-i", "general.name=x"]) == 0
    assert run(["set", str(other), "-i", "tokenizer.ggml.eos_token_id=9"]) == 2
    assert run(["get", str(other) + "x", "general.name"]) == 4
    lines = capsys.readouterr().err.splitlines()
    assert not any(line.startswith("error: all is lost") for line in lines)
    assert any(r"m.gguf\nerror: all is lost" in line for line in lines)


def test_documents_have_the_same_keys_whatever_was_written(model: Path, capsys: Text) -> None:
    documents = []
    for _ in range(2):
        assert run(["set", str(model), "-i", "--json", "general.name=twice"]) == 0
        documents.append(json.loads(capsys.readouterr().out))
    written, nothing = documents
    assert list(written) == list(nothing)
    assert (nothing["strategy"], nothing["bytes_written"], nothing["changes"]) == ("none", 0, [])

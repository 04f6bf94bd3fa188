"""``map`` on the command line: output, exit codes, windows, colours."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from gguf_construct.cli.main import run
from tests.support import builders as b
from tests.support.builders import Model, Pair, Tensor, build
from tests.support.cases import BAD, CASES

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.cases import Case

PAIRS = (
    Pair(b"general.architecture", b.text("llama")),
    Pair(b"odd", b.text(b"\xff\xfe")),
    Pair(b"nan", b.f32(float("nan"))),
    Pair(b"many", b.array(b.STRING, *(b"w%d" % at for at in range(50)))),
)
BUILT = build(Model(PAIRS, (Tensor(b"t.weight", (8,), 0, bytes(range(32))),)))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    target = tmp_path / "model.gguf"
    target.write_bytes(BUILT.data)
    return target


def mapped(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, str]:
    code = run(["map", *map(str, arguments)])
    out, err = capsys.readouterr()
    return code, out, err


def spans(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[dict[str, Any]]:
    _, out, _ = mapped(capsys, *arguments, "--json")
    found: list[dict[str, Any]] = json.loads(out)["spans"]
    return found


@pytest.mark.parametrize("case", CASES.values(), ids=str)
def test_json_tiles_every_case(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = tmp_path / "case.gguf"
    target.write_bytes(case.data)
    code, out, err = mapped(capsys, target, "--json")
    document = json.loads(out)
    assert (document["schema"], document["path"]) == (1, str(target))
    end = 0
    for span in document["spans"]:
        assert span.keys() == {"start", "end", "path", "type", "value"}
        assert span["start"] == end < span["end"]
        end = span["end"]
    assert end == document["file_size"] == len(case.data)
    assert (code == 3) == (document["error"] is not None) == err.startswith("error: ")


def test_json_is_valid_whatever_the_values_are(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    values = {span["path"]: span["value"] for span in spans(capsys, path)}
    assert values["metadata[1].value.value"] == {"base64": "//4="}
    assert values["metadata[2].value"] == "NaN"
    assert values["tensor_infos[0].data"]["name"] == "t.weight"


def test_text_has_a_line_per_span(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = mapped(capsys, path)
    lines = out.splitlines()
    assert code == 0
    assert len(lines) == len(spans(capsys, path))
    assert re.match(
        r"  0x00000000  47 47 55 46 +magic +constant +\"GGUF\"  The four bytes", lines[0]
    )
    assert "metadata[3].value.elements[8:50]" in out


def test_full_unfolds(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "elements[49].value" in mapped(capsys, path, "--full")[1]


@pytest.mark.parametrize("spelled", ["hex", "dec"])
def test_at_names_the_field(spelled: str, path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    at = BUILT.at("metadata[3].value[30].data") + 1
    code, out, _ = mapped(capsys, path, "--at", hex(at) if spelled == "hex" else at)
    assert code == 0
    assert "metadata[3].value.elements[30].value, byte 1 of 3" in out
    assert "many" in out
    assert '"w30"' in out


def test_at_in_tensor_data_names_block_and_element(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    at = BUILT.at("tensors[0].data") + 9
    _, out, _ = mapped(capsys, path, "--at", at, "--json")
    found = json.loads(out)
    assert found["name"] == "t.weight"
    assert (found["block"]["index"], found["block"]["position"]) == (2, [2])
    assert found["block"]["field"] == "v"


def test_path_by_key(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (length, value) = spans(capsys, path, "--path", "many[17]")
    assert length["path"] == "metadata[3].value.elements[17].len_value"
    assert value["value"] == "w17"


def test_an_unknown_path_is_refused_with_advice(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = mapped(capsys, path, "--path", "general.architectur")
    assert (code, out) == (2, "")
    assert "general.architecture" in err


def test_a_window(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = spans(capsys, path, "--start", "0x6", "--length", "4")
    assert [span["path"] for span in found] == ["version", "num_tensors"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("--at", "x"),
        ("--at", "-1"),
        ("--at", "0xffffff"),
        ("--at", "1", "--hex"),
        ("--hex", "--json"),
        ("--length", "many"),
    ],
)
def test_wrong_use(
    arguments: tuple[str, ...], path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = mapped(capsys, path, *arguments)
    assert (code, out) == (2, "")
    assert "Error" in err


def test_a_broken_file_is_mapped_marked_and_reported(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    case = next(case for case in BAD if case.name == "len-key-0x4000000000000000")
    target = tmp_path / "bad.gguf"
    target.write_bytes(case.data)
    code, out, err = mapped(capsys, target)
    assert code == 3
    marked = [line for line in out.splitlines() if line.startswith("!")]
    assert len(marked) == 2
    assert f"0x{case.offset:08x}" in marked[0]
    assert "unreadable" in marked[1]
    assert f"0x{case.offset:x}" in err
    code, out, _ = mapped(capsys, target, "--at", case.offset)
    assert code == 3
    assert "key.len_value, byte 0 of 8" in out


def test_hex_names_every_field(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = mapped(capsys, path, "--hex")
    assert code == 0
    assert out.startswith("00000000 a47 47 55 46b03 00 00 00")
    assert '  a magic = "GGUF"   b version = 3' in out
    assert "\x1b" not in out


def test_hex_of_a_path_skips_the_rest(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, out, _ = mapped(capsys, path, "--hex", "--path", "t.weight")
    assert "tensor_infos[0].data" in out
    assert "metadata" not in out


def test_colours_when_asked_for(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    plain = re.compile(r"\x1b\[\d*m")
    _, coloured, _ = mapped(capsys, path, "--hex")
    monkeypatch.setenv("NO_COLOR", "1")
    _, colourless, _ = mapped(capsys, path, "--hex")
    assert plain.search(coloured)
    assert plain.sub("", coloured) == colourless


def test_no_gguf_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "page.html"
    target.write_bytes(b"<!DOCTYPE html><html></html>")
    code, out, err = mapped(capsys, target)
    assert code == 3
    assert "unreadable" in out
    assert "HTML" in err

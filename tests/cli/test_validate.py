"""``validate`` on the command line: files, folders, patterns, shards, exit codes, JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from gguf_construct.cli.main import run
from gguf_construct.validation.rules import load
from tests.support import builders as b
from tests.support.builders import Model, Pair, build
from tests.support.cases_model import sound, with_keys
from tests.support.cases_valid import base, weight
from tests.support.not_gguf import LFS_POINTER

if TYPE_CHECKING:
    from pathlib import Path

SOUND = build(sound()).data
WARNED = build(with_keys({b"general.file_type": b.u32(999)})).data
WRONG = build(with_keys({b"llama.block_count": b.i32(2)})).data


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "sound.gguf").write_bytes(SOUND)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "warned.GGUF").write_bytes(WARNED)
    (tmp_path / "sub" / "wrong.gguf").write_bytes(WRONG)
    (tmp_path / "sub" / "notes.txt").write_text("no model")
    return tmp_path


def _json(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> tuple[int, Any]:
    code = run(["validate", "--json", *arguments])
    return code, json.loads(capsys.readouterr().out)


def test_a_sound_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(folder / "sound.gguf")
    assert run(["validate", path, "--data", "--strict"]) == 0
    assert capsys.readouterr().out == f"{path}: ok\n"
    code, found = _json([path], capsys)
    assert code == 0
    assert found["schema"] == 1
    assert found["files"] == [{"path": path, "ok": True, "problems": []}]


def test_an_error_with_its_place(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = folder / "sub" / "wrong.gguf"
    built = build(with_keys({b"llama.block_count": b.i32(2)}))
    index = next(i for i, pair in enumerate(built.model.pairs) if b"block_count" in pair.key)
    offset = built.at(f"metadata[{index}].type")
    assert run(["validate", str(path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{path}: 1 error"
    assert lines[1] == (
        f"  error at 0x{offset:x}: key-type metadata[{index}] 'llama.block_count'.value_type"
    )
    assert lines[2] == "    it is int32, not uint32"
    code, found = _json([str(path)], capsys)
    assert code == 1
    (problem,) = found["files"][0]["problems"]
    assert problem.keys() == {"code", "severity", "message", "path", "offset", "hint"}
    assert (problem["code"], problem["severity"]) == ("key-type", "error")
    assert problem["offset"] == offset


def test_strict_counts_warnings(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(folder / "sub" / "warned.GGUF")
    assert run(["validate", path]) == 0
    assert "warning" in capsys.readouterr().out
    assert run(["validate", path, "--strict"]) == 1
    capsys.readouterr()
    assert _json([path], capsys)[1]["files"][0]["ok"] is True


def test_folders_and_patterns(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ["sound.gguf", "sub/warned.GGUF", "sub/wrong.gguf"]
    code, found = _json([str(folder)], capsys)
    assert code == 1
    assert [one["path"] for one in found["files"]] == [str(folder / name) for name in names]
    code, found = _json([str(folder / "sub" / "*.gguf"), str(folder / "sound.gguf")], capsys)
    assert code == 1
    assert [one["ok"] for one in found["files"]] == [False, True]
    code, found = _json([str(folder / "sound.gguf"), str(folder)], capsys)
    assert len(found["files"]) == 3
    assert run(["validate", str(folder)]) == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith("3 files, 2 without errors: 1 error")
    assert run(["validate", "-q", str(folder / "sound.gguf")]) == 0
    assert capsys.readouterr().out == ""


def test_nothing_to_do(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate"]) == 2
    assert run(["validate", str(tmp_path)]) == 2
    assert run(["validate", str(tmp_path / "*.gguf")]) == 2
    assert run(["validate", str(tmp_path), "--profile", "ollama"]) == 2
    assert "llama.cpp, spec, strict" in capsys.readouterr().err


def test_files_that_cannot_be_parsed(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pointer, cut = folder / "pointer.gguf", folder / "cut.gguf"
    pointer.write_bytes(LFS_POINTER)
    cut.write_bytes(SOUND[:100])
    for path, code in ((pointer, "not-gguf-pointer"), (cut, "header-truncated")):
        assert run(["validate", str(path)]) == 3
        assert code in capsys.readouterr().out
    # Among several files they are findings like others.
    assert run(["validate", str(pointer), str(folder / "sound.gguf")]) == 1


def test_files_that_cannot_be_read(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = _json([str(folder / "none.gguf"), str(folder / "sound.gguf")], capsys)
    assert code == 4
    assert [one["ok"] for one in found["files"]] == [False, True]
    assert found["files"][0]["problems"][0]["code"] == "file-unreadable"


def test_profiles_and_notes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(build(with_keys({b"general.alignment": b.u32(64)})).data)
    assert run(["validate", str(path), "--profile", "strict"]) == 0
    nul = build(with_keys({b"general.name": b.text(b"a\0b")})).data
    path.write_bytes(nul)
    capsys.readouterr()
    assert run(["validate", str(path)]) == 0
    assert capsys.readouterr().out == f"{path}: ok (1 note, see --all)\n"
    assert run(["validate", str(path), "--all"]) == 0
    assert "string-nul" in capsys.readouterr().out


def test_fix_hints_are_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.gguf"
    keys: dict[bytes, b.Value | None] = {
        b"general.alignment": b.u32(64),
        b"tokenizer.ggml.eos_token_id": None,
    }
    path.write_bytes(
        build(with_keys({**keys, b"llama.rope.freq_base": b.f64(1e4)})).data + bytes(1)
    )
    assert run(["validate", str(path), "--fix-hints"]) == 1
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert f"gguf-construct repair {path}" in lines
    assert f"gguf-construct set {path} llama.rope.freq_base:float32=VALUE" in lines
    assert f"gguf-construct token set {path} eos=TEXT" in lines


def test_limits(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(folder / "sound.gguf")
    assert run(["validate", path, "--limits", "max_metadata=3"]) == 3
    assert "limit-exceeded" in capsys.readouterr().out


def test_the_rules_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["validate", "--list-rules"]) == 0
    text = capsys.readouterr().out
    assert all(f"{code} (" in text for code in load())
    code, found = _json(["--list-rules"], capsys)
    assert code == 0
    assert [one["code"] for one in found["rules"]] == list(load())


def test_hostile_text_is_printable(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.gguf"
    pair = Pair(b"\x1b[2J\xff\r\n", b.u8(1))
    path.write_bytes(build(base(pair, pair)).data)
    assert run(["validate", str(path)]) == 1
    text = capsys.readouterr().out
    assert {one for one in text if not one.isprintable()} == {"\n"}
    code, found = _json([str(path)], capsys)
    assert code == 1
    assert json.dumps(found).isascii()


def _shard(no: int, count: int, total: int, name: bytes, *pairs: Pair) -> bytes:
    keys = (
        Pair(b"split.no", b.u16(no)),
        Pair(b"split.count", b.u16(count)),
        Pair(b"split.tensors.count", b.i32(total)),
    )
    return build(Model((*keys, *pairs), (weight(name=name),))).data


def test_shards_are_looked_at_together(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    second = tmp_path / "m-00002-of-00003.gguf"
    third = tmp_path / "m-00003-of-00003.gguf"
    second.write_bytes(_shard(1, 3, 2, b"a"))
    third.write_bytes(_shard(2, 3, 2, b"b"))
    first = tmp_path / "m-00001-of-00003.gguf"
    assert run(["validate", str(second)]) == 1
    assert "split-shard-missing" in capsys.readouterr().out
    first.write_bytes(LFS_POINTER)
    assert run(["validate", str(second)]) == 1
    assert "split-shard-unreadable" in capsys.readouterr().out
    model = build(Model(tensors=())).model
    first.write_bytes(_shard(0, 3, 3, b"c", *model.pairs))
    code, found = _json([str(second)], capsys)
    assert code == 1
    assert [one["code"] for one in found["files"][0]["problems"]] == ["split-tensor-count"]
    first.write_bytes(build(Model(_split_only(), ())).data)
    code, found = _json([str(second), str(third)], capsys)
    assert (code, [one["problems"] for one in found["files"]]) == (0, [[], []])


def _split_only() -> tuple[Pair, ...]:
    return (
        Pair(b"split.no", b.u16(0)),
        Pair(b"split.count", b.u16(3)),
        Pair(b"split.tensors.count", b.i32(2)),
    )

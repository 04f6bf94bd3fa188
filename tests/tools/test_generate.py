"""generated/ is what spec/ says: drift, stray files and hand edits are found."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tools import generate
from tools.emit import StaleKaitaiError, render_all, render_kaitai
from tools.emit.codec import emit_codec
from tools.emit.kaitai import kaitai_files
from tools.ksy.errors import SchemaError
from tools.ksy.load import load
from tools.ksy.resolve import resolve

if TYPE_CHECKING:
    from pathlib import Path


def test_committed_files_are_up_to_date(capsys: pytest.CaptureFixture[str]) -> None:
    assert generate.main(["--check"]) == 0, capsys.readouterr().out


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """spec/ and generated/ in a folder of their own."""
    ignored = shutil.ignore_patterns("__pycache__")
    for name in ("spec", "generated"):
        shutil.copytree(generate.REPOSITORY / name, tmp_path / name, ignore=ignored)
    monkeypatch.setattr(generate, "SPEC", tmp_path / "spec")
    monkeypatch.setattr(generate, "GENERATED", tmp_path / "generated")
    # A test installs nothing: what is there decides.
    monkeypatch.setattr(generate, "ensure_compiler", lambda: None)
    return tmp_path


def test_a_hand_edit_is_shown(copy: Path) -> None:
    wanted = generate.render() | render_kaitai(
        generate.SPEC, generate.GENERATED, generate.spec_hash
    )
    folder = copy / "generated"
    assert generate.drift(wanted, folder) == []
    for path in [one for one in folder.rglob("*") if one.is_file()]:
        before = path.read_text()
        path.write_text(before + "\n")
        (shown,) = generate.drift(wanted, folder)
        name = path.relative_to(folder).as_posix()
        assert f"--- generated/{name}" in shown
        path.write_text(before)


def test_a_hand_edit_fails_the_check(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = copy / "generated" / "codec.py"
    path.write_text(path.read_text().replace("def read", "def reed"))
    assert generate.main(["--check"]) == 1
    assert "-def reed" in capsys.readouterr().out


def test_a_changed_field_is_shown(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    spec = copy / "spec" / "gguf.ksy"
    spec.write_text(
        spec.read_text().replace(
            "id: ofs_data\n            type: u8", "id: ofs_data\n            type: u4"
        )
    )
    assert generate.main(["--check"]) == 1
    shown = capsys.readouterr().out
    assert "--- generated/codec_le.py" in shown
    assert '+_II = Struct("<II")' in shown or "+    ggml_type, ofs_data = _II.unpack_from" in shown


def test_a_mistake_in_the_schema_stops_with_its_line(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = copy / "spec" / "gguf.ksy"
    spec.write_text(spec.read_text().replace("    type: body\n", "    type: bodi\n", 1))
    assert generate.main(["--check"]) == 1
    assert generate.main([]) == 2
    assert "gguf.ksy:" in capsys.readouterr().err


def test_stray_and_missing_files_are_found(copy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (copy / "generated" / "left_over.py").write_text("x = 1\n")
    (copy / "generated" / "trace.py").unlink()
    assert generate.main(["--check"]) == 1
    shown = capsys.readouterr().out
    assert "left_over.py: stray file" in shown
    assert "generated/trace.py" in shown


def test_generating_mends_everything(copy: Path) -> None:
    (copy / "generated" / "left_over.py").write_text("x = 1\n")
    (copy / "generated" / "types.py").write_text("broken\n")
    assert generate.main([]) == 0
    assert generate.main(["--check"]) == 0
    assert not (copy / "generated" / "left_over.py").exists()


def test_committed_readers_stand_only_for_their_own_schema(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tools.ksc.install import KscMissing

    def missing(*_: object) -> dict[str, str]:
        raise KscMissing("no node")

    monkeypatch.setattr("tools.emit.kaitai.compile_spec", missing)
    digest = generate.spec_hash("gguf.ksy", "ggml.ksy")
    files = kaitai_files(generate.SPEC, generate.GENERATED, digest)
    assert {"kaitai/gguf.py", "kaitai/Gguf.js"} <= set(files)
    with pytest.raises(StaleKaitaiError, match="made anew"):
        kaitai_files(generate.SPEC, generate.GENERATED, "another")
    with pytest.raises(StaleKaitaiError, match="made anew"):
        kaitai_files(generate.SPEC, tmp_path, digest)


@pytest.fixture
def without_compiler(copy: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The copy, on a machine without the official compiler, in a git repository of its own."""
    from tools.ksc.install import KscMissing

    def missing(*_: object) -> dict[str, str]:
        raise KscMissing("no node")

    monkeypatch.setattr("tools.emit.kaitai.compile_spec", missing)
    identity = ["-c", "user.name=x", "-c", "user.email=x", "-c", "commit.gpgsign=false"]
    for command in (["init", "-q"], ["add", "."], [*identity, "commit", "-qm", "x"]):
        subprocess.run(["git", *command], cwd=copy, check=True)
    return copy


@pytest.mark.skipif(shutil.which("git") is None, reason="no git")
def test_a_touched_reader_is_shown_without_the_compiler(
    without_compiler: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = without_compiler / "generated" / "kaitai" / "gguf.py"
    before = path.read_bytes()
    path.write_bytes(before + b"touched\n")
    assert generate.main(["--check"]) == 1
    assert "-touched" in capsys.readouterr().out
    assert generate.main([]) == 0
    assert path.read_bytes() == before
    digest = generate.spec_hash("gguf.ksy", "ggml.ksy")
    for one in [*path.parent.glob("*.js"), path]:
        before = one.read_bytes()
        one.unlink()
        wanted = kaitai_files(generate.SPEC, generate.GENERATED, digest)
        assert wanted[f"kaitai/{one.name}"].encode() == before
    shutil.rmtree(without_compiler / ".git")
    with pytest.raises(StaleKaitaiError, match="missing: restore it"):
        kaitai_files(generate.SPEC, generate.GENERATED, digest)


@pytest.mark.skipif(shutil.which("git") is None, reason="no git")
def test_missing_readers_without_the_compiler_are_no_crash(
    without_compiler: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (without_compiler / "generated" / "stray.py").symlink_to("nowhere")
    shutil.rmtree(without_compiler / "generated" / "kaitai")
    assert generate.main(["--check"]) == 1
    shown = capsys.readouterr()
    assert "made anew" in shown.err
    assert "stray.py: stray file" in shown.out
    assert generate.main([]) == 2


def test_a_link_that_leads_nowhere_is_removed(copy: Path) -> None:
    path = copy / "generated" / "stray.py"
    path.symlink_to("nowhere")
    assert generate.main([]) == 0
    assert not path.is_symlink()


@pytest.mark.skipif(shutil.which("git") is None, reason="no git")
@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"files": 5}'])
def test_a_broken_manifest_is_no_crash(without_compiler: Path, text: str) -> None:
    (without_compiler / "generated" / "kaitai" / "MANIFEST.json").write_text(text)
    digest = generate.spec_hash("gguf.ksy", "ggml.ksy")
    with pytest.raises(StaleKaitaiError, match="made anew"):
        kaitai_files(generate.SPEC, generate.GENERATED, digest)


def test_a_schema_that_is_no_text_stops_with_its_line(
    copy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = copy / "spec" / "gguf.ksy"
    spec.write_bytes(spec.read_bytes().replace(b"GGUF model file", b"GGUF \xff file"))
    assert generate.main(["--check"]) == 1
    assert "gguf.ksy:3: not UTF-8" in capsys.readouterr().err


def test_a_new_value_type_reaches_the_codec() -> None:
    """The emitter follows the schema: a type that only this test's schema has can be read."""

    def read(name: str) -> str:
        text = (generate.SPEC / f"{name}.ksy").read_text()
        case = "value_type::float64: scalar_float64\n"
        text = text.replace(case, case + " " * 16 + "value_type::int128: scalar_uint8\n")
        return text.replace("        12:\n", "        77: int128\n        12:\n")

    text = emit_codec(resolve(load("gguf", read)), "x", "<")
    assert "    77: (_B, 'u', 1)," in text
    assert "77:" not in (generate.GENERATED / "codec_le.py").read_text()


def _render(old: str, new: str) -> dict[str, str]:
    """What the emitters make of a schema in which one text is another."""

    def read(name: str) -> str:
        return (generate.SPEC / name).read_text(encoding="utf-8").replace(old, new)

    return render_all(read, lambda *_: "x")


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ("        valid:\n          any-of: [1, 2, 3]\n", "", r"gguf\.ksy:\d+: no field lists"),
        ("                _: u8\n", "", "gguf.ksy:"),
        ("switch-on: _root.version\n", "switch-on: _root.is_be\n", "gguf.ksy:"),
        ("len_value\n            type: size", "len_value\n            type: string", "gguf.ksy:"),
        ("ggml_type == ggml_type::nvfp4 or", "ggml_type == ggml_type::nvfp5 or", "ggml.ksy:"),
    ],
)
def test_what_no_emitter_can_follow_stops_with_its_line(old: str, new: str, line: str) -> None:
    with pytest.raises(SchemaError, match=line):
        _render(old, new)


@pytest.mark.parametrize("doc", ['a """ b', "''' \"\"\" {", "ends with \\"])
def test_any_doc_can_stand_in_the_code(doc: str) -> None:
    old = "doc: bytes in a string, the limit of ggml's own loader"
    for name, text in _render(old, "doc: '{}'".format(doc.replace("'", "''"))).items():
        compile(text, name, "exec")

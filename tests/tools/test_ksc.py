"""The wrapper around the official compiler, and the promise that it accepts our schema."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.require import need_ksc
from tools.ksc import (
    LANGUAGES,
    KscError,
    KscMissing,
    compile_languages,
    compile_spec,
    ensure_compiler,
    is_installed,
)
from tools.ksc.__main__ import main
from tools.ksc.install import pinned_versions

if TYPE_CHECKING:
    from tools.ksc.compiler import Compiled

SPEC_DIR = Path(__file__).resolve().parents[2] / "spec"
KSC_SOURCE = Path(__file__).resolve().parents[2] / "tools" / "ksc"

PAIR = {
    "outer": "meta:\n  id: outer\n  endian: le\n  imports: [inner]\nseq:\n"
    "  - id: first\n    type: u4\n  - id: rest\n    type: inner\n",
    "inner": "meta:\n  id: inner\n  endian: be\nseq:\n  - id: last\n    type: u2\n",
}


@pytest.fixture
def pair(tmp_path: Path) -> Path:
    """A folder of two schemas, one of which imports the other."""
    for name, text in PAIR.items():
        (tmp_path / f"{name}.ksy").write_text(text, encoding="utf-8")
    return tmp_path


@pytest.fixture(scope="module")
def ours() -> dict[str, Compiled]:
    """What the compiler makes of our own schema, in all languages."""
    need_ksc()
    return compile_languages(SPEC_DIR, "gguf", LANGUAGES)


@pytest.mark.parametrize("language", LANGUAGES)
def test_compiles_our_schema(ours: dict[str, Compiled], language: str) -> None:
    files, error = ours[language]
    assert error is None
    assert files
    assert all(text.endswith("\n") and not text.endswith("\n\n") for text in files.values())


def test_imports_are_compiled_too(pair: Path) -> None:
    need_ksc()
    assert sorted(compile_spec(pair, "outer", "python")) == ["inner.py", "outer.py"]
    assert sorted(compile_spec(pair, "outer", "go")) == ["inner.go", "outer.go"]


def test_the_same_text_each_time(pair: Path) -> None:
    need_ksc()
    assert compile_spec(pair, "outer", "python") == compile_spec(pair, "outer", "python")


def test_one_language_may_fail_alone(pair: Path) -> None:
    need_ksc()
    results = compile_languages(pair, "outer", ["python", "klingon"])
    assert results["python"].error is None
    assert results["klingon"].error is not None


def test_the_compilers_message_is_kept(pair: Path) -> None:
    need_ksc()
    (pair / "inner.ksy").write_text("meta:\n  id: inner\nseq:\n  - id: x\n    type: nothing\n")
    with pytest.raises(KscError, match="nothing"):
        compile_spec(pair, "outer", "python")


def test_a_missing_import_is_named(pair: Path) -> None:
    need_ksc()
    (pair / "inner.ksy").unlink()
    with pytest.raises(KscError, match="inner"):
        compile_spec(pair, "outer", "python")


def test_an_unknown_schema_is_named(pair: Path) -> None:
    need_ksc()
    with pytest.raises(KscError, match=r"no absent\.ksy"):
        compile_spec(pair, "absent", "python")


def test_without_the_package(pair: Path, tmp_path: Path) -> None:
    need_ksc()
    with pytest.raises(KscMissing, match="--install"):
        compile_spec(pair, "outer", "python", tmp_path / "nowhere")


def test_without_node(pair: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(KscMissing, match="node"):
        compile_spec(pair, "outer", "python")
    with pytest.raises(KscMissing, match="node"):
        ensure_compiler(tmp_path / "ksc")


def test_another_version_counts_as_absent(tmp_path: Path) -> None:
    for name, version in pinned_versions().items():
        manifest = tmp_path / "node_modules" / name / "package.json"
        manifest.parent.mkdir(parents=True)
        manifest.write_text(json.dumps({"version": version}), encoding="utf-8")
    assert is_installed(tmp_path)
    manifest = tmp_path / "node_modules" / "kaitai-struct" / "package.json"
    manifest.write_text(json.dumps({"version": "0.1"}), encoding="utf-8")
    assert not is_installed(tmp_path)


def test_the_lock_file_pins_by_content_and_names_no_registry() -> None:
    lock = json.loads((KSC_SOURCE / "package-lock.json").read_text(encoding="utf-8"))
    packages = {name: entry for name, entry in lock["packages"].items() if name}
    assert {name.removeprefix("node_modules/") for name in packages} == set(pinned_versions())
    for name, entry in packages.items():
        assert entry["integrity"].startswith("sha512-"), name
        assert "resolved" not in entry, name


def test_command_prints_a_line_a_language(pair: Path, capsys: pytest.CaptureFixture[str]) -> None:
    need_ksc()
    arguments = ["--spec", str(pair), "--top", "outer", "--out", str(pair / "out")]
    assert main([*arguments, "--languages", "java,python"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [["java", "ok"], ["python", "ok"]]
    assert (pair / "out" / "java" / "Outer.java").is_file()
    assert main([*arguments, "--languages", "klingon"]) == 1
    assert "FAILED" in capsys.readouterr().out


def test_command_says_what_is_missing(
    pair: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert main(["--spec", str(pair), "--top", "outer", "--languages", "java"]) == 2
    assert "node is not installed" in capsys.readouterr().err

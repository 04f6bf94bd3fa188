"""The wheel holds the package, all of it and nothing else; the sdist can build and test it."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


def source_files(folder: Path, *suffixes: str) -> set[str]:
    """Files below `folder` with one of the suffixes, relative to it."""
    found = {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.suffix in suffixes and "__pycache__" not in path.parts
    }
    assert found, f"nothing in {folder}"
    return found


def installed_files(site_packages: Path, *suffixes: str) -> set[str]:
    return source_files(site_packages / "gguf_construct", *suffixes)


def test_only_the_package_lands_in_site_packages(site_packages: Path) -> None:
    names = {path.name for path in site_packages.iterdir()}
    assert "gguf_construct" in names
    assert [name for name in names if not name.startswith("gguf_construct")] == []


def test_generated_code_is_installed_inside_the_package(site_packages: Path) -> None:
    expected = source_files(REPOSITORY / "generated", ".py", ".js")
    assert source_files(site_packages / "gguf_construct/_generated", ".py", ".js") == expected


def test_the_schema_is_installed_inside_the_package(site_packages: Path) -> None:
    expected = source_files(REPOSITORY / "spec", ".ksy", ".yaml")
    assert source_files(site_packages / "gguf_construct/_spec", ".ksy", ".yaml") == expected
    for name in expected:
        installed = site_packages / "gguf_construct/_spec" / name
        assert installed.read_bytes() == (REPOSITORY / "spec" / name).read_bytes()


def test_every_module_is_installed(site_packages: Path) -> None:
    written = {
        name
        for name in source_files(REPOSITORY / "gguf_construct", ".py")
        if not name.startswith("_generated/")
    }
    installed = {
        name
        for name in installed_files(site_packages, ".py")
        if not name.startswith(("_generated/", "_spec/"))
    }
    assert installed == written


def test_types_and_licence_are_shipped(site_packages: Path) -> None:
    assert (site_packages / "gguf_construct/py.typed").is_file()
    (information,) = site_packages.glob("*.dist-info")
    assert (information / "licenses/LICENSE").is_file()
    entry_points = (information / "entry_points.txt").read_text(encoding="utf-8")
    assert "gguf-construct = gguf_construct.cli.main:main" in entry_points


def test_the_installed_package_works(site_packages: Path, tmp_path: Path) -> None:
    code = (
        f"import sys; sys.path.insert(0, {str(site_packages)!r})\n"
        "import gguf_construct\n"
        f"assert gguf_construct.__file__.startswith({str(site_packages)!r})\n"
        "from gguf_construct.cli.main import main\n"
        "sys.argv[1:] = ['spec']\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "id: gguf" in done.stdout


def test_the_sdist_holds_sources_tools_and_tests(sdist: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    for name in (
        "Makefile",
        "README.md",
        "LICENSE",
        "spec/gguf.ksy",
        "generated/types.py",
        "tools/generate.py",
        "tools/ksc/compile.cjs",
        "tools/ksc/package-lock.json",
        "tests/packaging/test_distribution.py",
    ):
        assert name in names
    assert [name for name in names if "__pycache__" in name or name.endswith(".pyc")] == []


@pytest.mark.parametrize("name", ["types.py", "codec_le.py", "kaitai/gguf.py", "kaitai/Gguf.js"])
def test_generated_files_are_marked_for_reviewers(name: str) -> None:
    if shutil.which("git") is None or not (REPOSITORY / ".git").exists():
        pytest.skip("not a git checkout")
    path = f"generated/{name}"
    assert (REPOSITORY / path).is_file()
    command = ["git", "-C", str(REPOSITORY), "check-attr", "linguist-generated", path]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip().endswith(": true")

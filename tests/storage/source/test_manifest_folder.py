"""The folder of a manifest: nothing outside it, few files open at a time."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from gguf_construct.errors import BuildError, SourceChangedError
from gguf_construct.storage.source import manifest_folder
from gguf_construct.storage.source.manifest_folder import ManifestFolder

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "root"
    (folder / "deep").mkdir(parents=True)
    (folder / "a").write_bytes(b"abc")
    (folder / "deep" / "b").write_bytes(b"0123456789")
    (folder / "link").symlink_to("a")
    (folder / "linked").symlink_to("deep")
    (tmp_path / "outside").write_bytes(b"secret")
    return folder


@pytest.mark.parametrize(
    "path", ["", "/a", "a/", "../outside", "deep/../a", "./a", "a//b", "C:a", "a\\b", "a\0"]
)
def test_paths_that_lead_elsewhere(root: Path, path: str) -> None:
    with ManifestFolder(root) as folder, pytest.raises(BuildError, match="is no path inside"):
        folder.read(path)


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("absent", "is not there"),
        ("absent/a", "is not there"),
        ("a/b", "'a/b' is no regular file"),
        ("deep", "'deep' is no regular file"),
        ("link", "is a link"),
        ("linked/b", "is a link"),
        ("x" * 300, "is not there"),
    ],
)
def test_files_that_are_none(root: Path, path: str, words: str) -> None:
    with ManifestFolder(root) as folder:
        for act in (folder.read, folder.locate, lambda name: folder.head(name, 1)):
            with pytest.raises(BuildError, match=words):
                act(path)


def test_what_is_read(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with ManifestFolder(root) as folder:
        assert folder.read("deep/b") == b"0123456789"
        assert folder.head("deep/b", 4) == b"0123"
        assert folder.head("a", 100) == b"abc"
        monkeypatch.setattr(manifest_folder, "_MAX_READ_NBYTES", 9)
        assert folder.read("a") == b"abc"
        with pytest.raises(BuildError, match="'deep/b' has 10 bytes: too many for metadata"):
            folder.read("deep/b")


def test_the_text_of_the_manifest(root: Path) -> None:
    with ManifestFolder(root) as folder:
        with pytest.raises(FileNotFoundError, match=r"manifest\.yaml"):
            folder.manifest()
        (root / "manifest.yaml").write_bytes("é".encode())
        assert folder.manifest() == "é"
        (root / "manifest.yaml").write_bytes(b"a\nb\n\xff")
        with pytest.raises(BuildError, match="the manifest is no UTF-8") as caught:
            folder.manifest()
        assert caught.value.path == "line 3"


def test_a_root_that_is_no_folder(root: Path) -> None:
    with pytest.raises(NotADirectoryError, match="Not a directory"):
        ManifestFolder(root / "a")
    with pytest.raises(FileNotFoundError, match="absent"):
        ManifestFolder(root / "absent")


def test_few_sources_are_open_at_a_time(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifest_folder, "_MAX_OPEN", 2)
    for at in range(4):
        (root / f"f{at}").write_bytes(b"%d" % at)
    with ManifestFolder(root) as folder:
        assert [folder.locate(f"f{at}") for at in (0, 1, 2, 3, 1)] == [
            (0, 1),
            (1, 1),
            (2, 1),
            (3, 1),
            (1, 1),
        ]
        assert len(folder) == 4
        first, second = folder[0], folder[1]
        assert folder[0] is first
        third = folder[2]  # the second was not asked for in longer
        assert second.fd is None
        assert first.fd is not None
        assert third.buffer[:] == b"2"
        assert folder[1].buffer[:] == b"1"
        for index in (4, -1):
            with pytest.raises(IndexError, match=str(index)):
                folder[index]
        with pytest.raises(TypeError, match="one source at a time"):
            folder[0:1]
    assert first.fd is None


def test_a_file_that_changed_between_two_openings(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(manifest_folder, "_MAX_OPEN", 1)
    with ManifestFolder(root) as folder:
        folder.locate("a")
        folder.locate("deep/b")
        _ = folder[0]
        _ = folder[1]
        os.utime(root / "a", ns=(1, 1))
        with pytest.raises(SourceChangedError, match="it changed while it was in use"):
            folder[0]

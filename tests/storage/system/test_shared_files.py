"""Warnings about places where a write has effects beyond the file."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from gguf_construct.storage.system.shared_files import link_note, warnings_for

if TYPE_CHECKING:
    from pathlib import Path

SHA1, SHA256 = "0123456789abcdef" * 2 + "01234567", "0123456789abcdef" * 4

STORES = [
    f"hub/models--org--name/blobs/{SHA256}",
    f"hub/models--org--name/blobs/{SHA1}",
    f"hub/datasets--org--name/blobs/{SHA256}",
    "hub/models--org--name/snapshots/main/model.gguf",
    f".ollama/models/blobs/sha256-{SHA256}",
    f".docker/models/blobs/sha256/{SHA256}",
    f".git/lfs/objects/01/23/{SHA256}",
    f".git/annex/objects/x/y/SHA256E-s1--{SHA256}.gguf",
]
PLAIN = [
    "models/model.gguf",
    "blobs/model.gguf",
    f"models/{SHA256}",
    "models--org--name/model.gguf",
]


@pytest.mark.parametrize("path", STORES)
def test_a_store_is_noticed(tmp_path: Path, path: str) -> None:
    assert len(warnings_for(tmp_path / path)) == 1


@pytest.mark.parametrize("path", PLAIN)
def test_other_places_are_not(tmp_path: Path, path: str) -> None:
    assert warnings_for(tmp_path / path) == []


def test_a_snapshot_link_is_followed_to_its_blob(tmp_path: Path) -> None:
    repository = tmp_path / "models--org--name"
    (repository / "blobs").mkdir(parents=True)
    (repository / "snapshots" / "main").mkdir(parents=True)
    (repository / "blobs" / SHA256).write_bytes(b"")
    link = repository / "snapshots" / "main" / "model.gguf"
    link.symlink_to(f"../../blobs/{SHA256}")
    elsewhere = tmp_path / "mine.gguf"
    elsewhere.symlink_to(link)
    for path in (link, elsewhere):
        (cache,) = warnings_for(path)
        assert "Hugging Face" in cache
        assert "is a link" in (link_note(path) or "")


def test_hard_links_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "model.gguf"
    path.write_bytes(b"")
    assert warnings_for(path) == []
    os.link(path, tmp_path / "other.gguf")
    assert "2 hard links" in warnings_for(path)[0]


def test_folders_have_no_hard_links_to_speak_of(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    assert warnings_for(tmp_path) == []

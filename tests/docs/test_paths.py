"""The files that the documents name are there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = ["CONTRIBUTING.md", "docs/architecture.md", "README.md"]
_PATH = re.compile(r"`([a-z_]+(?:/[a-z_]+)*(?:/|\.py|\.yaml|\.ksy))`")
_PLACES = [ROOT, ROOT / "gguf_construct", ROOT / "tools", ROOT / "spec", ROOT / "generated"]


def missing(text: str) -> list[str]:
    """Paths that a document names and that are not in any of the usual places."""
    named = set(_PATH.findall(text))
    return sorted(name for name in named if not any((place / name).exists() for place in _PLACES))


@pytest.mark.parametrize("name", DOCUMENTS)
def test_named_files_are_there(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert _PATH.search(text) or name == "README.md"
    assert missing(text) == []


def test_a_missing_file_is_seen() -> None:
    assert missing("`planning/strategy.py` and `ops/rewrite.py`, `fileio/`") == [
        "fileio/",
        "ops/rewrite.py",
    ]

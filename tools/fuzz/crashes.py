"""Inputs that broke the invariant, kept as small files that a test tries again."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "data" / "crashes"


def save(data: bytes, why: str, folder: Path = FOLDER) -> Path:
    """Keep an input, with a note of what went wrong beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{sha256(data).hexdigest()[:12]}.gguf"
    path.write_bytes(data)
    path.with_suffix(".txt").write_text(f"{why.strip()[-2000:]}\n", encoding="utf-8")
    return path


def saved(folder: Path = FOLDER) -> list[Path]:
    """Every kept input."""
    return sorted(folder.glob("*.gguf"))


def shrink(data: bytes, fails: Callable[[bytes], bool], tries: int = 400) -> bytes:
    """A shorter input that still fails: pieces are cut away, then bytes set to zero."""
    size = len(data) // 2
    while size and tries:
        at = 0
        while at < len(data) and tries:
            tries -= 1
            shorter = data[:at] + data[at + size :]
            if fails(shorter):
                data = shorter
            else:
                at += size
        size //= 2
    return data

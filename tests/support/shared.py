"""Where the real files are, if this machine has them: elsewhere, tests of them are skipped."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_REPOSITORY = Path(__file__).resolve().parents[2]


def shared_path() -> Path | None:
    """The folder of facts and fixtures beside the checkout, or None where there is none."""
    folder = Path(os.environ.get("GGUF_CONSTRUCT_SHARED", _REPOSITORY.parent / "shared"))
    return folder if (folder / "fixtures").is_dir() else None


def fixture_files() -> list[Path]:
    """Every undamaged GGUF file of the shared folder, sorted; empty where there is none.

    The folder `reports` holds files that are wrong in one way each: they have tests of their own.
    """
    folder = shared_path()
    found = sorted((folder / "fixtures").rglob("*.gguf")) if folder else []
    return [path for path in found if "reports" not in path.parts]


def sound_files() -> list[Path]:
    """Those of `fixture_files` in which every reader finds a model without an error."""
    return [path for path in fixture_files() if not path.parent.parent.name.startswith("converted")]


needs_shared = pytest.mark.skipif(shared_path() is None, reason="the shared fixtures are not here")

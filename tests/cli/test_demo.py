"""``demo``: each of its commands does what it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gguf_construct.cli.main import run

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_the_demo_runs_from_beginning_to_end(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "kept"
    assert run(["demo", "--keep", str(folder)]) == 0
    out, err = capfd.readouterr()
    assert out.count("$ gguf-construct ") > 5
    assert "Traceback" not in out + err
    assert (folder / "model.gguf").exists()
    assert run(["demo", "--keep", str(folder)]) == 4
    assert "not empty" in capfd.readouterr().err

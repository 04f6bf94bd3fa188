"""The choice of tests for the big-endian run; the run itself is the test of the rig."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from tools.bigendian import RigError, prepare
from tools.bigendian.__main__ import LEFT_OUT, SHORT, main, selection
from tools.bigendian.rig import REPOSITORY

if TYPE_CHECKING:
    from pathlib import Path


def test_the_short_selection_names_what_exists() -> None:
    assert set(SHORT) < set(selection(short=True))
    assert all((REPOSITORY / name).exists() for name in SHORT)


def test_the_whole_selection_leaves_out_what_cannot_differ() -> None:
    assert selection(short=False) == ["tests", *(f"--ignore={name}" for name in LEFT_OUT)]


def test_says_which_package_is_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(RigError, match="qemu-user-static"):
        prepare(tmp_path)
    assert main(["--prepare"]) == 2
    assert "qemu-user-static" in capsys.readouterr().err


def test_the_emulated_python_is_big_endian() -> None:
    """Under emulation, the tests do run where they say."""
    import os

    if os.environ.get("GGUF_CONSTRUCT_EMULATED") != "1":
        pytest.skip("not under emulation")
    assert sys.byteorder == "big"

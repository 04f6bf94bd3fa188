"""``completion``: a script for each shell."""

from __future__ import annotations

import pytest

from gguf_construct.cli.main import run


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts(shell: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", shell]) == 0
    out = capfd.readouterr().out
    assert f"_GGUF_CONSTRUCT_COMPLETE={shell}_complete" in out
    assert "gguf-construct" in out


def test_other_shells_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["completion", "tcsh"]) == 2
    assert "'tcsh' is not one of 'bash', 'zsh', 'fish'" in capsys.readouterr().err

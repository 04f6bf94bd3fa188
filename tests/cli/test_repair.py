"""``repair`` on the command line: the plan first, then a new file, never the old one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from gguf_construct.cli.main import run
from tests.support.builders import build
from tests.support.cases_model import sound

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

SOUND = build(sound()).data


def test_the_plan_is_shown_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(SOUND + bytes(4))
    assert run(["repair", str(path)]) == 1
    text = capsys.readouterr().out
    assert text == f"drop trailing bytes data section: {len(SOUND) + 4} -> {len(SOUND)}\n"
    assert run(["repair", str(path), "--json"]) == 1
    (change,) = json.loads(capsys.readouterr().out)["changes"]
    assert change["action"] == "drop trailing bytes"
    assert path.read_bytes() == SOUND + bytes(4)


def test_a_new_file_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "m.gguf", tmp_path / "out.gguf"
    path.write_bytes(SOUND + bytes(4))
    assert run(["repair", str(path), "-o", str(out)]) == 0
    assert out.read_bytes() == SOUND
    assert f"{out}: ok" in capsys.readouterr().err
    assert run(["repair", str(path), "-o", str(out)]) == 4
    capsys.readouterr()
    assert run(["repair", str(path), "-o", str(out), "--force", "--json", "-q"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["strategy"], found["bytes_written"]) == ("repaired", len(SOUND))


def test_the_file_itself_is_never_the_target(tmp_path: Path) -> None:
    path, link = tmp_path / "m.gguf", tmp_path / "link.gguf"
    path.write_bytes(SOUND + bytes(4))
    link.symlink_to(path)
    for target in (path, link):
        assert run(["repair", str(path), "-o", str(target), "--force"]) == 2
    assert path.read_bytes() == SOUND + bytes(4)


def test_nothing_to_repair(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "m.gguf", tmp_path / "out.gguf"
    path.write_bytes(SOUND)
    assert run(["repair", str(path), "-o", str(out)]) == 0
    assert "nothing that can be repaired" in capsys.readouterr().out
    assert not out.exists()


def test_what_remains_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "m.gguf", tmp_path / "out.gguf"
    path.write_bytes(SOUND.replace(b"llama.block_count", b"llama.block_cuont") + b"x")
    assert run(["repair", str(path), "-o", str(out)]) == 1
    assert "remain" in capsys.readouterr().err


def test_what_cannot_be_opened(tmp_path: Path) -> None:
    path = tmp_path / "m.gguf"
    path.write_bytes(SOUND[:50])
    assert run(["repair", str(path)]) == 3
    assert run(["repair", str(tmp_path / "none")]) == 4

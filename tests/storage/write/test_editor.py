"""A text in the editor of a person."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import sys
from pathlib import Path

import pytest

from gguf_construct.errors import EditError
from gguf_construct.storage.write.editor import EditorFile, editor_command


@pytest.fixture(autouse=True)
def no_editor(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)


def test_whose_editor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert editor_command() == ["vi"]
    monkeypatch.setattr(shutil, "which", lambda name: name if name == "vim" else None)
    assert editor_command() == ["vim"]
    monkeypatch.setattr(shutil, "which", lambda name: name)
    assert editor_command() == ["nano"]
    monkeypatch.setenv("EDITOR", "code --wait 'a b'")
    assert editor_command() == ["code", "--wait", "a b"]
    monkeypatch.setenv("VISUAL", "  ")
    assert editor_command()[0] == "code"
    monkeypatch.setenv("VISUAL", "emacs")
    assert editor_command() == ["emacs"]


def use(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """An editor that runs some Python on the file."""
    command = [sys.executable, "-c", f"import sys, os; path = sys.argv[1]\n{code}"]
    monkeypatch.setenv("EDITOR", shlex.join(command))


def test_what_is_left_is_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, "data = open(path, 'rb').read(); open(path, 'wb').write(data[::-1])")
    with EditorFile("m.yaml") as file:
        assert os.path.basename(file.path) == "m.yaml"
        assert file.edit("abc") == "cba"
    assert not os.path.exists(os.path.dirname(file.path))
    use(monkeypatch, "open(path, 'ab').write('é'.encode())")
    with EditorFile("m.yaml") as file:
        assert file.edit("a\n") == "a\né"
        mode = os.stat(file.path).st_mode
        assert stat.S_IMODE(mode) == 0o600
        assert stat.S_IMODE(os.stat(os.path.dirname(file.path)).st_mode) == 0o700
        assert file.edit("b") == "bé"
    use(monkeypatch, "open(path, 'wb').write(b'\\xef\\xbb\\xbfmark')")
    with EditorFile("m.yaml") as file:
        assert file.edit("") == "mark"


def test_editors_that_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, "sys.exit(3)")
    with EditorFile("m") as file, pytest.raises(EditError, match=r"failed \(3\): nothing written"):
        file.edit("x")
    assert not Path(file.path).exists()
    monkeypatch.setenv("EDITOR", "/no/such/editor")
    with EditorFile("m") as file, pytest.raises(EditError, match="cannot be started") as caught:
        file.edit("x")
    assert caught.value.hint == "set VISUAL or EDITOR to your editor"


def test_work_that_cannot_be_read_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, "open(path, 'wb').write(b'work\\xff')")
    with EditorFile("m") as file, pytest.raises(EditError, match="cannot be read"):
        file.edit("x")
    assert file.is_kept
    assert Path(file.path).read_bytes() == b"work\xff"
    shutil.rmtree(os.path.dirname(file.path))
    use(monkeypatch, "os.unlink(path)")
    with EditorFile("m") as file, pytest.raises(EditError, match="cannot be read"):
        file.edit("x")
    assert not file.is_kept

"""``edit`` driven by scripted editors."""

from __future__ import annotations

import sys
import tempfile
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

import gguf_construct as gc
from gguf_construct.cli.main import cli, run
from tests.support import builders as b
from tests.support.builders import Pair, build
from tests.support.cases_valid import base

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SCRIPT = """\
import pathlib, sys
path, seen = pathlib.Path(sys.argv[-1]), pathlib.Path({seen!r})
seen.mkdir(exist_ok=True)
number = len(list(seen.iterdir()))
text = path.read_bytes().decode()
(seen / str(number)).write_bytes(text.encode())
steps = {steps!r}
old, new = steps[min(number, len(steps) - 1)]
if new is None:
    sys.exit(int(old))
path.write_bytes(text.replace(old, new).encode())
"""
Steps = list[tuple[str, "str | None"]]


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    target = tmp_path / "model.gguf"
    template = Pair(b"tokenizer.chat_template", b.text("{{ a }}\r\n{{ b }} \n"))
    target.write_bytes(build(base(template)).data)
    return target


@pytest.fixture
def editor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Steps], Path]:
    """Install an editor that makes one replacement each time; returns what it was shown."""

    def install(steps: Steps) -> Path:
        seen, script = tmp_path / "seen", tmp_path / "an editor.py"
        script.write_text(SCRIPT.format(seen=str(seen), steps=steps))
        monkeypatch.setenv("VISUAL", f"'{sys.executable}' '{script}'")
        return seen

    return install


def shown(seen: Path) -> list[str]:
    return [(seen / str(number)).read_text() for number in range(len(list(seen.iterdir())))]


def test_a_change_is_written(
    path: Path, editor: Callable[[Steps], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    seen = editor([("count: !uint32 1", "count: !uint32 2")])
    assert run(["edit", str(path), "-i", "--yes", "--force-value"]) == 0
    assert "1 change" in capsys.readouterr().err
    assert len(shown(seen)) == 1
    with gc.open(path) as model:
        assert model.metadata["llama.block_count"] == 2
        assert model.metadata["tokenizer.chat_template"] == "{{ a }}\r\n{{ b }} \n"
        assert model.tensors["weight"].raw


def test_an_error_opens_the_editor_again(path: Path, editor: Callable[[Steps], Path]) -> None:
    seen = editor(
        [
            ("count: !uint32 1", "count: !uint32 [1"),
            ("count: !uint32 [1", "count: !uint32 x"),
            ("count: !uint32 x", "count: !uint32 5"),
        ]
    )
    assert run(["edit", str(path), "-i", "--yes", "--force-value"]) == 0
    first, second, third = shown(seen)
    assert "#! error" not in first
    assert "#! error: this is not YAML" in second
    lines = third.split("\n")
    at = lines.index("#! error: 'x' is not a valid uint32")
    assert lines[at + 1].startswith("llama.block_count: !uint32 x")
    with gc.open(path) as model:
        assert model.metadata["llama.block_count"] == 5


def test_no_change_writes_nothing(
    path: Path, editor: Callable[[Steps], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    before = path.stat().st_mtime_ns
    editor([("nothing", "else")])
    assert run(["edit", str(path), "-i", "--yes"]) == 0
    assert "nothing was written" in capsys.readouterr().err
    editor([("# Metadata", "# A comment")])
    assert run(["edit", str(path), "-i", "--yes"]) == 0
    assert run(["edit", str(path), "-o", str(path.with_suffix(".new")), "--yes"]) == 0
    assert not path.with_suffix(".new").exists()
    assert path.stat().st_mtime_ns == before


@pytest.mark.parametrize("steps", [[("3", None)], [("count: !uint32 1", "count: x"), ("1", None)]])
def test_an_editor_that_fails_writes_nothing(
    steps: Steps, path: Path, editor: Callable[[Steps], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    before = path.read_bytes()
    editor(steps)
    assert run(["edit", str(path), "-i", "--yes"]) == 2
    assert "nothing written" in capsys.readouterr().err
    assert path.read_bytes() == before


def test_leaving_an_error_as_it_is_gives_up_and_keeps_the_text(
    path: Path, editor: Callable[[Steps], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    before = path.read_bytes()
    editor([("count: !uint32 1", "count: x"), ("nothing", "else")])
    assert run(["edit", str(path), "-i", "--yes"]) == 2
    kept = capsys.readouterr().err.partition("your text is kept in ")[2].split("\n")[0]
    with open(kept, encoding="utf-8") as file:
        assert "count: x" in file.read()
    assert path.read_bytes() == before


def test_a_missing_editor_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VISUAL", "/no/such/editor")
    assert run(["edit", str(path), "-i", "--yes"]) == 2


def test_nobody_to_ask_needs_yes(path: Path, editor: Callable[[Steps], Path]) -> None:
    editor([("count: !uint32 1", "count: !uint32 2")])
    result = CliRunner().invoke(cli, ["edit", str(path), "-i"])
    assert result.exit_code == 2
    assert "--yes" in result.output


@pytest.mark.parametrize(("answer", "value"), [("y\n", 2), ("no\n", 1), ("e\ny\n", 3)])
def test_a_person_is_shown_the_changes_and_asked(
    answer: str,
    value: int,
    path: Path,
    editor: Callable[[Steps], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    editor([("count: !uint32 1", "count: !uint32 2"), ("count: !uint32 2", "count: !uint32 3")])
    monkeypatch.setattr("gguf_construct.cli.edit._is_interactive", lambda: True)
    result = CliRunner().invoke(cli, ["edit", str(path), "-i", "--force-value"], input=answer)
    assert "~ llama.block_count: uint32 1 -> 2" in result.output
    with gc.open(path) as model:
        assert model.metadata["llama.block_count"] == value


def test_a_dry_run_shows_the_plan_and_writes_nothing(
    path: Path, editor: Callable[[Steps], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    before = path.read_bytes()
    editor([("count: !uint32 1", "count: !uint32 2")])
    assert run(["edit", str(path), "-i", "--dry-run", "--force-value"]) == 0
    assert "would write" in capsys.readouterr().out
    assert path.read_bytes() == before


def test_of_a_set_of_shards_the_first_is_edited(
    tmp_path: Path, editor: Callable[[Steps], Path]
) -> None:
    split = [Pair(b"split.count", b.u16(2)), Pair(b"split.tensors.count", b.i32(2))]
    for number, more in enumerate((base(*split).pairs, tuple(split))):
        name = tmp_path / f"m-0000{number + 1}-of-00002.gguf"
        pairs = (*more, Pair(b"split.no", b.u16(number)))
        name.write_bytes(build(b.Model(pairs, base().tensors)).data)
    first, second = sorted(tmp_path.glob("m-*.gguf"))
    before = second.read_bytes()
    editor([("count: !uint32 1", "count: !uint32 2")])
    assert run(["edit", str(second), "-i", "--yes"]) == 0
    assert second.read_bytes() == before
    with gc.open(first) as model:
        assert model.metadata["llama.block_count"] == 2


def test_a_breaking_edit_opens_the_editor_again(
    path: Path, editor: Callable[[Steps], Path], capsys: pytest.CaptureFixture[str]
) -> None:
    editor([("architecture: llama", "architecture: nobody"), ("nobody", "llama")])
    assert run(["edit", str(path), "-i", "--yes"]) == 0
    assert "this edit would add" in capsys.readouterr().err
    with gc.open(path) as model:
        assert model.metadata["general.architecture"] == "llama"

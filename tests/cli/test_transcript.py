"""A long session with every verb prints what it printed before (tests/data/transcript.txt).

``pytest tests/cli/test_transcript.py --update-transcript`` writes the file anew; the difference
in version control shows what changed for users.
"""

from __future__ import annotations

from difflib import unified_diff
from pathlib import Path
from typing import TYPE_CHECKING

from gguf_construct.cli.main import SECTIONS, run
from tests.support.transcript import (
    COMMANDS,
    Entry,
    format_entry,
    parse_transcript,
    prepare,
    words_of,
)

if TYPE_CHECKING:
    import pytest

_FILE = Path(__file__).parents[1] / "data" / "transcript.txt"
_LIST = COMMANDS.strip().split("\n")
_NEITHER = {"demo", "completion", "spec"}  # covered by tests of their own; nothing in JSON


def test_every_verb_is_in_it_with_text_and_json() -> None:
    verbs = [name for section in SECTIONS.values() for name in section]
    for verb in verbs:
        lines = [words_of(line) for line in _LIST if line.startswith(f"{verb} ")]
        assert lines or verb in _NEITHER, verb
        has_json = any("--json" in line for line in lines)
        assert has_json or verb in {*_NEITHER, "edit"}, verb


def test_the_session(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    request: pytest.FixtureRequest,
) -> None:
    prepare(tmp_path)
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR", "VISUAL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("EDITOR", "true")
    monkeypatch.setenv("COLUMNS", "100")
    capfd.readouterr()
    parts = []
    for command in _LIST:
        code = run(words_of(command))
        shown = capfd.readouterr()
        parts.append(format_entry(Entry(command, shown.out, shown.err, code), tmp_path))
    text = "\n".join(parts)
    if request.config.getoption("--update-transcript"):
        _FILE.write_text(text)
    old, new = (parse_transcript(one) for one in (_FILE.read_text(), text))
    assert list(old) == list(new)
    changed = [
        line
        for command in old
        for line in unified_diff(old[command].split("\n"), new[command].split("\n"), lineterm="")
    ]
    assert not changed, "\n".join(changed)

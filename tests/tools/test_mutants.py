"""Planted faults: which there are, that they are valid Python, and what is said of them."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest

from tools.mutants import __main__ as command
from tools.mutants import trial as trials
from tools.mutants.faults import Fault, faults_in, plant
from tools.mutants.report import Equivalent, load_equivalents, rate, reason_why_equivalent, render
from tools.mutants.trial import REPOSITORY, Trial, stages, try_fault

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = '''\
"""A module of 5 words and numbers."""
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    from a import b
__all__ = ["f"]
def f(a: int | None, b=2) -> int | None:
    """Add 1."""
    assert a > 0
    with lock():
        save(a)
    if not a or b < 3:
        raise ValueError(f"{a + 1}")
    for x in range(b):
        continue
    return a + b if a is None else "x" + a
'''


def told(source: str) -> list[tuple[str, str, str]]:
    return [(one.kind, one.old, one.new) for one in faults_in(source)]


def test_every_kind_of_fault() -> None:
    found = told(SOURCE)
    assert {
        ("number", "2", "(3)"),
        ("lock", "lock()", '__import__("contextlib").nullcontext()'),
        ("call", "save(a)", "pass"),
        ("condition", "not a or b < 3", "True"),
        ("condition", "not a or b < 3", "False"),
        ("logic", "not a or b < 3", "(not a and b < 3)"),
        ("logic", "not a", "(a)"),
        ("comparison", "b < 3", "(b <= 3)"),
        ("number", "3", "(4)"),
        ("raise", 'raise ValueError(f"{a + 1}")', "pass"),
        ("loop", "continue", "break"),
        ("arithmetic", "a + b", "(a - b)"),
        ("comparison", "a is None", "(a is not None)"),
        ("condition", "a is None", "True"),
        ("condition", "a is None", "False"),
    } == set(found)


def test_a_fault_changes_one_place_and_stays_python(tmp_path: Path) -> None:
    source = REPOSITORY / "gguf_construct" / "planning" / "patches.py"
    text = source.read_text(encoding="utf-8")
    path = tmp_path / "m.py"
    for fault in faults_in(text):
        path.write_text(text, encoding="utf-8")
        plant(path, fault)
        changed = path.read_text(encoding="utf-8")
        ast.parse(changed)
        assert changed != text
        assert len(changed) - len(text) == len(fault.new) - len(fault.old)
        assert text.count("\n", 0, fault.begin) + 1 == fault.line


def test_offsets_count_bytes(tmp_path: Path) -> None:
    path = tmp_path / "m.py"
    path.write_text('x = "é模" if a < 1 else 2\n', encoding="utf-8")
    (fault,) = (
        one for one in faults_in(path.read_text(encoding="utf-8")) if one.kind == "comparison"
    )
    plant(path, fault)
    assert path.read_text(encoding="utf-8") == 'x = "é模" if (a <= 1) else 2\n'


def test_the_same_seed_gives_the_same_faults() -> None:
    rooms = ["gguf_construct/planning", "gguf_construct/errors.py"]
    first = command.choose(rooms, 5, 30)
    assert first == command.choose(rooms, 5, 30)
    assert first != command.choose(rooms, 6, 30)
    with pytest.raises(SystemExit, match="no Python files"):
        command.choose(["docs"], 1, 1)


def test_stages_go_from_near_to_far() -> None:
    found = stages("gguf_construct/storage/journal/state.py", REPOSITORY)
    assert found[:3] == [
        ["tests/storage/journal/test_state.py"],
        ["tests/storage/journal"],
        ["tests/storage"],
    ]
    assert stages("gguf_construct/errors.py", REPOSITORY)[0] == ["tests/test_errors.py"]


FAULT = Fault("number", "f", 1, 4, 5, "1", "(2)")


@pytest.mark.parametrize(
    ("test", "killed_by"),
    [
        ("from gguf_construct.m import x\ndef test_x():\n    assert x == 1\n", "tests/test_m.py"),
        ("def test_x():\n    assert True\n", ""),
        ("import gguf_construct.m.nothing\n", "tests/test_m.py"),
    ],
)
def test_a_trial_leaves_the_module_as_it_was(tmp_path: Path, test: str, killed_by: str) -> None:
    package = tmp_path / "gguf_construct"
    package.mkdir()
    (package / "__init__.py").write_text("", encoding="utf-8")
    (package / "m.py").write_text("x = 1\n", encoding="utf-8")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_m.py").write_text(test, encoding="utf-8")
    if not killed_by:
        (package / "m.py").write_text("x = 1\n", encoding="utf-8")
    found = try_fault(tmp_path, "gguf_construct/m.py", FAULT, most_stages=1)
    assert found.killed_by == killed_by or "nothing" in test
    assert (package / "m.py").read_text(encoding="utf-8") == "x = 1\n"
    assert found.seconds > 0


def test_what_runs_too_long_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "_LIMIT", 0.2)
    (tmp_path / "test_m.py").write_text(
        "import time\ndef test_x():\n    time.sleep(60)\n", encoding="utf-8"
    )
    assert trials._notices(tmp_path, ["test_m.py"], 1)


def test_the_document() -> None:
    other = FAULT._replace(kind="call", new="pass", scope="g")
    done = [
        Trial("gguf_construct/core/a.py", FAULT, "tests/core/test_a.py", 1.0),
        Trial("gguf_construct/core/a.py", other, "", 1.0),
        Trial("gguf_construct/storage/b.py", FAULT, "", 1.0),
    ]
    known = [Equivalent("gguf_construct/storage/b.py", "f", "1", "(2)", "nobody asks")]
    text = render(done, 7, known)
    assert "Seed 7: 3 faults, 1 of them change nothing." in text
    assert "noticed 1: **50.0 %**." in text
    assert "| core | 2 | 0 | 1 | 50.0 % |" in text
    assert "| storage | 1 | 1 | 0 | - |" in text
    assert "- `gguf_construct/core/a.py` line 1, in g: `1` -> `pass` (call)" in text
    assert "`1` -> `(2)` (number): nobody asks" in text


def test_rates_are_rounded_down() -> None:
    assert rate(0, 0) == "-"
    assert rate(199, 200) == "99.5 %"
    assert rate(1999, 2000) == "99.9 %"


def test_faults_without_effect_are_still_there() -> None:
    for one in load_equivalents():
        assert one.reason
        text = (REPOSITORY / one.file).read_text(encoding="utf-8")
        assert any(reason_why_equivalent(one.file, fault, [one]) for fault in faults_in(text)), (
            f"{one.file}: {one.old} is not there any more"
        )

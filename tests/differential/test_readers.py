"""Every reader sees the same in every valid case, as far as it can see at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.cases import BAD, VALID, growing_headers
from tests.support.engines import ENGINES, Engine
from tests.support.ours import CODEC, CONSTRUCT
from tests.support.seen import read_plainly, seen_of
from tests.support.shared import fixture_files, needs_shared

if TYPE_CHECKING:
    from pathlib import Path

CASES = (*VALID, *growing_headers())
# How many of the cases each engine can read at least: none may go blind unnoticed.
LEAST = {
    "plain": 270,
    "codec": 270,
    "construct": 270,
    "gguf-py": 200,
    "kaitai-py": 270,
    "kaitai-js": 270,
    "ggml": 150,
}
READERS = (*ENGINES, CODEC, CONSTRUCT)
OURS = [
    engine for engine in READERS if engine.name in {"codec", "construct", "kaitai-py", "kaitai-js"}
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All valid cases as files."""
    folder = tmp_path_factory.mktemp("valid")
    for number, case in enumerate(CASES):
        (folder / f"{number}.gguf").write_bytes(case.data)
    return folder


@pytest.mark.parametrize("engine", READERS, ids=str)
def test_engine_sees_what_was_written(engine: Engine, folder: Path) -> None:
    engine.need()
    truths = [seen_of(case.expected) for case in CASES]
    numbers = [number for number, truth in enumerate(truths) if engine.blind(truth) is None]
    found = engine.read([folder / f"{number}.gguf" for number in numbers])
    wrong = {
        CASES[number].name: seen
        for number, seen in zip(numbers, found, strict=True)
        if seen != engine.view(truths[number])
    }
    assert wrong == {}
    assert len(found) >= LEAST[engine.name]


@needs_shared
@pytest.mark.parametrize("engine", READERS, ids=str)
def test_engine_sees_the_same_in_real_files(engine: Engine) -> None:
    engine.need()
    files = [path for path in fixture_files() if path.stat().st_size < 600_000]
    truths = {path: read_plainly(path.read_bytes())[0] for path in files}
    seen = [path for path in files if engine.blind(truths[path]) is None]
    found = dict(zip(seen, engine.read(seen), strict=True))
    wrong = [path.name for path in seen if found[path] != engine.view(truths[path])]
    assert wrong == []
    assert len(seen) > len(files) // 2


@pytest.mark.parametrize("engine", OURS, ids=str)
def test_types_that_do_not_exist_are_refused(engine: Engine, tmp_path: Path) -> None:
    """Also of an empty array: each reader that the schema gives says so."""
    engine.need()
    cases = [case for case in BAD if case.name.startswith(("value-type-", "element-type-"))]
    paths = [tmp_path / f"{number}.gguf" for number in range(len(cases))]
    for path, case in zip(paths, cases, strict=True):
        path.write_bytes(case.data)
    assert len(cases) >= 18
    assert [seen for seen in engine.read(paths) if not isinstance(seen, str)] == []

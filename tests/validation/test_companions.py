"""Files beside a model: sound ones pass here and in llama.cpp, faulty ones in neither."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gguf_construct.validation.validate import validate
from tests.support import companions as sound
from tests.support import llama
from tests.support.builders import build
from tests.support.shared import needs_shared, shared_path
from tests.validation.companion_cases import COMPANION_CASES
from tools.samples import sample_model

if TYPE_CHECKING:
    from pathlib import Path

SOUND = (sound.adapter, sound.imatrix, sound.control_vector, sound.projector)


@pytest.mark.parametrize("make", SOUND, ids=lambda make: make.__name__)
def test_sound_ones_have_no_problems(make: object) -> None:
    assert validate(build(make()).data).problems == ()  # type: ignore[operator]


def test_a_missing_key_is_one_finding() -> None:
    for make, key in (
        (sound.adapter, "general.type"),
        (sound.adapter, "general.architecture"),
        (sound.projector, "general.architecture"),
        (sound.imatrix, "general.type"),
        (sound.control_vector, "general.architecture"),
    ):
        assert len(validate(build(sound.change(make(), {key: None})).data).problems) <= 1


def _judge(kind: str, folder: Path) -> dict[str, bool]:
    """What llama.cpp says of the sound file and of each faulty one, by number."""
    base = folder / "base.gguf"
    base.write_bytes(sample_model())
    prefix = {"adapter": ("adapter", "key"), "projector": ("projector",)}[kind]
    good = sound.adapter if kind == "adapter" else sound.projector
    cases = [one for one in COMPANION_CASES if one.good.data == build(good()).data]
    paths = []
    for number, case in enumerate(cases):
        assert case.code.startswith(prefix)
        paths.append(folder / f"{number}.gguf")
        paths[-1].write_bytes(case.bad.data)
    whole = folder / "good.gguf"
    whole.write_bytes(cases[0].good.data)
    paths.append(whole)
    answers = llama.adapters(base, paths) if kind == "adapter" else llama.projectors(paths)
    wrong = {}
    for case, answer in zip(cases, answers, strict=False):
        # A sample of a few tensors is told apart from a projector that misses one.
        if case.code != "projector-stub" and answer.ok is not validate(case.bad.data).ok:
            wrong[f"{case.code} {answer.message[-300:]}"] = answer.ok
    assert answers[-1].ok, answers[-1].message
    return wrong


@llama.needs_llama
@pytest.mark.parametrize("kind", ["adapter", "projector"])
def test_llama_says_the_same(kind: str, tmp_path: Path) -> None:
    assert _judge(kind, tmp_path) == {}


@needs_shared
def test_converted_companions_have_no_problems() -> None:
    folder = shared_path()
    assert folder is not None
    found = [*folder.glob("fixtures/converted*/lora-*/*.gguf")]
    found += folder.glob("fixtures/converted*/*/mmproj*.gguf")
    found += folder.glob("fixtures/converted/mmproj-*/*.gguf")
    assert found
    for path in found:
        problems = validate(path.read_bytes(), file_name=path.name).problems
        assert [one for one in problems if one.severity != "info"] == [], path

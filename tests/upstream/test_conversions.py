"""Models that llama.cpp's own converter made, against the folders that it made them from."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import pytest

import gguf_construct as gc
from gguf_construct.errors import RefusedError
from tests.support.shared import shared_path

if TYPE_CHECKING:
    from pathlib import Path

# What differs although the converter made it, and rightly so: the file then holds what its own
# loader refuses (gpt2, modernbert) or a setting that the converter does not look for (glm).
TRUE = {
    "gpt2": {"gpt2.feed_forward_length"},
    "modernbert": {"modern-bert.attention.layer_norm_epsilon"},
    "glm": {"chatglm.context_length", "chatglm.attention.layer_norm_rms_epsilon"},
}


def conversions() -> list[Path]:
    shared = shared_path()
    if shared is None:
        return []
    found = sorted((shared / "fixtures").glob("converted*/*/*.gguf"))
    return [path for path in found if any(path.parent.glob("*config.json"))]


@pytest.mark.skipif(not conversions(), reason="the shared fixtures are not here")
def test_there_are_many() -> None:
    assert len(conversions()) > 60


@pytest.mark.parametrize(
    "path", conversions(), ids=lambda path: f"{path.parent.name}-{path.stem[-9:]}"
)
def test_faithful_conversions_are_the_same(path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if "-split-" in path.name and "00001-of" not in path.name:
            with pytest.raises(RefusedError, match="holds no metadata"):
                gc.diff_upstream(path, path.parent)
            return
        rows = gc.diff_upstream(path, path.parent)
    keys = [row.key for row in rows]
    assert len(keys) == len({*keys})
    assert {row.key for row in rows if row.is_difference} == TRUE.get(path.parent.name, set())
    assert sum(row.is_compared for row in rows) >= 1

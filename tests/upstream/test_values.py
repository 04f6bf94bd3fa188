"""One setting on both sides: the same, another one, or nothing to compare."""

from __future__ import annotations

from typing import Any

import pytest

import gguf_construct as gc
from gguf_construct.core.registry import find
from gguf_construct.upstream.values import compare, normalize
from tests.support import builders as b
from tests.support.builders import Model, Pair, build


def info_of(suffix: str) -> Any:
    found = find(f"llama.{suffix}" if not suffix.startswith(("tok", "gen")) else suffix, "llama")
    assert found is not None, suffix
    return found


PLAIN = "context_length"
COMPARED: list[tuple[str, Any, Any, str]] = [
    (PLAIN, 5, 5, "same"),
    (PLAIN, 5, 6, "differs"),
    (PLAIN, 5, 5.0, "same"),
    (PLAIN, True, 1, "same"),
    (PLAIN, True, 0, "differs"),
    (PLAIN, True, "x", "differs"),
    (PLAIN, 1, True, "same"),
    (PLAIN, 0.10000000149011612, 0.1, "same"),
    (PLAIN, 0.1, 0.1, "same"),
    (PLAIN, 0.10000001, 0.1, "differs"),
    (PLAIN, 0.5, 1e39, "differs"),
    (PLAIN, float("inf"), 1e39, "differs"),
    (PLAIN, "a", "a", "same"),
    (PLAIN, "a", "b", "differs"),
    (PLAIN, [1, 2], [1, 2], "same"),
    (PLAIN, [1, 2], [1, 3], "differs"),
    (PLAIN, [1, 2], [1], "differs"),
    (PLAIN, [8, 8], 8, "same"),
    (PLAIN, [8, 9], 8, "differs"),
    (PLAIN, 8, [8, 8], "same"),
    (PLAIN, 8, [8, 9], "differs"),
    (PLAIN, 8, {"a": 1}, "not comparable"),
    ("rope.scaling.type", "none", "default", "same"),
    ("rope.scaling.type", "yarn", "default", "differs"),
    ("rope.scaling.type", "yarn", "yarn", "same"),
    ("rope.scaling.type", "linear", "yarn", "differs"),
    ("rope.scaling.type", "none", "llama3", "not comparable"),
    ("rope.scaling.type", "longrope", "su", "not comparable"),
    ("rope.scaling.type", "yarn", "llama3", "differs"),
    ("rope.scaling.type", "none", "yarn", "differs"),
    ("rope.scaling.yarn_log_multiplier", 0.1, 1.0, "same"),
    ("rope.scaling.yarn_log_multiplier", 0.5, 0.5, "same"),
    ("rope.scaling.yarn_log_multiplier", 0.5, 1.0, "differs"),
    ("attention.sliding_window_pattern", [1, 0], ["sliding_attention", "full_attention"], "same"),
    ("attention.sliding_window_pattern", [0, 1], ["sliding_attention", "full"], "differs"),
    ("attention.sliding_window_pattern", 2, ["sliding_attention"], "not comparable"),
]


@pytest.mark.parametrize(("suffix", "ours", "theirs", "verdict"), COMPARED)
def test_verdicts(suffix: str, ours: Any, theirs: Any, verdict: str) -> None:
    assert compare(info_of(suffix), ours, theirs)[0] == verdict


def test_notes_say_why() -> None:
    assert compare(info_of(PLAIN), [8, 8], 8)[1] == "one value per layer here"
    assert compare(info_of(PLAIN), 8, [8, 8])[1] == "one value per layer there"
    found = compare(info_of("rope.scaling.type"), "none", "llama3")
    assert found[1] == "llama3 scaling is stored in tensors of factors"
    found = compare(info_of("attention.sliding_window_pattern"), 2, ["x"])
    assert found[1] == "a period here, a list there"
    assert compare(info_of("general.architecture"), "llama", ["L"])[0] == "not comparable"


def test_numbers_with_names_are_compared_by_name() -> None:
    info = info_of("expert_gating_func")
    names = {number: name for number, name in info.values if name}
    number, name = next(iter(names.items()))
    assert compare(info, number, name.upper())[0] == "same"
    assert compare(info, number, name + "x")[0] == "differs"
    assert compare(info, number, number)[0] == "same"
    assert compare(info, 999, "999")[0] == "same"


BASE = {
    b"general.architecture": b.text("llama"),
    b"llama.embedding_length": b.u32(64),
    b"llama.attention.head_count": b.u32(4),
    b"tokenizer.ggml.tokens": b.array(b.STRING, b"a", b"b", b"c"),
}
ASSUMED: list[tuple[str, dict[bytes, b.Value], Any, str]] = [
    ("vocab_size", {}, 3, "the number of tokens"),
    ("attention.key_length", {}, 16, "not stored: width divided by heads"),
    ("attention.value_length", {}, 16, "not stored: width divided by heads"),
    ("attention.key_length", {b"llama.attention.head_count": b.u32(0)}, None, ""),
    ("attention.key_length", {b"llama.embedding_length": b.text("x")}, None, ""),
    ("attention.head_count_kv", {}, 4, "not stored: as many as heads"),
    ("rope.scaling.type", {}, "none", "not stored: no scaling"),
    ("attention.causal", {}, True, "not stored: causal"),
    ("context_length", {}, None, ""),
]


@pytest.mark.parametrize(("suffix", "changes", "value", "note"), ASSUMED)
def test_what_readers_assume(
    suffix: str, changes: dict[bytes, b.Value], value: Any, note: str
) -> None:
    pairs = tuple(Pair(key, one) for key, one in {**BASE, **changes}.items())
    with gc.open(build(Model(pairs)).data) as model:
        assert normalize(model, info_of(suffix), None) == (value, note)
        assert normalize(model, info_of(suffix), 7) == (7, "")


def test_without_a_vocabulary_its_size_is_not_assumed() -> None:
    pairs = tuple(Pair(key, one) for key, one in BASE.items() if b"tokens" not in key)
    with gc.open(build(Model(pairs)).data) as model:
        assert normalize(model, info_of("vocab_size"), None) == (None, "")

"""Whole vocabularies at once: the same as string by string."""

from __future__ import annotations

import random
from struct import Struct

import pytest

from gguf_construct.runtime.views import StringArray
from gguf_construct.validation.rules import bulk
from gguf_construct.validation.rules.bulk import first_not_utf8, repeated


def array_of(texts: list[bytes], form: str = "<Q") -> StringArray:
    length = Struct(form)
    raw = b"??" + b"".join(length.pack(len(text)) + text for text in texts)
    return StringArray(raw, 2, len(texts), len(raw), length)


WORDS = [b"w%d" % at for at in range(100)]


@pytest.mark.parametrize("form", ["<Q", ">Q", "<I", ">I"])
@pytest.mark.parametrize("num", [1, 64, 65, 100])
@pytest.mark.parametrize("wrong", [b"\xff", b"\xc3", b"ok\x80", b"\xed\xa0\x80"])
def test_the_first_that_is_not_utf8(form: str, num: int, wrong: bytes) -> None:
    texts = WORDS[:num]
    assert first_not_utf8(array_of(texts, form)) is None
    for at in {0, num // 2, num - 1}:
        damaged = [*texts[:at], wrong, *texts[at + 1 :]]
        assert first_not_utf8(array_of(damaged, form)) == at
    # A character may not be finished by the string behind it.
    if num > 2:
        assert first_not_utf8(array_of([*texts[:-2], b"\xc3", b"\xa9"], form)) == num - 2
    assert first_not_utf8(array_of([*texts[:-1], "é🦙".encode()], form)) is None


def test_very_many_strings_are_not_copied(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "MOST_COMPARED", 99)
    monkeypatch.delattr(bulk, "_blanked")
    assert first_not_utf8(array_of(WORDS)) is None
    assert first_not_utf8(array_of([*WORDS, b"\xc3", b"\xa9"])) == 100


def plainly(texts: list[bytes]) -> list[tuple[int, int]]:
    first: dict[bytes, int] = {}
    found = []
    for at, text in enumerate(texts):
        cut = text.split(b"\0")[0]
        if cut and cut in first:
            found.append((first[cut], at))
        first.setdefault(cut, at)
    return found


@pytest.mark.parametrize("form", ["<Q", ">Q", "<I", ">I"])
@pytest.mark.parametrize("seed", range(12))
def test_repeated_strings(form: str, seed: int) -> None:
    rng = random.Random(seed)
    num = rng.choice([3, 64, 65, 200])
    pool = [b"", b"a", b"a\0b", b"a\0c", b"\0", b"\xff" * 8, b"\xff" * 16, b"x\xffy"]
    pool = pool[: 2 + seed % 7]
    texts = [b"t%d" % at for at in range(num)]
    for _ in range(rng.randrange(6)):
        texts[rng.randrange(num)] = rng.choice(pool)
    assert repeated(array_of(texts, form)) == plainly(texts)


def test_nothing_is_repeated() -> None:
    assert repeated(array_of(WORDS)) == []
    assert repeated(array_of([b""] * 100)) == []
    assert repeated(array_of([])) == []

"""What the fuzzer starts from, and how it makes new inputs."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, NamedTuple

from gguf_construct.byte_map.spans import byte_map
from gguf_construct.errors import GGUFError
from tests.support.builders import Array, Model, Pair, Span, Value, build
from tests.support.cases import CASES, NOT_GGUF, small_models
from tests.support.cases_model import sound
from tests.support.mutations import mutate

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST = 2000
_MOST_NBYTES = 1 << 16
# What the mutations call the fields that the map names as the schema does.
_NAMES = (
    (".len_value", ".len"),
    (".value_type", ".type"),
    (".ggml_type", ".type"),
    ("tensor_infos[", "tensors["),
)


class Seed(NamedTuple):
    """A file and the places of its fields."""

    data: bytes
    spans: tuple[Span, ...]


class Corpus:
    """Hand-made files right and wrong, and every input that reached new code."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        files = [case.data for case in CASES.values()]
        files += [built.data for _, built in small_models()]
        files += real_headers()
        self.others = [sample.data for sample in NOT_GGUF]
        self.seeds = [
            Seed(data, places(data)) for data in dict.fromkeys(files) if len(data) <= _MOST_NBYTES
        ]

    def add(self, data: bytes) -> None:
        """Keep an input to mutate it further."""
        if len(self.seeds) < _MOST and len(data) <= _MOST_NBYTES:
            self.seeds.append(Seed(data, places(data)))

    def first(self) -> Iterator[bytes]:
        """The files as they are."""
        yield from (seed.data for seed in self.seeds)
        yield from self.others

    def next(self) -> bytes:
        """A mutated file; the same sequence for the same seed and the same additions."""
        chance = self.chance
        if chance.randrange(50) == 0:
            return mutate(chance.choice(self.others), chance)
        seed = chance.choice(self.seeds)
        data = mutate(seed.data, chance, seed.spans)
        return mutate(data, chance) if chance.randrange(8) == 0 else data


def real_headers() -> Iterator[bytes]:
    """Metadata as a real model has it, with its vocabulary cut short; each with some keys gone."""
    chance = random.Random(0)
    for _ in range(40):
        pairs = [pair for pair in sound().pairs if chance.randrange(4)]
        yield build(Model(tuple(_short(pair) for pair in pairs), sound().tensors[-1:])).data


def _short(pair: Pair) -> Pair:
    payload = pair.value.payload
    if not isinstance(payload, Array):
        return pair
    return Pair(pair.key, Value(pair.value.type, Array(payload.type, payload.items[:6])))


def places(data: bytes) -> tuple[Span, ...]:
    """The fields of a file as far as it can be read."""
    try:
        spans = [span for span in byte_map(data, fold=8) if span.start < span.end]
    except GGUFError:
        return ()
    return tuple(
        Span(_renamed(span.path), span.start, span.end, ())
        for span in spans
        if span.type != "unreadable"
    )


def _renamed(path: str) -> str:
    for ours, theirs in _NAMES:
        path = path.replace(ours, theirs)
    return path

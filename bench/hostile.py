"""Files that claim absurd counts, lengths and depths: what it costs to refuse them."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING

from bench.measure import Summary, in_turns, run_python, warm
from bench.models import vocabulary
from bench.report import REPOSITORY, SCRATCH, Section, Table, nbytes, seconds
from tests.support import builders as b
from tests.support.builders import Array, Model, Pair, Str, Tensor, Value, build

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from bench.measure import Sample

HUGE = 2**62
MOST_MEMORY = 30e6
_SOUND = Pair(b"general.architecture", b.text("llama"))
_BASE = "a sound vocabulary file"

# Everything that opening and refusing need: both sides pay for the same imports, none of them.
_SETUP = """\
import gguf_construct, gguf_construct.model, gguf_construct.core.not_gguf
from gguf_construct._generated import codec_be, codec_le, trace"""
_OPEN = """\
try:
    gguf_construct.open({path!r})
    assert {sound}
except gguf_construct.ParseError:
    assert not {sound}
"""


def smallest_vocabulary() -> Path:
    """The smallest real vocabulary file, or a made one where there are none."""
    shared = os.environ.get("GGUF_CONSTRUCT_SHARED", REPOSITORY.parent / "shared")
    folder = REPOSITORY / shared / "fixtures" / "vocab"
    files = sorted(folder.glob("*.gguf"), key=lambda path: path.stat().st_size)
    return files[0] if files else vocabulary()


def hostile_models() -> Iterator[tuple[str, Model]]:
    """What each file claims, and the file."""
    tensor = Tensor(b"t", (8,), 0, bytes(32))
    for number, name in ((HUGE, "2^62"), (2**31, "2^31")):
        yield f"{name} metadata pairs", Model((_SOUND,), num_pairs=number)
        yield f"{name} tensors", Model((_SOUND,), (tensor,), num_tensors=number)
        yield f"a key of {name} bytes", Model((Pair(Str(b"key", number), b.u8(1)),))
        yield f"a string of {name} bytes", Model((Pair(b"k", Value(b.STRING, Str(b"v", number))),))
        for type_id in (b.UINT8, b.FLOAT64, b.STRING, b.ARRAY):
            value = b.array(type_id, stated=number)
            kind = b.TYPE_NAMES[type_id]
            yield f"{name} elements of type {kind}", Model((_SOUND, Pair(b"k", value)))
        token = b.array(b.STRING, *[b"token"] * 1000, Str(b"", number))
        yield f"a token of {name} bytes", Model((_SOUND, Pair(b"k", token)))
        name_length = Tensor(Str(b"t", number), (8,), 0, bytes(32))
        yield f"a tensor name of {name} bytes", Model((_SOUND,), (name_length,))
    yield "2^32 - 1 dimensions", Model((_SOUND,), (Tensor(b"t", (8,), num_dims=2**32 - 1),))
    for count, name in ((2**30, "2^30"), (2**16, "2^16")):
        strings = b.array(b.STRING, b"one", stated=count)
        yield f"{name} strings, within the limits", Model((_SOUND, Pair(b"k", strings)))
    for depth in (9, 400):
        yield f"arrays {depth} deep", Model((_SOUND, Pair(b"k", Value(b.ARRAY, nested(depth)))))


def nested(depth: int) -> Array:
    """Arrays of one array each, `depth` levels."""
    value = Array(b.UINT8, (1,))
    for _ in range(depth - 1):
        value = Array(b.ARRAY, (value,))
    return value


def deep_file(depth: int) -> bytes:
    """The same, for depths at which a builder that calls itself gives up."""
    built = build(Model((_SOUND, Pair(b"k", Value(b.ARRAY, nested(1))))))
    at = built.at("metadata[1].value.element_type")
    level = built.data[built.at("metadata[1].type") :][:4] + (1).to_bytes(8, "little")
    return built.data[:at] + level * depth + built.data[at:]


def hostile_files(folder: Path) -> dict[str, Path]:
    """Write the files; their paths by what they claim."""
    folder.mkdir(parents=True, exist_ok=True)
    contents = {name: build(model).data for name, model in hostile_models()}
    contents["arrays 1,000,000 deep"] = deep_file(1_000_000)
    files = {}
    for number, (name, data) in enumerate(contents.items()):
        files[name] = folder / f"hostile-{number}.gguf"
        files[name].write_bytes(data)
    return files


def _opening(path: Path, sound: bool) -> Callable[[], Sample]:
    return partial(run_python, _SETUP, _OPEN.format(path=str(path), sound=sound))


def run(*, quick: bool = False) -> Section:
    """Time and memory of refusing each file, against opening a sound one."""
    section = Section(
        "hostile",
        "Hostile files",
        "Each file claims more than it can hold. In a fresh process, after the imports: the time "
        "until the refusal, the search for where and why included.",
    )
    sound = smallest_vocabulary()
    warm(sound)
    files = hostile_files(SCRATCH)
    contestants = {_BASE: _opening(sound, True)}
    contestants |= {name: _opening(path, False) for name, path in files.items()}
    results = in_turns(contestants, 3 if quick else 15)
    section.tables.append(_table(f"Open {sound.name}, and refuse", results))
    hostile = [result for name, result in results.items() if name != _BASE]
    slowest = max(result.seconds for result in hostile) / results[_BASE].seconds
    section.promise(
        "the slowest refusal, as a share of opening the vocabulary", slowest, 1, at_least=False
    )
    most = max(result.peak_nbytes for result in hostile) / 1e6
    section.promise("added memory in MB", most, MOST_MEMORY / 1e6, at_least=False)
    for path in files.values():
        path.unlink()
    return section


def _table(title: str, results: dict[str, Summary]) -> Table:
    table = Table(title, ["the file claims", "time", "added memory", "share of the time"])
    base = results[_BASE].seconds
    for name, result in results.items():
        share = f"{result.seconds / base:.2f}"
        table.rows.append([name, seconds(result.seconds), nbytes(result.peak_nbytes), share])
    return table

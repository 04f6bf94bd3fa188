"""Hold what we say of models against a real llama.cpp; write docs/architectures.md.

Usage: ``make agreement``, or ``python -m tests.support.architectures [--share 0.1]``.  Tiny models
of every architecture are made from spec/weights.yaml alone, and single-fault copies of them and of
the converted models beside the checkout, if they are there; a share of these copies is judged.
"""

from __future__ import annotations

import argparse
import random
from collections import Counter
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from gguf_construct._generated.weights import LOADERS
from gguf_construct.validation.validate import validate

from .builders import build
from .faults import faults, model_of, written
from .llama_load import Judge
from .shared import shared_path
from .tiny_models import largest, smallest

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .builders import Model

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "architectures.md"
_SEED = 12
_PER_ROW = 8

_HEAD = """\
# Architectures against llama.cpp

What `gguf-construct validate` and a real llama.cpp (package xllamacpp {version}) say of the same
models. Written by `python -m tests.support.architectures --share {share}`; the suite holds a sample
of it in `tests/validation/test_architectures.py`.

## Architectures

Of each, tiny models are made from `spec/weights.yaml` alone: one with the tensors that must be
there, one with as many more as go together. Both load there and have no error here; without a
tensor that must be there, both refuse. Checked: {checked} of {all}. Disagreements: {disagreements}.

"""
_FAULTS = """
## Single faults

Copies with one tensor or key left out, one value, type or shape changed, of the tiny models and of
{converted} models that llama.cpp's own converter made (a sample: {share} of all copies).

| fault | llama.cpp refuses | of these, no error here | llama.cpp loads | of these, an error here |
|---|---|---|---|---|
"""
_ABORTS = """
Among the errors of the last column, {aborts} are of models that llama.cpp loads and that abort when
the first token is decoded; the others are disagreements.
"""


class Disagreement(NamedTuple):
    """A model that one of the two refuses."""

    what: str
    llama: str
    ours: tuple[str, ...]


def errors_of(data: bytes) -> tuple[str, ...]:
    """The codes of our errors."""
    return tuple(one.code for one in validate(data, file_name="model.gguf").errors)


def check_architecture(name: str, judge: Judge) -> Iterator[Disagreement]:
    """Both tiny models, and the smaller one without each of a few of its tensors."""
    small = smallest(name)
    for model in (small, largest(name)):
        yield from _compare(f"{name} with {len(model.tensors)} tensors", build(model).data, judge)
    chance = random.Random(_SEED)
    for at in chance.sample(range(len(small.tensors)), min(4, len(small.tensors))):
        left = small.tensors[:at] + small.tensors[at + 1 :]
        lost = small.tensors[at].name
        data = build(small.__class__(small.pairs, left)).data
        verdict, ours = judge.judge(data), errors_of(data)
        if verdict.ok or not ours:
            yield Disagreement(f"{name} without {lost!r}", verdict.message, ours)


def _compare(what: str, data: bytes, judge: Judge) -> Iterator[Disagreement]:
    verdict, ours = judge.judge(data), errors_of(data)
    if not verdict.ok or ours:
        yield Disagreement(what, verdict.message, ours)


def converted_models() -> list[tuple[str, Model]]:
    """The text models that llama.cpp's converter made and its loader takes, sorted by name."""
    folder = shared_path()
    paths = sorted((folder / "fixtures").glob("converted*/*/model.gguf")) if folder else []
    return [
        (path.parent.name, model_of(path.read_bytes()))
        for path in paths
        if not path.parent.name.startswith(("lora", "mmproj"))
    ]


def judge_faults(
    models: list[tuple[str, Model]], share: float, judge: Judge, runner: Judge
) -> tuple[Counter[tuple[str, str]], list[Disagreement]]:
    """Counts by kind of fault and outcome, and the disagreements."""
    counts: Counter[tuple[str, str]] = Counter()
    found: list[Disagreement] = []
    chance = random.Random(_SEED)
    for name, model in models:
        data = build(model).data
        if not judge.judge(data).ok or errors_of(data):
            continue
        for fault in faults(model):
            if chance.random() >= share:
                continue
            data = written(fault)
            verdict, ours = judge.judge(data), errors_of(data)
            counts[fault.kind, "loads" if verdict.ok else "refused"] += 1
            if verdict.ok == (not ours):
                continue
            outcome = "missed" if not verdict.ok else "false"
            if verdict.ok and not runner.judge(data).ok:
                counts["", "aborts"] += 1
            else:
                found.append(Disagreement(f"{name}: {fault.what}", verdict.message, ours))
            counts[fault.kind, outcome] += 1
    return counts, found


def render(share: float) -> str:
    """Run everything and tell of it."""
    with Judge() as judge, Judge(runs=True) as runner:
        first = [one for name in LOADERS for one in check_architecture(name, judge)]
        models = converted_models()
        tiny = [(name, largest(name)) for name in LOADERS]
        counts, second = judge_faults(models + tiny, share, judge, runner)
    head = {"version": version("xllamacpp"), "share": share, "all": len(LOADERS)}
    text = _HEAD.format(checked=len(LOADERS), disagreements=len(first), **head)
    names = sorted(LOADERS)
    for at in range(0, len(names), _PER_ROW):
        text += ", ".join(f"`{name}`" for name in names[at : at + _PER_ROW]) + ",\n"
    text = text.rstrip(",\n") + ".\n" + _FAULTS.format(converted=len(models), share=share)
    for kind in sorted({kind for kind, _ in counts if kind}):
        text += _row(kind, kind, counts)
    text += _row("all", "", counts) + _ABORTS.format(aborts=counts["", "aborts"])
    shown = "".join(f"- {one.what}: {one.llama or ', '.join(one.ours)}\n" for one in first + second)
    return text + ("\n## Disagreements\n\n" + shown if shown else "")


def _row(shown: str, kind: str, counts: Counter[tuple[str, str]]) -> str:
    def number(outcome: str) -> int:
        return sum(n for (one, what), n in counts.items() if what == outcome and kind in ("", one))

    refused, missed = number("refused"), number("missed")
    part = f"{missed} ({100 * missed / max(refused, 1):.2f} %)"
    return f"| {shown} | {refused} | {part} | {number('loads')} | {number('false')} |\n"


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--share", type=float, default=0.1, help="of the single-fault copies")
    DOCUMENT.write_text(render(parser.parse_args().share), encoding="utf-8", newline="\n")

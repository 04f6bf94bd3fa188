"""Converting the byte order: against cp, and against gguf-py's script on a type it knows."""

from __future__ import annotations

import shutil
from functools import partial
from typing import TYPE_CHECKING

from bench.contestants import ours, process, program, to_new_file
from bench.measure import Sample, in_turns, warm
from bench.models import gemma3, q8_0_model
from bench.report import SCRATCH, Section
from bench.tables import comparison

if TYPE_CHECKING:
    from pathlib import Path

OURS = "gguf-construct convert"


def run(*, quick: bool = False) -> Section:
    """Measure on the real model, which gguf-py refuses (Q5_0), and on a Q8_0 model of 32 MB."""
    section = Section(
        "convert",
        "Convert to big-endian",
        "gguf-py's script swaps in place and knows 9 tensor types; it refuses gemma3 (Q5_0).",
    )
    SCRATCH.mkdir(parents=True, exist_ok=True)
    rounds = 2 if quick else 5
    model = gemma3()
    if model is not None:
        _against_cp(section, model, rounds)
    _against_peer(section, q8_0_model(SCRATCH / "q8_0.gguf", 32 << 20), rounds)
    return section


def _against_cp(section: Section, model: Path, rounds: int) -> None:
    warm(model)
    big, copy = SCRATCH / "big.gguf", SCRATCH / "copy.gguf"
    contestants = {
        OURS: to_new_file(big, *ours("convert", model, "--endian", "big", "-o", big)),
        "cp": to_new_file(copy, "cp", model, copy),
    }
    results = in_turns(contestants, rounds)
    for output in (big, copy):
        output.unlink(missing_ok=True)
    table, chart = comparison("To big-endian (gemma3, 253 MB)", results, OURS)
    section.tables.append(table)
    section.charts.append(chart)
    ratio = results[OURS].seconds / results["cp"].seconds
    section.promise("conversion: at most 2.5 times cp", ratio, 2.5, at_least=False)
    memory = results[OURS].peak_nbytes / 1e6
    section.promise("conversion: under 200 MB of memory", memory, 200, at_least=False)


def _against_peer(section: Section, model: Path, rounds: int) -> None:
    warm(model)
    big, victim = SCRATCH / "big.gguf", SCRATCH / "victim.gguf"
    mine = to_new_file(big, *ours("convert", model, "--endian", "big", "-o", big))
    results = in_turns({OURS: mine}, rounds)
    peer = partial(_in_place, model, victim)
    results |= in_turns({"gguf-convert-endian, in place": peer}, 1, warm_up=0)
    for output in (big, victim, model):
        output.unlink(missing_ok=True)
    table, chart = comparison("To big-endian (Q8_0, 32 MB)", results, OURS)
    section.tables.append(table)
    section.charts.append(chart)


def _in_place(model: Path, victim: Path) -> Sample:
    """gguf-py's script on a copy, because it has no other output; the copy is not timed.

    The script wants its question answered.
    """
    shutil.copyfile(model, victim)
    answering = 'echo YES | "$0" "$1" big'
    return process("sh", "-c", answering, program("gguf-convert-endian"), victim)()

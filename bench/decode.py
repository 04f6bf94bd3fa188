"""Dequantization: every type against gguf.quants, in one process, on the same random blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.dequantize import Job, best_seconds, peer_job, random_blocks
from bench.report import Chart, Section, Table

if TYPE_CHECKING:
    from gguf_construct._generated.types import BlockLayout

COMMON = ("Q8_0", "Q4_0", "Q4_K", "Q5_K", "Q6_K")


def run(*, quick: bool = False) -> Section:
    """Best of several runs for each type that gguf.quants knows too."""
    import numpy as np

    from gguf_construct._generated.types import BLOCKS

    section = Section(
        "decode",
        "Dequantization",
        "Millions of elements a second, single-threaded, random blocks; gguf-py is gguf.quants.",
    )
    table = Table("By type", ["type", "gguf-construct", "from big-endian", "gguf-py", "ratio"])
    ratios: dict[str, float] = {}
    num_elements = (2 if quick else 8) << 20
    with np.errstate(all="ignore"):
        for layout in BLOCKS.values():
            if layout.num_elements > 1 or layout.name in ("F16", "BF16"):
                ratio = _measure(table, layout, num_elements, 3 if quick else 5)
                if ratio is not None:
                    ratios[layout.name] = ratio
    section.tables.append(table)
    section.charts.append(Chart("Dequantization, gguf-py = 1", "times as fast", ratios, 1.0))
    worst = min(ratios.values())
    section.promise("every type: at least as fast as gguf-py", worst, 1, at_least=True)
    common = min(ratios[name] for name in COMMON)
    section.promise(f"{', '.join(COMMON)}: at least twice as fast", common, 2, at_least=True)
    return section


def _measure(table: Table, layout: BlockLayout, num_elements: int, repeat: int) -> float | None:
    """Add the row of one type; how many times faster than gguf-py, or None where it cannot."""
    from gguf_construct.quants import dequantize

    rows = random_blocks(layout, num_elements, seed=int(layout.type))
    jobs: list[Job] = [
        lambda: dequantize(rows, layout.type),
        lambda: dequantize(rows, layout.type, byte_order="big"),
    ]
    peer = peer_job(layout, rows)
    if peer is not None:
        jobs.append(peer)
    times = best_seconds(jobs, repeat)
    speeds = [f"{num_elements / seconds / 1e6:.0f}" for seconds in times]
    if peer is None:
        table.rows.append([layout.name, *speeds, "", ""])
        return None
    ratio = times[2] / times[0]
    table.rows.append([layout.name, *speeds, f"{ratio:.2f}"])
    return ratio

"""Turns measured summaries into rows and charts, the same way in every suite."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.report import Chart, Table, nbytes, seconds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from bench.measure import Summary


def comparison(
    title: str, results: Mapping[str, Summary], first: str, memory: str = "memory"
) -> tuple[Table, Chart]:
    """Time and memory of each contestant, with its time as a multiple of the one named `first`."""
    table = Table(title, ["contestant", "time", memory, "times ours"])
    base = results[first].seconds
    for name, result in results.items():
        times = f"{result.seconds / base:.3g}"
        table.rows.append([name, seconds(result.seconds), nbytes(result.peak_nbytes), times])
    chart = Chart(title, "seconds (log)", {n: result.seconds for n, result in results.items()})
    return table, chart

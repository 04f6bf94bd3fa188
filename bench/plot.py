"""python -m bench.plot: draw the kept charts as SVG files under docs/.

A process of its own, because matplotlib is large and a measuring process has to stay small. The
files are the same for the same numbers: no date, fixed ids.
"""

from __future__ import annotations

import json
from typing import Any

from bench.report import RESULTS, chart_path


def draw_all() -> None:
    """One SVG for each chart of each kept section."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "gguf-construct", "svg.fonttype": "none"})
    for path in sorted(RESULTS.glob("*.json")):
        section = json.loads(path.read_text(encoding="utf-8"))
        for number, chart in enumerate(section["charts"]):
            _draw(section["name"], number, chart)


OURS, OTHERS = "#2a6f97", "#b0b7bf"


def _draw(name: str, number: int, chart: dict[str, Any]) -> None:
    from matplotlib import pyplot

    bars: dict[str, float] = chart["bars"]
    reference: float | None = chart["reference"]
    figure, axes = pyplot.subplots(figsize=(8, 0.9 + 0.35 * len(bars)), layout="constrained")
    ours = [reference is not None or label.startswith("gguf-construct") for label in bars]
    colours = [OURS if is_ours else OTHERS for is_ours in ours]
    drawn = axes.barh(list(bars), list(bars.values()), color=colours)
    axes.bar_label(drawn, fmt="%.3g", padding=3)
    axes.margins(x=0.12, y=0.02)
    if reference is None:
        axes.set_xscale("log")
    else:
        axes.axvline(reference, color="black", linewidth=1)
    axes.invert_yaxis()
    axes.set_xlabel(chart["unit"])
    axes.set_title(chart["title"], loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(chart_path(name, number), metadata={"Date": None})
    pyplot.close(figure)


if __name__ == "__main__":
    draw_all()

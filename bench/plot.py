"""python -m bench.plot: draw the kept charts as SVG files under docs/.

A process of its own, because matplotlib is large and a measuring process has to stay small. The
files are the same for the same numbers: no date, fixed ids.
"""

from __future__ import annotations

import json

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


def _draw(name: str, number: int, chart: dict[str, object]) -> None:
    from matplotlib import pyplot

    bars = chart["bars"]
    assert isinstance(bars, dict)
    labels = list(bars)
    figure, axes = pyplot.subplots(figsize=(8, 0.8 + 0.45 * len(labels)), layout="constrained")
    colours = ["#2a6f97" if label.startswith("gguf-construct") else "#b0b7bf" for label in labels]
    drawn = axes.barh(labels, list(bars.values()), color=colours)
    axes.bar_label(drawn, fmt="%.3g", padding=3)
    axes.set_xscale("log")
    axes.margins(x=0.12)
    axes.invert_yaxis()
    axes.set_xlabel(str(chart["unit"]))
    axes.set_title(str(chart["title"]), loc="left")
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(chart_path(name, number), metadata={"Date": None})
    pyplot.close(figure)


if __name__ == "__main__":
    draw_all()

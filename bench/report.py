"""What a measurement says: tables, promises kept or not, bars; kept as data, written as Markdown.

Each suite keeps its section in build/bench, so that running one suite again renews only its own
part of docs/benchmarks.md.
"""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass, field
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
RESULTS = REPOSITORY / "build" / "bench"
SCRATCH = RESULTS / "scratch"
DOCS = REPOSITORY / "docs"


@dataclass
class Table:
    """A title, a header row and rows of ready texts."""

    title: str
    columns: list[str]
    rows: list[list[str]] = field(default_factory=list)


@dataclass
class Promise:
    """One number that the project promises: what was measured, and whether it is good enough."""

    text: str
    measured: str
    kept: bool


@dataclass
class Chart:
    """Bars by name. Times are drawn on a log scale: contestants lie orders of magnitude apart.

    With a `reference`, the scale is linear and the bars are ours, against a line at that value.
    """

    title: str
    unit: str
    bars: dict[str, float] = field(default_factory=dict)
    reference: float | None = None


@dataclass
class Section:
    """Everything that one suite has to say."""

    name: str
    title: str
    introduction: str
    tables: list[Table] = field(default_factory=list)
    promises: list[Promise] = field(default_factory=list)
    charts: list[Chart] = field(default_factory=list)

    def promise(self, text: str, measured: float, limit: float, *, at_least: bool) -> None:
        """Record a promised ratio: at least or at most `limit`."""
        kept = measured >= limit if at_least else measured <= limit
        self.promises.append(
            Promise(text, f"{measured:.2f}" if limit < 10 else f"{measured:.0f}", kept)
        )


def seconds(value: float) -> str:
    """A time in the unit that fits."""
    if value < 1e-3:
        return f"{value * 1e6:.0f} µs"
    return f"{value * 1e3:.1f} ms" if value < 1 else f"{value:.2f} s"


def nbytes(value: float) -> str:
    """A size in the unit that fits."""
    if value >= 1e9:
        return f"{value / 1e9:.0f} GB"
    return f"{value / 1e6:.1f} MB" if value >= 1e6 else f"{value / 1e3:.1f} kB"


def save(section: Section) -> None:
    """Keep a suite's section for the document."""
    RESULTS.mkdir(parents=True, exist_ok=True)
    text = json.dumps({**asdict(section), "machine": machine()}, indent=1, ensure_ascii=False)
    (RESULTS / f"{section.name}.json").write_text(text + "\n", encoding="utf-8")


def machine() -> str:
    """What it was measured on, without naming the machine."""
    return (
        f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, "
        f"Python {platform.python_version()}"
    )


def as_text(section: Section) -> str:
    """A section for the terminal."""
    return "\n".join(_body(asdict(section)))


def write_document(order: list[str]) -> Path:
    """docs/benchmarks.md from the kept sections, in this order."""
    lines = [
        "# Benchmarks",
        "",
        "Written by `make bench`. Contestants run in turns on the same machine, with the files in",
        "the page cache; times are medians of whole processes unless said otherwise. Compare the",
        "ratios: absolute times drift.",
    ]
    for name in order:
        path = RESULTS / f"{name}.json"
        if path.is_file():
            section = json.loads(path.read_text(encoding="utf-8"))
            lines += ["", f"## {section['title']}", "", section["introduction"], ""]
            lines += [f"Measured on {section['machine']}.", "", *_body(section)]
            lines += _images(section)
    DOCS.mkdir(exist_ok=True)
    target = DOCS / "benchmarks.md"
    target.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")
    return target


def chart_path(section_name: str, number: int) -> Path:
    """Where the plot of a section's chart lies."""
    return DOCS / f"bench-{section_name}-{number}.svg"


def _images(section: dict[str, object]) -> list[str]:
    charts = section["charts"]
    assert isinstance(charts, list)
    name = str(section["name"])
    paths = [chart_path(name, number) for number in range(len(charts))]
    return [
        f"![{chart['title']}]({path.name})"
        for chart, path in zip(charts, paths, strict=True)
        if path.is_file()
    ]


def _body(section: dict[str, object]) -> list[str]:
    """Tables and promises as Markdown lines."""
    lines: list[str] = []
    tables, promises = section["tables"], section["promises"]
    assert isinstance(tables, list)
    assert isinstance(promises, list)
    for table in tables:
        lines += [f"**{table['title']}**", ""]
        lines += _markdown_table(table["columns"], table["rows"])
    if promises:
        rows = [[p["text"], p["measured"], "yes" if p["kept"] else "**no**"] for p in promises]
        lines += _markdown_table(["promise", "measured", "kept"], rows)
    return lines


def _markdown_table(columns: list[str], rows: list[list[str]]) -> list[str]:
    head = [f"| {' | '.join(columns)} |", f"|{'---|' * len(columns)}"]
    return [*head, *(f"| {' | '.join(row)} |" for row in rows), ""]

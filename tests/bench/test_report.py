"""Tables, promises and the document made of the kept sections."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from bench import report
from bench.report import Chart, Section, Table

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(report, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(report, "DOCS", tmp_path / "docs")
    return tmp_path


def section(name: str = "one") -> Section:
    made = Section(name, f"Title of {name}", "Words.")
    made.tables.append(Table("A table", ["a", "b"], [["1", "2"]]))
    made.charts.append(Chart("A chart", "s", {"x": 1.0}))
    made.promise("fast enough", 3.0, 2, at_least=True)
    made.promise("small enough", 3.0, 2, at_least=False)
    return made


def test_a_promise_is_kept_or_not() -> None:
    assert [promise.kept for promise in section().promises] == [True, False]


def test_the_text_shows_tables_and_broken_promises() -> None:
    text = report.as_text(section())
    assert "| 1 | 2 |" in text
    assert "| fast enough | 3.00 | yes |" in text
    assert "| small enough | 3.00 | **no** |" in text


def test_the_document_keeps_the_sections_in_order(folders: Path) -> None:
    report.save(section("two"))
    report.save(section("one"))
    text = report.write_document(["one", "two", "never-run"]).read_text(encoding="utf-8")
    assert text.index("Title of one") < text.index("Title of two")
    assert "never-run" not in text


def test_a_plot_is_shown_once_it_is_drawn(folders: Path) -> None:
    report.save(section())
    assert ".svg" not in report.write_document(["one"]).read_text(encoding="utf-8")
    report.chart_path("one", 0).write_text("<svg/>", encoding="utf-8")
    assert "bench-one-0.svg" in report.write_document(["one"]).read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("value", "text"), [(2e-6, "2 µs"), (0.0123, "12.3 ms"), (1.5, "1.50 s"), (120.0, "120.00 s")]
)
def test_times_have_a_fitting_unit(value: float, text: str) -> None:
    assert report.seconds(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(512, "0.5 kB"), (1_500_000, "1.5 MB"), (40e9, "40 GB")]
)
def test_sizes_have_a_fitting_unit(value: float, text: str) -> None:
    assert report.nbytes(value) == text

"""What an edit of the metadata costs, from 100 MB to 40 GB: with reserve, by insertion, by copy.

The models are sparse files with the same header, so only what a strategy writes takes time. cp and
the new-file strategy keep holes: they are measured on files that are filled, up to 1 GB.
"""

from __future__ import annotations

import json
import shutil
from itertools import cycle
from typing import TYPE_CHECKING

from bench.contestants import ours, process, to_new_file
from bench.measure import MIB, Sample, Summary, in_turns, warm
from bench.models import sparse_model
from bench.report import RESULTS, SCRATCH, Section, Table, nbytes, seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

SIZES = (100 * 10**6, 10**9, 10 * 10**9, 40 * 10**9)
FILLED_SIZES = (100 * 10**6, 10**9)
FOLDER = SCRATCH / "edit_cost"
KEY = "tokenizer.chat_template"


def run(*, quick: bool = False) -> Section:
    """Measure each strategy over its sizes, in turns."""
    section = Section(
        "edit_cost",
        "The cost of an edit",
        "A chat template is replaced by another one, larger and smaller in turns. Sparse models "
        "with one and the same header of 32,000 tokens, except for the copies.",
    )
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    rounds = 3 if quick else 9
    try:
        _with_reserve(section, rounds)
        _without_reserve(section, rounds)
        _copies(section, rounds if quick else 3)
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
    return section


def _templates() -> Iterator[Path]:
    """Two templates in turns, so that every edit is one."""
    paths = []
    for name, repeat in (("long", 60), ("short", 40)):
        path = FOLDER / f"{name}.jinja"
        path.write_text("{% for m in messages %}{{ m['content'] }}{% endfor %}\n" * repeat)
        paths.append(path)
    return cycle(paths)


def _edit_in_place(path: Path, written: list[int]) -> Callable[[], Sample]:
    """A contestant that edits `path` itself, and notes how many bytes it says it wrote."""
    templates = _templates()
    log = RESULTS / "last-output.log"

    def edit() -> Sample:
        change = f"{KEY}=@{next(templates)}"
        run = process(*ours("set", path, change, "-i", "--json", "--quiet"))
        sample = run()
        written.append(json.loads(log.read_text(encoding="utf-8"))["bytes_written"])
        return sample

    return edit


def _in_place(paths: dict[int, Path], rounds: int) -> tuple[dict[int, Summary], dict[int, int]]:
    """Medians and the most bytes written, by size."""
    written: dict[int, list[int]] = {size: [] for size in paths}
    contestants = {str(size): _edit_in_place(path, written[size]) for size, path in paths.items()}
    results = in_turns(contestants, rounds)
    return (
        {size: results[str(size)] for size in paths},
        {size: max(counts) for size, counts in written.items()},
    )


def _table(title: str, results: dict[int, Summary], written: dict[int, int]) -> Table:
    table = Table(title, ["model", "time", "memory", "bytes written"])
    for size, result in results.items():
        row = [seconds(result.seconds), nbytes(result.peak_nbytes), nbytes(written[size])]
        table.rows.append([nbytes(size), *row])
    return table


def _with_reserve(section: Section, rounds: int) -> None:
    paths = {size: FOLDER / f"reserve-{size}.gguf" for size in SIZES}
    for size, path in paths.items():
        plain = sparse_model(FOLDER / "plain.gguf", size)
        command = ours("repack", plain, "--reserve", "1MiB", "-o", path)
        process(*command)()
        plain.unlink()
    results, written = _in_place(paths, rounds)
    section.tables.append(_table("In place, space reserved", results, written))
    ratio = results[SIZES[-1]].seconds / results[SIZES[0]].seconds
    text = "40 GB with reserve: at most 1.5 times the time at 100 MB"
    section.promise(text, ratio, 1.5, at_least=False)
    header = sparse_model(FOLDER / "plain.gguf", MIB).stat().st_size - MIB
    share = written[SIZES[-1]] / header
    section.promise("bytes written: under 3 times the header", share, 3, at_least=False)


def _without_reserve(section: Section, rounds: int) -> None:
    paths = {size: sparse_model(FOLDER / f"insert-{size}.gguf", size) for size in SIZES}
    results, written = _in_place(paths, rounds)
    section.tables.append(_table("In place, nothing reserved", results, written))


def _copies(section: Section, rounds: int) -> None:
    table = Table("Copies (filled files)", ["model", "contestant", "time", "memory"])
    for size in FILLED_SIZES:
        source = FOLDER / "filled.gguf"
        _fill(sparse_model(source, size))
        warm(source)
        new, copy = FOLDER / "new.gguf", FOLDER / "copy.gguf"
        change = f"{KEY}=@{next(_templates())}"
        contestants = {
            "gguf-construct set -o": to_new_file(new, *ours("set", source, change, "-o", new)),
            "cp": to_new_file(copy, "cp", source, copy),
        }
        for name, result in in_turns(contestants, rounds).items():
            row = [nbytes(size), name, seconds(result.seconds), nbytes(result.peak_nbytes)]
            table.rows.append(row)
        for path in (source, new, copy):
            path.unlink(missing_ok=True)
    section.tables.append(table)


def _fill(path: Path) -> None:
    """Write the data section of a sparse model, so that no hole speeds a copy up."""
    block = bytes(range(256)) * 4096
    size = path.stat().st_size
    with path.open("r+b") as file:
        file.seek(4 * MIB)
        while file.tell() < size:
            file.write(block[: size - file.tell()])

"""What an edit of the metadata costs, from 100 MB to 40 GB: with reserve, by insertion, by copy.

The models are sparse files with the same header, so only what a strategy writes takes time. cp and
the new-file strategy keep holes: they are measured on files that are filled, up to 1 GB.
"""

from __future__ import annotations

import json
import shutil
from itertools import count, cycle
from typing import TYPE_CHECKING

from bench.contestants import ours, process, to_new_file
from bench.measure import MIB, Sample, Summary, in_turns, warm
from bench.models import gemma3, sparse_model
from bench.report import RESULTS, SCRATCH, Chart, Section, Table, nbytes, seconds
from bench.tables import comparison

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path
    from typing import TypeAlias

    _Templates: TypeAlias = Callable[[], Iterator[Path]]
    _Costs: TypeAlias = tuple[dict[int, Summary], dict[int, int]]

SIZES = (100 * 10**6, 10**9, 10 * 10**9, 40 * 10**9)
FILLED_SIZES = (100 * 10**6, 10**9)
FOLDER = SCRATCH / "edit_cost"
KEY = "tokenizer.chat_template"


def run(*, quick: bool = False) -> Section:
    """Measure each strategy over its sizes, in turns."""
    section = Section(
        "edit_cost",
        "The cost of an edit",
        "A chat template is replaced by another one. With space reserved, larger and smaller ones "
        "take turns; where room is inserted, each is larger than the one before. Sparse models "
        "with one and the same header of 32,000 tokens, except for the copies.",
    )
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    section.charts.append(Chart("Replace a chat template", "seconds (log)"))
    rounds = 3 if quick else 9
    try:
        _with_reserve(section, rounds)
        _without_reserve(section, rounds)
        _copies(section, rounds if quick else 3)
        _real_model(section, rounds)
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)
    return section


def _template(repeat: int) -> Path:
    path = FOLDER / f"{repeat}.jinja"
    path.write_text("{% for m in messages %}{{ m['content'] }}{% endfor %}\n" * repeat)
    return path


def _alternating() -> Iterator[Path]:
    """Two templates in turns, so that every edit is one; the room they need is the same."""
    return cycle([_template(60), _template(40)])


def _growing() -> Iterator[Path]:
    """Templates that grow by more than a block of the file system, so that room must be made."""
    return (_template(repeat) for repeat in count(40, 160))


def _edit_in_place(
    path: Path, templates: Iterator[Path], written: list[int]
) -> Callable[[], Sample]:
    """A contestant that edits `path` itself, and notes how many bytes it says it wrote."""
    log = RESULTS / "last-output.log"

    def edit() -> Sample:
        change = f"{KEY}=@{next(templates)}"
        run = process(*ours("set", path, change, "-i", "--reserve", "1", "--json", "--quiet"))
        sample = run()
        written.append(json.loads(log.read_text(encoding="utf-8"))["bytes_written"])
        return sample

    return edit


def _in_place(paths: dict[int, Path], templates: _Templates, rounds: int) -> _Costs:
    """Medians and the most bytes written, by size."""
    written: dict[int, list[int]] = {size: [] for size in paths}
    contestants = {
        str(size): _edit_in_place(path, templates(), written[size]) for size, path in paths.items()
    }
    results = in_turns(contestants, rounds)
    return (
        {size: results[str(size)] for size in paths},
        {size: max(counts) for size, counts in written.items()},
    )


def _add_in_place(
    section: Section, title: str, paths: dict[int, Path], templates: _Templates, rounds: int
) -> _Costs:
    """Measure one way of editing in place over all sizes; a table and bars of it."""
    results, written = _in_place(paths, templates, rounds)
    table = Table(f"In place, {title}", ["model", "time", "memory", "bytes written"])
    for size, result in results.items():
        row = [seconds(result.seconds), nbytes(result.peak_nbytes), nbytes(written[size])]
        table.rows.append([nbytes(size), *row])
        label = f"gguf-construct set -i, {title}: {nbytes(size)}"
        section.charts[0].bars[label] = result.seconds
    section.tables.append(table)
    return results, written


def _with_reserve(section: Section, rounds: int) -> None:
    paths = {size: FOLDER / f"reserve-{size}.gguf" for size in SIZES}
    for size, path in paths.items():
        plain = sparse_model(FOLDER / "plain.gguf", size)
        command = ours("repack", plain, "--reserve", "1MiB", "-o", path)
        process(*command)()
        plain.unlink()
    results, written = _add_in_place(section, "space reserved", paths, _alternating, rounds)
    _promise(section, "space reserved", results, written)


def _promise(
    section: Section, title: str, results: dict[int, Summary], written: dict[int, int]
) -> None:
    """40 GB cost what 100 MB cost, and little is written."""
    ratio = results[SIZES[-1]].seconds / results[SIZES[0]].seconds
    text = f"{title}: 40 GB at most 1.5 times the time at 100 MB"
    section.promise(text, ratio, 1.5, at_least=False)
    header = sparse_model(FOLDER / "plain.gguf", MIB).stat().st_size - MIB
    share = written[SIZES[-1]] / header
    section.promise(f"{title}: under 3 times the header written", share, 3, at_least=False)


def _without_reserve(section: Section, rounds: int) -> None:
    paths = {size: sparse_model(FOLDER / f"insert-{size}.gguf", size) for size in SIZES}
    results, written = _add_in_place(section, "room inserted", paths, _growing, rounds)
    _promise(section, "room inserted", results, written)


def _copies(section: Section, rounds: int) -> None:
    table = Table("Copies (filled files)", ["model", "contestant", "time", "memory"])
    for size in FILLED_SIZES:
        source = FOLDER / "filled.gguf"
        _fill(sparse_model(source, size))
        warm(source)
        for name, result in _copy(source, rounds).items():
            row = [nbytes(size), name, seconds(result.seconds), nbytes(result.peak_nbytes)]
            table.rows.append(row)
            section.charts[0].bars[f"{name}: {nbytes(size)}"] = result.seconds
        source.unlink()
    section.tables.append(table)


def _copy(source: Path, rounds: int) -> dict[str, Summary]:
    """A new file with another template, by us, by gguf-py's script (once: it is slow), and cp."""
    template = _template(60)
    new, copy, peers = (FOLDER / f"{name}.gguf" for name in ("new", "copy", "peer"))
    command = ours("set", source, f"{KEY}=@{template}", "-o", new)
    contestants = {
        "gguf-construct set -o": to_new_file(new, *command),
        "cp": to_new_file(copy, "cp", source, copy),
    }
    results = in_turns(contestants, rounds)
    script = ("gguf-new-metadata", "--chat-template-file", str(template))
    peer = {"gguf-new-metadata": to_new_file(peers, *script, source, peers)}
    results |= in_turns(peer, 1, warm_up=0)
    for path in (new, copy, peers):
        path.unlink(missing_ok=True)
    return results


def _real_model(section: Section, rounds: int) -> None:
    """A new file of gemma3 with another template.

    cp leaves its copy in memory; we do not return before the new file is on the disk, so cp is
    measured with a sync as well.
    """
    model = gemma3()
    if model is None:
        return
    warm(model)
    template = _template(60)
    new, copy, synced = (FOLDER / f"{name}.gguf" for name in ("new", "copy", "synced"))
    edit, get, sync = "gguf-construct set -o", "gguf-construct get", "cp and sync"
    both = 'cp "$0" "$1" && sync "$1"'
    contestants = {
        edit: to_new_file(new, *ours("set", model, f"{KEY}=@{template}", "-o", new)),
        get: process(*ours("get", model, "general.name")),
        "cp": to_new_file(copy, "cp", model, copy),
        sync: to_new_file(synced, "sh", "-c", both, model, synced),
    }
    results = in_turns(contestants, rounds)
    table, _ = comparison("A new file of gemma3 (253 MB)", results, edit)
    section.tables.append(table)
    took = results[edit].seconds - results[get].seconds
    for name in ("cp", sync):
        text = f"gemma3, new file minus get: at most 1.2 times {name}"
        section.promise(text, took / results[name].seconds, 1.2, at_least=False)
    memory = results[edit].peak_nbytes / 1e6
    section.promise("gemma3, new file: at most 80 MB of memory", memory, 80, at_least=False)


def _fill(path: Path) -> None:
    """Write all of a sparse model, so that no hole speeds a copy up."""
    block = bytes(range(256)) * 4096
    size = path.stat().st_size
    with path.open("r+b") as file:
        start = file.read(4 * MIB)
        file.seek(0)
        file.write(start)
        while file.tell() < size:
            file.write(block[: size - file.tell()])

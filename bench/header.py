"""What concerns the header only: open a file, print one value, set a value in a new file."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from bench.contestants import ours, process, python_nothing, to_new_file
from bench.measure import Summary, in_turns, run_python, warm
from bench.models import gemma3, vocabulary
from bench.report import RESULTS, Chart, Section, Table, nbytes, seconds

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bench.measure import Sample

KEY = "tokenizer.ggml.eos_token_id"
TEMPLATE = "{% for m in messages %}{{ m['role'] }}: {{ m['content'] }}\n{% endfor %}"

OUR_OPEN = ("import gguf_construct", "document = gguf_construct.open({path!r})")
KAITAI_OPEN = (
    "from gguf_construct.core.kaitai_reader import load_kaitai; Gguf = load_kaitai().Gguf",
    "document = Gguf.from_file({path!r})",
)
PEER_OPEN = ("from gguf import GGUFReader", "document = GGUFReader({path!r})")


def run(*, quick: bool = False) -> Section:
    """Measure on the real model, where it can be had, and on a vocabulary file."""
    section = Section(
        "header",
        "Header: open, get, set",
        "`gguf-py` is the gguf package: its GGUFReader and its scripts.",
    )
    model, words = gemma3(), vocabulary()
    rounds = 3 if quick else 9
    for label, path in (("vocabulary file", words), ("gemma3, 253 MB", model)):
        if path is not None:
            warm(path)
            _measure_open(section, label, path, rounds)
    if model is not None:
        least = _measure_get(section, model, rounds)
        _measure_set(section, model, least, rounds)
    return section


def _opening(pair: tuple[str, str], path: Path) -> Callable[[], Sample]:
    setup, work = pair
    return partial(run_python, setup, work.format(path=str(path)))


def _peer_rounds(path: Path) -> int:
    """The peers need many seconds for a large file: their ratios are far from any limit."""
    return 1 if path.stat().st_size > 100e6 else 3


def _measure_open(section: Section, label: str, path: Path, rounds: int) -> None:
    results = in_turns({"gguf-construct": _opening(OUR_OPEN, path)}, rounds)
    peers = {
        "gguf-py GGUFReader": _opening(PEER_OPEN, path),
        "Kaitai's Python reader, same schema": _opening(KAITAI_OPEN, path),
    }
    results |= in_turns(peers, _peer_rounds(path), warm_up=0)
    first = results["gguf-construct"]
    table = Table(
        f"Open ({label}): in a fresh process, after the imports",
        ["contestant", "time", "added memory", "times ours"],
    )
    for name, result in results.items():
        table.rows.append(_row(name, result, first))
    section.tables.append(table)
    section.charts.append(_chart(f"Open ({label})", results))
    if path.stat().st_size > 100e6:
        peer = results["gguf-py GGUFReader"]
        ratio = peer.seconds / first.seconds
        section.promise("open: at least 200 times as fast as GGUFReader", ratio, 200, at_least=True)
        share = first.peak_nbytes / peer.peak_nbytes
        section.promise("open: at most 0.1 of its added memory", share, 0.1, at_least=False)


def _measure_get(section: Section, model: Path, rounds: int) -> Summary:
    """The median of our `get`, which is also what `set` has to pay before it writes."""
    results = in_turns(
        {
            "gguf-construct get": process(*ours("get", model, KEY)),
            "python -c pass": python_nothing(),
        },
        rounds,
    )
    peer = {"gguf-dump --no-tensors": process("gguf-dump", "--no-tensors", model)}
    results |= in_turns(peer, 1, warm_up=0)
    first = results["gguf-construct get"]
    title = "Print one value (gemma3, 253 MB)"
    table = Table(title, ["contestant", "time", "memory", "times ours"])
    table.rows = [_row(name, result, first) for name, result in results.items()]
    section.tables.append(table)
    section.charts.append(_chart(title, results))
    slow = results["gguf-dump --no-tensors"].seconds / first.seconds
    section.promise("get: at least 60 times as fast as gguf-dump", slow, 60, at_least=True)
    floor = first.seconds / results["python -c pass"].seconds
    section.promise("get: at most 8 times python -c pass", floor, 8, at_least=False)
    return first


def _measure_set(section: Section, model: Path, least: Summary, rounds: int) -> None:
    scratch = RESULTS / "scratch"
    scratch.mkdir(parents=True, exist_ok=True)
    template = scratch / "template.jinja"
    template.write_text(TEMPLATE, encoding="utf-8")
    change = f"tokenizer.chat_template=@{template}"
    outputs = {name: scratch / f"{name}.gguf" for name in ("ours", "cp", "peer")}
    results = in_turns(
        {
            "gguf-construct set": to_new_file(
                outputs["ours"], *ours("set", model, change, "-o", outputs["ours"])
            ),
            "cp": to_new_file(outputs["cp"], "cp", model, outputs["cp"]),
        },
        rounds,
    )
    new_metadata = ("gguf-new-metadata", "--chat-template-file", str(template))
    peer = to_new_file(outputs["peer"], *new_metadata, model, outputs["peer"])
    results |= in_turns({"gguf-new-metadata": peer}, 1, warm_up=0)
    for output in outputs.values():
        output.unlink(missing_ok=True)
    first = results["gguf-construct set"]
    title = "Set a chat template in a new file (gemma3, 253 MB)"
    table = Table(title, ["contestant", "time", "memory", "times ours"])
    table.rows = [_row(name, result, first) for name, result in results.items()]
    section.tables.append(table)
    section.charts.append(_chart(title, results))
    ratio = (first.seconds - least.seconds) / results["cp"].seconds
    section.promise("set minus get: at most 1.2 times cp", ratio, 1.2, at_least=False)
    section.promise("set: at most 80 MB of memory", first.peak_nbytes / 1e6, 80, at_least=False)


def _row(name: str, result: Summary, first: Summary) -> list[str]:
    ratio = result.seconds / first.seconds
    return [name, seconds(result.seconds), nbytes(result.peak_nbytes), f"{ratio:.3g}"]


def _chart(title: str, results: dict[str, Summary]) -> Chart:
    return Chart(title, "seconds (log)", {name: r.seconds for name, r in results.items()})

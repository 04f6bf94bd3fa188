"""What concerns the header only: open a file, print one value, set a value in a new file."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from bench.contestants import ours, process, python_nothing, to_new_file
from bench.measure import Summary, in_turns, run_python, warm
from bench.models import gemma3, vocabulary
from bench.report import SCRATCH, Section
from bench.tables import comparison

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from bench.measure import Sample

LARGE = 100e6
KEY = "tokenizer.ggml.eos_token_id"
EOS = "tokenizer.ggml.eos_token_id=106"
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
    return 1 if path.stat().st_size > LARGE else 3


def _add(
    section: Section, title: str, results: dict[str, Summary], first: str, memory: str = "memory"
) -> Summary:
    table, chart = comparison(title, results, first, memory)
    section.tables.append(table)
    section.charts.append(chart)
    return results[first]


def _measure_open(section: Section, label: str, path: Path, rounds: int) -> None:
    results = in_turns({"gguf-construct": _opening(OUR_OPEN, path)}, rounds)
    peers = {
        "gguf-py GGUFReader": _opening(PEER_OPEN, path),
        "Kaitai's Python reader, same schema": _opening(KAITAI_OPEN, path),
    }
    results |= in_turns(peers, _peer_rounds(path), warm_up=0)
    title = f"Open ({label}): in a fresh process, after the imports"
    first = _add(section, title, results, "gguf-construct", "added memory")
    if path.stat().st_size > LARGE:
        peer = results["gguf-py GGUFReader"]
        ratio = peer.seconds / first.seconds
        section.promise("open: at least 200 times as fast as GGUFReader", ratio, 200, at_least=True)
        share = first.peak_nbytes / peer.peak_nbytes
        section.promise("open: at most 0.1 of its added memory", share, 0.1, at_least=False)


def _measure_get(section: Section, model: Path, rounds: int) -> Summary:
    """The median of our `get`, which is also what `set` has to pay before it writes."""
    name = "gguf-construct get"
    least = python_nothing()
    results = in_turns({name: process(*ours("get", model, KEY)), "python -c pass": least}, rounds)
    peer = {"gguf-dump --no-tensors": process("gguf-dump", "--no-tensors", model)}
    results |= in_turns(peer, 1, warm_up=0)
    first = _add(section, "Print one value (gemma3, 253 MB)", results, name)
    slow = results["gguf-dump --no-tensors"].seconds / first.seconds
    section.promise("get: at least 60 times as fast as gguf-dump", slow, 60, at_least=True)
    floor = first.seconds / results["python -c pass"].seconds
    section.promise("get: at most 8 times python -c pass", floor, 8, at_least=False)
    return first


def _measure_set(section: Section, model: Path, least: Summary, rounds: int) -> None:
    SCRATCH.mkdir(parents=True, exist_ok=True)
    template = SCRATCH / "template.jinja"
    template.write_text(TEMPLATE, encoding="utf-8")
    change = f"tokenizer.chat_template=@{template}"
    new, copy, peers = (SCRATCH / f"{name}.gguf" for name in ("ours", "cp", "peer"))
    name, number = "gguf-construct set, a chat template", "gguf-construct set, the EOS id"
    contestants = {
        name: to_new_file(new, *ours("set", model, change, "-o", new)),
        number: to_new_file(new, *ours("set", model, EOS, "-o", new)),
        "cp": to_new_file(copy, "cp", model, copy),
    }
    results = in_turns(contestants, rounds)
    script = ("gguf-new-metadata", "--chat-template-file", str(template))
    peer = {"gguf-new-metadata": to_new_file(peers, *script, model, peers)}
    results |= in_turns(peer, 1, warm_up=0)
    for output in (new, copy, peers):
        output.unlink(missing_ok=True)
    first = _add(section, "Set a key in a new file (gemma3, 253 MB)", results, name)
    # A template is parsed before it is written: importing the template engine takes some 30 ms.
    for what, limit in ((number, 1.2), (name, 1.2), (name, 1.5)):
        ratio = (results[what].seconds - least.seconds) / results["cp"].seconds
        words = what.partition(", ")[2]
        section.promise(
            f"set ({words}) minus get: at most {limit} times cp", ratio, limit, at_least=False
        )
    section.promise("set: at most 80 MB of memory", first.peak_nbytes / 1e6, 80, at_least=False)

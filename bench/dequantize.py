"""Dequantization speed per type, against gguf.quants in the same run.

    python -m bench.dequantize [--elements MILLIONS] [--repeat N] [TYPE...]

Random blocks; best of N; MB/s count the quantised bytes read.  gguf.quants knows no big-endian
data and not all types: those rows have no ratio.  Plain types cost nothing in either library (the
result is a view), so for them the time includes reading the result once.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from gguf_construct._generated.types import BLOCKS, BlockLayout
from gguf_construct.quants import dequantize

Job = Callable[[], Any]


def best_seconds(jobs: list[Job], repeat: int) -> list[float]:
    """The shortest of `repeat` runs of each job, in seconds.

    The jobs take turns, so that a busy moment of the machine hits all of them.
    """
    best = [float("inf")] * len(jobs)
    for _ in range(repeat):
        for i, job in enumerate(jobs):
            start = time.perf_counter()
            job()
            best[i] = min(best[i], time.perf_counter() - start)
    return best


def random_blocks(layout: BlockLayout, num_elements: int, seed: int) -> npt.NDArray[np.uint8]:
    """Rows of 4096 elements of random bytes, (rows, bytes per row)."""
    row_nbytes = 4096 // layout.num_elements * layout.nbytes
    rng = np.random.default_rng(seed)
    return rng.integers(0, 256, (num_elements // 4096, row_nbytes), dtype=np.uint8)


def peer_job(layout: BlockLayout, rows: npt.NDArray[np.uint8]) -> Job | None:
    """gguf.quants on the same rows, or None if it cannot decode the type."""
    try:
        from gguf import GGMLQuantizationType, quants

        type = GGMLQuantizationType(int(layout.type))
        quants.dequantize(rows[:1], type)
    except (ImportError, ValueError, NotImplementedError):
        return None
    return lambda: quants.dequantize(rows, type)


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, add_help=True)
    parser.add_argument("types", nargs="*", metavar="TYPE", help="default: all")
    parser.add_argument("--elements", type=float, default=16, help="millions of elements")
    parser.add_argument("--repeat", type=int, default=7)
    options = parser.parse_args()
    wanted = {name.upper() for name in options.types}
    num_elements = int(options.elements * 1e6) // 4096 * 4096
    print(f"{'type':8} {'MB/s':>8} {'M el/s':>8} {'big MB/s':>9} {'gguf MB/s':>10} {'ratio':>7}")
    with np.errstate(all="ignore"):
        for layout in BLOCKS.values():
            if not wanted or layout.name in wanted:
                print(measure(layout, num_elements, options.repeat), flush=True)


def measure(layout: BlockLayout, num_elements: int, repeat: int) -> str:
    """One line of the table."""
    rows = random_blocks(layout, num_elements, seed=int(layout.type))
    use = np.max if layout.num_elements == 1 and layout.name not in ("F16", "BF16") else np.shape
    jobs: list[Job] = [
        lambda: use(dequantize(rows, layout.type)),
        lambda: use(dequantize(rows, layout.type, byte_order="big")),
    ]
    peer = peer_job(layout, rows)
    if peer is not None:
        jobs.append(lambda: use(peer()))
    ours, big, *theirs = best_seconds(jobs, repeat)
    line = f"{layout.name:8} {rows.nbytes / ours / 1e6:8.0f} {num_elements / ours / 1e6:8.0f}"
    line += f" {rows.nbytes / big / 1e6:9.0f}"
    if not theirs:
        return f"{line} {'-':>10} {'-':>7}"
    return f"{line} {rows.nbytes / theirs[0] / 1e6:10.0f} {theirs[0] / ours:6.2f}x"


if __name__ == "__main__":
    main()

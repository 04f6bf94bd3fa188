"""Hash the canonical bytes of a document, several tensors at a time, in bounded memory.

Strategy: every worker has one buffer, reads a piece, swaps it where the file has the other byte
order, and hands it to the hasher; reading and hashing both run without the interpreter's lock.
"""

from __future__ import annotations

import os
import threading
from math import lcm
from typing import TYPE_CHECKING, Any

from ...comparison.hashes import ALGORITHMS, HashReport, combine, hash_rows
from ...core.chunks import Literal, Swap, Zeros
from ...errors import GGUFError
from ..source.origins import sources_of
from ..write import swapping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ...comparison.hashes import HashRow
    from ...core.chunks import Chunk
    from ...core.document import Document
    from ..source.source import Source

PIECE_NBYTES = 1 << 20
_PARALLEL_FROM = 8 << 20
_MAX_JOBS = 16
_TICK = 0.1  # seconds between two reports of progress


def hash_document(
    document: Document,
    source: Source,
    algorithm: str = "sha256",
    *,
    jobs: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> HashReport:
    """Hash every metadata pair and every tensor of a document, and its content as a whole.

    Args:
        document: edits that were not saved count.
        source: the file that it was read from.
        algorithm: ``sha256``, or ``xxh3`` (128 bits, not cryptographic; needs xxhash).
        jobs: threads; the default is one per processor.
        progress: called with (bytes done, bytes in all), in the calling thread.

    Raises:
        GGUFError: no such algorithm, or its package is missing.
        TruncatedError: the data of a tensor is not all there.
        SourceChangedError: the file changed meanwhile.
    """
    new = _hasher(algorithm)
    rows = hash_rows(document)
    work = _Work(rows, sources_of(source, document.tensors.origins), new, progress)
    digests = work.run(jobs or min(os.cpu_count() or 1, _MAX_JOBS))
    source.check_unchanged()
    return combine(rows, digests, algorithm, new)


def _hasher(algorithm: str) -> Callable[[], Any]:
    if algorithm == "sha256":
        from hashlib import sha256

        return sha256
    if algorithm == "xxh3":
        try:
            from xxhash import xxh3_128
        except ImportError as error:
            raise GGUFError(
                "xxh3 needs the package xxhash, which is not installed",
                hint="pip install 'gguf-construct[hash]', or use sha256",
            ) from error
        new: Callable[[], Any] = xxh3_128
        return new
    raise GGUFError(f"no such algorithm: {algorithm!r}", hint=f"there are {', '.join(ALGORITHMS)}")


class _Work:
    """Rows to hash, and how far it has come."""

    def __init__(
        self,
        rows: Sequence[HashRow],
        sources: Sequence[Source],
        new: Callable[[], Any],
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self.rows, self.sources, self.new = rows, sources, new
        self.total = sum(row.nbytes for row in rows)
        self.done = 0
        self.is_cancelled = False
        self._progress = progress
        self._lock = threading.Lock()
        self._buffers = threading.local()

    def run(self, jobs: int) -> list[bytes]:
        """The digest of each row, in order."""
        if jobs <= 1 or self.total < _PARALLEL_FROM:
            digests = []
            for row in self.rows:
                digests.append(self._digest(row))
                self._report()
            return digests
        return self._run_parallel(jobs)

    def _run_parallel(self, jobs: int) -> list[bytes]:
        from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait

        # The largest first: so that none of them is left alone at the end.
        order = sorted(range(len(self.rows)), key=lambda at: -self.rows[at].nbytes)
        with ThreadPoolExecutor(jobs) as pool:
            futures = {at: pool.submit(self._digest, self.rows[at]) for at in order}
            try:
                waiting = set(futures.values())
                while waiting:
                    done, waiting = wait(waiting, _TICK, FIRST_EXCEPTION)
                    for future in done:
                        future.result()
                    self._report()
            except BaseException:
                self.is_cancelled = True
                pool.shutdown(cancel_futures=True)
                raise
            return [futures[at].result() for at in range(len(self.rows))]

    def _report(self) -> None:
        if self._progress is not None:
            self._progress(self.done, self.total)

    def _digest(self, row: HashRow) -> bytes:
        hasher = self.new()
        for chunk in row.chunks:
            for piece in iter_bytes(chunk, self.sources, self._buffer()):
                if self.is_cancelled:
                    return b""
                hasher.update(piece)
                with self._lock:
                    self.done += len(piece)
        digest: bytes = hasher.digest()
        return digest

    def _buffer(self) -> bytearray:
        if not hasattr(self._buffers, "buffer"):
            self._buffers.buffer = bytearray(PIECE_NBYTES)
        buffer: bytearray = self._buffers.buffer
        return buffer


def iter_bytes(
    chunk: Chunk, sources: Sequence[Source], buffer: bytearray, unit: int = 1
) -> Iterator[bytes | memoryview]:
    """The bytes of a chunk, piece by piece; a piece is gone when the next one is asked for.

    Pieces are whole numbers of `unit` bytes and of blocks, and as long as the buffer allows.

    Raises:
        SourceChangedError: the file ends too early.
        OSError: it cannot be read.
    """
    if isinstance(chunk, Literal):
        yield chunk.data
        return
    room = memoryview(buffer)
    if isinstance(chunk, Zeros):
        buffer[:] = bytes(len(buffer))
    if isinstance(chunk, Swap):
        unit = lcm(unit, swapping.block_nbytes(chunk.layout))
    step = len(buffer) // unit * unit
    for done in range(0, chunk.nbytes, step):
        end = min(step, chunk.nbytes - done)
        piece = room[:end]
        if not isinstance(chunk, Zeros):
            sources[chunk.source].read_into(chunk.start + done, piece)
        if isinstance(chunk, Swap):
            swapping.swap_blocks(buffer, chunk.layout, 0, end)
        yield piece

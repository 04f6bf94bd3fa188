"""Chunks of a plan know their sizes."""

from __future__ import annotations

from gguf_construct.core.chunks import Copy, Literal, Swap, WritePlan, Zeros


def test_sizes_add_up() -> None:
    chunks = (
        Literal(b"abc"),
        Copy(100, 20),
        Swap(7, 18, ((2, 1), (1, 16))),
        Zeros(5),
        Literal(b""),
    )
    assert [chunk.nbytes for chunk in chunks] == [3, 20, 18, 5, 0]
    assert WritePlan(chunks).nbytes == 46
    assert WritePlan(()).nbytes == 0


def test_the_first_source_is_the_default() -> None:
    assert Copy(0, 1).source == Swap(0, 1, ((1, 1),)).source == 0
    assert WritePlan(()).header_nbytes is None

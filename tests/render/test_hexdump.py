"""The hexdump: every byte once, every field named, long fields shortened."""

from __future__ import annotations

from gguf_construct.byte_map.spans import byte_map
from gguf_construct.render.hexdump import Elision, Row, hexdump
from gguf_construct.render.map_text import span_columns
from tests.support import builders as b
from tests.support.builders import Model, Pair, Tensor, build
from tests.support.cases import CASES, VALID

LONG = build(Model((Pair(b"long", b.text(b"x" * 1000)),), (Tensor(b"t", (8,), 0, b"\1" * 32),)))


def dump(
    data: bytes, start: int = 0, end: int | None = None, full: bool = False
) -> list[Row | Elision]:
    return list(hexdump(data, byte_map(data), start, len(data) if end is None else end, full=full))


def shown(parts: list[Row | Elision]) -> bytes:
    return bytes(
        cell.byte for part in parts if isinstance(part, Row) for cell in part.cells if cell
    )


def test_full_dumps_hold_every_byte() -> None:
    for case in VALID[::4]:
        assert shown(dump(case.data, full=True)) == case.data


def test_every_field_is_in_the_legend() -> None:
    for case in CASES.values():
        spans = [span for span in byte_map(case.data) if span.start < span.end]
        legend = [e for part in dump(case.data) if isinstance(part, Row) for e in part.legend]
        assert len(legend) == len(spans)
        assert all(e.text.startswith(span.path) for e, span in zip(legend, spans, strict=True))


def test_a_field_starts_with_its_letter() -> None:
    first = dump(LONG.data)[0]
    assert isinstance(first, Row)
    letters = [cell.letter for cell in first.cells if cell]
    assert letters == [*"a   b   c       "]
    assert [entry.letter for entry in first.legend] == ["a", "b", "c"]
    assert first.text == "GGUF............"


def test_neighbours_have_different_numbers() -> None:
    numbers = [
        c.number for part in dump(LONG.data) if isinstance(part, Row) for c in part.cells if c
    ]
    assert numbers == sorted(numbers)
    assert len(set(numbers)) == len([s for s in byte_map(LONG.data) if s.start < s.end])


def test_the_middle_of_a_long_field_is_left_out() -> None:
    parts = dump(LONG.data)
    (gap,) = [part for part in parts if isinstance(part, Elision)]
    assert gap.path == "metadata[0].value.value"
    assert len(shown(parts)) + gap.nbytes == len(LONG.data)
    assert not any(isinstance(part, Elision) for part in dump(LONG.data, full=True))


def test_a_window_shows_only_its_bytes() -> None:
    parts = dump(LONG.data, 5, 21)
    assert shown(parts) == LONG.data[5:21]
    first = parts[0]
    assert isinstance(first, Row)
    assert first.offset == 0
    assert first.cells[:5] == [None] * 5
    assert first.legend[0].text.startswith("version (from 0x4)")


def test_a_window_behind_the_end_is_empty() -> None:
    assert dump(LONG.data, len(LONG.data) + 100, len(LONG.data) + 200) == []


def test_columns_are_printable() -> None:
    built = build(Model((Pair(b"\xff\n\x1b[31m", b.text(b"\0\xfe\n")), Pair(b"b", b.boolean(7)))))
    lines = ["|".join(span_columns(span, built.data)) for span in byte_map(built.data)]
    assert all(line.isprintable() for line in lines)
    assert any('"\\xff\\n\\x1b[31m"' in line for line in lines)
    assert any("true (byte 7)" in line for line in lines)

"""Structure-aware mutations for fuzzing: `mutate(data, chance, spans)`.

`spans` are the fields of the undamaged file (from the builder, or from `read_plainly`); without
them only the mutations that need no structure are used.  A damaged file is not tracked: when
several mutations are stacked, those that move bytes come last, so the spans stay true.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from . import unknown

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Sequence

    from .builders import Span

    Mutation = Callable[[bytearray, random.Random, Sequence[Span]], None]

_NEAR = (-2, -1, 1, 2, 7, 8)
_ENDS = (".len", ".num_elements", ".num_dims", "num_metadata", "num_tensors")
_TYPES = (".type", ".element_type")


def _interesting(width: int, chance: random.Random) -> int:
    top = 8 * width
    power = 1 << chance.randrange(top)
    return chance.choice(
        (
            *(0, 1, 2, 4, 8, 9, 32, unknown.VALUE_TYPE - 1, unknown.VALUE_TYPE),
            *(unknown.TENSOR_TYPE, power, power - 1, power + 1, (1 << top) - 1, -power),
        )
    ) % (1 << top)


def _put(data: bytearray, start: int, width: int, number: int, chance: random.Random) -> None:
    order: Literal["little", "big"] = "little" if chance.randrange(4) else "big"
    if start + width <= len(data):
        data[start : start + width] = (number % (1 << 8 * width)).to_bytes(width, order)


def _flip_bit(data: bytearray, chance: random.Random, _: Sequence[Span]) -> None:
    if data:
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def _set_byte(data: bytearray, chance: random.Random, _: Sequence[Span]) -> None:
    if data:
        data[chance.randrange(len(data))] = chance.choice((0, 1, 0x7F, 0x80, 0xFF))


def _set_anywhere(data: bytearray, chance: random.Random, _: Sequence[Span]) -> None:
    width = chance.choice((2, 4, 8))
    if len(data) >= width:
        start = chance.randrange(len(data) - width + 1)
        _put(data, start, width, _interesting(width, chance), chance)


def _numbers(spans: Sequence[Span], ends: tuple[str, ...] = ()) -> list[Span]:
    return [
        span
        for span in spans
        if span.end - span.start in (4, 8) and (not ends or span.path.endswith(ends))
    ]


def _set_field(data: bytearray, chance: random.Random, spans: Sequence[Span]) -> None:
    fields = _numbers(spans, chance.choice((_ENDS, _TYPES, ())))
    if fields:
        span = chance.choice(fields)
        width = span.end - span.start
        _put(data, span.start, width, _interesting(width, chance), chance)


def _add(data: bytearray, span: Span, by: int) -> None:
    """Change a number in the byte order of the file."""
    order: Literal["little", "big"] = "big" if data[4:6] == b"\0\0" else "little"
    width = span.end - span.start
    number = int.from_bytes(data[span.start : span.end], order) + by
    data[span.start : span.end] = (number % (1 << 8 * width)).to_bytes(width, order)


def _nudge_field(data: bytearray, chance: random.Random, spans: Sequence[Span]) -> None:
    fields = _numbers(spans, _ENDS)
    if fields:
        _add(data, chance.choice(fields), chance.choice(_NEAR))


def _swap_field(data: bytearray, chance: random.Random, spans: Sequence[Span]) -> None:
    fields = _numbers(spans)
    if fields:
        span = chance.choice(fields)
        data[span.start : span.end] = data[span.start : span.end][::-1]


def _copy_field(data: bytearray, chance: random.Random, spans: Sequence[Span]) -> None:
    """One field's bytes over another of the same width: a name twice, an offset twice, ..."""
    if spans:
        source = chance.choice(spans)
        width = source.end - source.start
        same = [span for span in spans if span.end - span.start == width]
        target = chance.choice(same)
        data[target.start : target.end] = data[source.start : source.end]


def _truncate(data: bytearray, chance: random.Random, spans: Sequence[Span]) -> None:
    at = chance.choice(spans).start if spans and chance.randrange(2) else None
    del data[chance.randrange(len(data) + 1) if at is None else at :]


def _extend(data: bytearray, chance: random.Random, _: Sequence[Span]) -> None:
    data += chance.choice((bytes(chance.randrange(1, 65)), chance.randbytes(16), data[:64]))


def _delete(data: bytearray, chance: random.Random, _: Sequence[Span]) -> None:
    start = chance.randrange(len(data) + 1)
    del data[start : start + chance.choice((1, 2, 4, 8, 24))]


def _insert(data: bytearray, chance: random.Random, _: Sequence[Span]) -> None:
    start = chance.randrange(len(data) + 1)
    data[start:start] = chance.randbytes(chance.choice((1, 4, 8)))


def _splice(data: bytearray, chance: random.Random, _: Sequence[Span]) -> None:
    size = chance.randrange(1, 65)
    source = chance.randrange(len(data) + 1)
    target = chance.randrange(len(data) + 1)
    data[target : target + size] = data[source : source + size]


def _whole_items(spans: Sequence[Span]) -> list[tuple[Span, int, int]]:
    """Each metadata pair and tensor info: the field that counts it, start and end."""
    counts = {span.path: span for span in spans if span.path.startswith("num_")}
    items: dict[str, tuple[Span, int, int]] = {}
    for span in spans:
        head, bracket, _ = span.path.partition("]")
        if bracket:
            count = counts["num_tensors" if head.startswith("tensors") else "num_metadata"]
            start = items[head][1] if head in items else span.start
            items[head] = (count, start, span.end)
    return list(items.values())


def _repeat_item(data: bytearray, chance: random.Random, spans: Sequence[Span]) -> None:
    """A pair or tensor info twice, with or without its count raised."""
    items = _whole_items(spans)
    if items:
        count, start, end = chance.choice(items)
        if chance.randrange(3):
            _add(data, count, 1)
        data[end:end] = data[start:end]


def _drop_item(data: bytearray, chance: random.Random, spans: Sequence[Span]) -> None:
    items = _whole_items(spans)
    if items:
        count, start, end = chance.choice(items)
        if chance.randrange(3):
            _add(data, count, -1)
        del data[start:end]


IN_PLACE: tuple[Mutation, ...] = (
    *(_flip_bit, _set_byte, _set_anywhere),
    *(_set_field, _set_field, _nudge_field, _swap_field, _copy_field),
)
MOVING: tuple[Mutation, ...] = (
    *(_truncate, _extend, _delete, _insert, _splice, _repeat_item, _drop_item),
)


def mutate(data: bytes, chance: random.Random, spans: Sequence[Span] = ()) -> bytes:
    """`data` with one to four mutations, at most one of which moves bytes."""
    out = bytearray(data)
    for _ in range(chance.choice((0, 1, 1, 1, 2, 3))):
        chance.choice(IN_PLACE)(out, chance, spans)
    if bytes(out) == data or chance.randrange(3) == 0:
        chance.choice(MOVING)(out, chance, spans)
    return bytes(out)


def mutations(
    data: bytes, chance: random.Random, count: int, spans: Sequence[Span] = ()
) -> Iterator[bytes]:
    """`count` mutated files, the same for the same seed."""
    return (mutate(data, chance, spans) for _ in range(count))

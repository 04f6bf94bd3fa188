"""Find places in the byte map: the field at an offset, the spans below a path.

Strategy: walk the map with every array folded to one span, and unfold only the elements that are
asked for, so a vocabulary of any size costs one pass over its length fields.
"""

from __future__ import annotations

from difflib import get_close_matches
from struct import Struct
from typing import TYPE_CHECKING, Any, NamedTuple

from .._generated.codec import probe
from .._generated.trace import trace, trace_string
from .._generated.types import LIMITS, Limits
from ..core.codec import parse
from ..core.values import text_of
from ..errors import KeyNotFoundError, ParseError
from ..runtime.tracing import Span, Tracer
from ..runtime.views import number_format
from .blocks import BlockPlace, block_place
from .paths import Steps, covers, literal_prefix, parse_path, without_labels
from .spans import FOLD, TensorBytes, byte_map, data_spans

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ..runtime.views import Buffer

_KEY, _NAME = ".key.value", ".name.value"
_ROOTS = {
    "magic", "version", "num_tensors", "num_metadata", "metadata", "tensor_infos",
    "padding", "gap", "trailing", "unreadable",
}  # fmt: skip


class Found(NamedTuple):
    """The span that holds a byte.

    `name` is the key of the metadata pair or the name of the tensor that it belongs to, if any;
    `block`, in tensor data, the place inside a block.
    """

    span: Span
    name: str | None
    block: BlockPlace | None


def find_span(buffer: Buffer, offset: int, *, limits: Limits | None = None) -> Found:
    """The field that the byte at absolute `offset` belongs to.

    Raises:
        KeyNotFoundError: the file has no such byte.
    """
    limits = LIMITS if limits is None else limits
    if not 0 <= offset < len(buffer):
        raise KeyNotFoundError(f"no byte 0x{offset:x} in a file of {len(buffer)} bytes")
    try:
        document = parse(buffer, limits)
    except ParseError:
        document = None
    if document is None or offset < document.header_end:
        name, span = _holding(byte_map(buffer, limits=limits, fold=0), offset)
        return Found(_element_at(buffer, span, offset, limits), name, None)
    _, span = _holding(data_spans(document), offset)
    named = span.value.name if isinstance(span.value, TensorBytes) else None
    return Found(span, named, block_place(document, span, offset))


def _holding(spans: Iterable[Span], offset: int) -> tuple[str | None, Span]:
    """The span that holds a byte, and the name of its item."""
    name = item = ""
    for span in spans:
        for end in (_KEY, _NAME):
            if span.path.endswith(end):
                name, item = text_of(span.value), span.path.removesuffix(end)
        if span.start <= offset < span.end:
            return (name if item and span.path.startswith(f"{item}.") else None), span
    raise AssertionError("a byte map has a span for every byte")


def spans_of(
    buffer: Buffer, path: str, *, limits: Limits | None = None, fold: int | None = FOLD
) -> Iterator[Span]:
    """The spans below a path, in file order.

    Args:
        buffer: the file's bytes.
        path: a field path (``metadata[3]``, ``tensor_infos[0].data``), a metadata key or tensor
            name with or without a rest (``tokenizer.ggml.tokens[17]``, ``output.weight.dims``), or
            a path as an error message shows it.  ``[10:20]`` takes several elements.
        limits: safety limits.
        fold: as in `byte_map`, for arrays that are wanted whole.

    Raises:
        KeyNotFoundError: the file has no such field.
    """
    limits = LIMITS if limits is None else limits
    wanted = _wanted(buffer, without_labels(path), limits)
    is_found = False
    for steps in wanted:
        for span in _below(buffer, steps, limits, fold):
            is_found = True
            yield span
    if not is_found:
        raise KeyNotFoundError(f"no field {path!r} in the file", key=path)


def _below(buffer: Buffer, wanted: Steps, limits: Limits, fold: int | None) -> Iterator[Span]:
    """The spans below one path; a folded run is unfolded where only a part of it is wanted."""
    prefix = literal_prefix(wanted)
    picks = any(wanted[at - 1] == "elements" for at in range(1, len(wanted)))
    for span in byte_map(buffer, limits=limits, fold=0 if picks else fold, empty=True):
        steps = parse_path(span.path) if span.path.startswith(prefix) else None
        if steps is None:
            continue
        run = _run_of(span, steps)
        if not covers(wanted, steps, is_run=run is not None):
            continue
        want = wanted[len(steps) - 1] if len(steps) <= len(wanted) else None
        if run is None or not isinstance(want, range):
            yield span
            continue
        indices = range(max(run.start, want.start), min(run.stop, want.stop))
        for part in _elements(buffer, span, indices, limits):
            if covers(wanted, parse_path(part.path) or ()):
                yield part


def _run_of(span: Span, steps: Steps) -> range | None:
    """The indices of a folded run of elements; None for any other span."""
    last = steps[-1] if steps else None
    is_run = span.field == "array.elements" and isinstance(last, range) and len(last) > 1
    return last if is_run and isinstance(last, range) else None


# -- names ---------------------------------------------------------------------------------------


def _wanted(buffer: Buffer, path: str, limits: Limits) -> list[Steps]:
    """The field paths that a path of any kind means; several where a key occurs twice."""
    steps = parse_path(path)
    if (
        steps is not None
        and steps[0] in _ROOTS
        and not any(isinstance(step, str) for step in steps[1:2])
    ):
        return [steps]
    names = _names(buffer, limits)
    best = max((name for name, _ in names if _is_head(name, path)), key=len, default=None)
    if best is None:
        matches = tuple(get_close_matches(path, [name for name, _ in names], n=3))
        hint = f"did you mean {' or '.join(matches)}?" if matches else None
        raise KeyNotFoundError(f"no field {path!r}", hint=hint, key=path, matches=matches)
    rest = path[len(best) :]
    wanted = []
    for name, item in names:
        if name == best:
            inner = f"{item}.value.elements" if rest.startswith("[") else item
            found = parse_path(inner + rest)
            if found is not None:
                wanted.append(found)
    return wanted


def _is_head(name: str, path: str) -> bool:
    following = path[len(name) : len(name) + 1]
    return bool(name) and path.startswith(name) and following in ("", ".", "[")


def _names(buffer: Buffer, limits: Limits) -> list[tuple[str, str]]:
    """Every key and tensor name with the path of its item, as far as the file can be read."""
    names: list[tuple[str, str]] = []
    try:
        for span in trace(buffer, limits, 0):
            for end in (_KEY, _NAME):
                if span.path.endswith(end):
                    names += [(text_of(span.value), span.path.removesuffix(end))]
    except ParseError:
        pass
    return names


# -- elements of folded runs ---------------------------------------------------------------------


def _element_at(buffer: Buffer, span: Span, offset: int, limits: Limits) -> Span:
    """The element of a folded run that holds a byte; any other span as it is."""
    steps = parse_path(span.path)
    last = _run_of(span, steps) if steps else None
    if last is None:
        return span
    if span.type == "string":
        index, pos = _text_at(buffer, span, offset, limits)
        at = last.start + index
        found = list(_texts(buffer, span, range(at, at + 1), pos, limits))
    else:
        width = span.nbytes // len(last)
        at = last.start + (offset - span.start) // width
        found = list(_numbers(buffer, span, last, range(at, at + 1), limits))
    return _holding(found, offset)[1]


def _elements(buffer: Buffer, span: Span, indices: range, limits: Limits) -> Iterator[Span]:
    """The spans of some elements of a folded run."""
    run = _run_of(span, parse_path(span.path) or ())
    assert run is not None
    if span.type != "string":
        yield from _numbers(buffer, span, run, indices, limits)
        return
    read, width = _length_reader(buffer, span, limits)
    pos = span.start
    for _ in range(indices.start - run.start):
        pos += read(buffer, pos)[0] + width
    yield from _texts(buffer, span, indices, pos, limits)


def _tracer(buffer: Buffer, limits: Limits) -> Tracer:
    found = probe(buffer)
    return Tracer(buffer, found.order, found.version, limits, None)


def _stem(span: Span) -> str:
    return span.path[: span.path.rindex("[")]


def _length_reader(buffer: Buffer, span: Span, limits: Limits) -> tuple[Any, int]:
    """How the lengths in a run of strings are read, and their width in bytes."""
    t = _tracer(buffer, limits)
    length = next(trace_string(t, span.start, ""))
    return Struct(t.order + number_format("u", length.nbytes)).unpack_from, length.nbytes


def _text_at(buffer: Buffer, span: Span, offset: int, limits: Limits) -> tuple[int, int]:
    """Number and start of the string in a run that holds a byte."""
    read, width = _length_reader(buffer, span, limits)
    index, pos = 0, span.start
    while True:
        end = pos + read(buffer, pos)[0] + width
        if offset < end:
            return index, pos
        index, pos = index + 1, end


def _texts(buffer: Buffer, span: Span, indices: range, pos: int, limits: Limits) -> Iterator[Span]:
    t, stem = _tracer(buffer, limits), _stem(span)
    for index in indices:
        for part in trace_string(t, pos, f"{stem}[{index}]."):
            yield part
            pos = part.end


def _numbers(
    buffer: Buffer, span: Span, run: range, indices: range, limits: Limits
) -> Iterator[Span]:
    t, stem, width = _tracer(buffer, limits), _stem(span), span.nbytes // len(run)
    kind = {"i": "s", "b": "u"}.get(span.type[0], span.type[0])
    for index in indices:
        pos = span.start + (index - run.start) * width
        path = f"{stem}[{index}]"
        value = t.number(pos, kind, width, path)
        yield Span(pos, pos + width, path, span.type, value, span.field)

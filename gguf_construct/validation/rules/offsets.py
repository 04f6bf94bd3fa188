"""Rules about where tensors lie: one analysis of the data section, one code for each fault.

Strategy: ggml wants each tensor at the running sum of the padded sizes before it and says only
"has offset X, expected Y".  Here the tensors are sorted by place, so that an overlap, a hole and
another order are told apart, and one wrong offset is not reported again for every later tensor.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from ...core.sizes import align_up
from .base import Finding, rule
from .loaded import loaded
from .tensors import dim_offset, dims_are_sane

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .context import Context

_LOADER = "gguf_init_from_file in gguf.cpp (offsets are contiguous)"
_INFO = "docs/gguf.md, gguf_tensor_info_t (offset)"
_REPACK = "lay the tensors out again: gguf-construct repair ..."
_END_OF_ADDRESSES = 2**64


class Fault(NamedTuple):
    """What is wrong with the offset of tensor number `at`."""

    code: str
    at: int
    message: str
    hint: str | None = None


class Layout(NamedTuple):
    """The data section as the tensor infos describe it.

    Attributes:
        faults: wrong offsets.
        expected: ggml's running sum for each tensor; None behind one of unknown size.
        end: end of the last sound tensor, relative to the data section, without padding.
        is_known: whether the size of each tensor is known and no offset is absurd.
        damaged: numbers of the tensors whose dimensions are wrong: their sizes say nothing.
    """

    faults: tuple[Fault, ...]
    expected: tuple[int | None, ...]
    end: int
    is_known: bool
    damaged: frozenset[int]

    def at_fault(self, *codes: str) -> set[int]:
        """Numbers of the tensors with one of these faults."""
        return {fault.at for fault in self.faults if fault.code in codes}


def layout_of(c: Context) -> Layout:
    """The analysis; made once for a context."""
    found = c.memo.get("layout")
    if not isinstance(found, Layout):
        found = c.memo["layout"] = _analyse(c)
    return found


def _misfits(c: Context) -> list[int]:
    """Numbers of the tensors whose shapes are not what the metadata demand."""
    found = loaded(c)
    names = {one.name for one in found.misfits} if found is not None else ()
    return [at for at, tensor in enumerate(c.tensors) if tensor.name in names]


def _oversized(c: Context) -> list[Fault]:
    """Tensors whose dimensions reach past the file, while the next tensor begins inside it."""
    left = c.document.file_size - c.document.data_start
    starts = sorted({tensor.offset for tensor in c.tensors})
    found = []
    for at, tensor in enumerate(c.tensors):
        size = tensor.nbytes if dims_are_sane(tensor) else None
        after = bisect_right(starts, tensor.offset)
        if size is None or tensor.offset + size <= left or after == len(starts):
            continue
        room = starts[after] - tensor.offset
        if room < size and starts[after] <= left:
            shape = " x ".join(map(str, tensor.dims))
            message = f"{shape} takes {size} bytes, the next tensor begins after {room}"
            hint = "a dimension is damaged: download the file again"
            found.append(Fault("tensor-dims-beyond-data", at, message, hint))
    return found


def _running(sizes: list[int | None], alignment: int) -> list[int | None]:
    found: list[int | None] = []
    total: int | None = 0
    for size in sizes:
        found.append(total)
        total = None if total is None or size is None else total + align_up(size, alignment)
    return found


def _analyse(c: Context) -> Layout:
    alignment, misfits = c.document.alignment, _misfits(c)
    # One shape is wrong: what would follow from it for other tensors is not reported.
    oversized = [fault for fault in _oversized(c) if fault.at not in misfits]
    damaged = {fault.at for fault in oversized} | {*(misfits if len(misfits) == 1 else ())}
    sizes = [
        tensor.nbytes if dims_are_sane(tensor) and at not in damaged else None
        for at, tensor in enumerate(c.tensors)
    ]
    expected = _running(sizes, alignment)
    faults = _unreachable(c, sizes, expected)
    absurd = {fault.at for fault in faults}
    faults += oversized
    faults += [
        Fault(
            "tensor-offset-misaligned",
            at,
            f"offset {tensor.offset} is no multiple of the alignment, {alignment}",
            _REPACK,
        )
        for at, tensor in enumerate(c.tensors)
        if tensor.offset % alignment and at not in absurd
    ]
    skip = absurd | {fault.at for fault in faults}
    order = sorted(
        (at for at in range(len(sizes)) if at not in absurd and sizes[at] != 0),
        key=lambda at: (c.tensors[at].offset, at),
    )
    between, end = _neighbours(c, order, sizes, expected, skip)
    faults += between + _disorder(c, order, expected)
    if not faults:
        faults = _unexpected(c, expected)
    is_known = not absurd and None not in sizes
    return Layout(tuple(faults), tuple(expected), end, is_known, frozenset(damaged))


def _unreachable(c: Context, sizes: list[int | None], expected: list[int | None]) -> list[Fault]:
    """Offsets that wrap around, or lie past the end of the file where nothing leads to."""
    start, left = c.document.data_start, max(c.document.file_size - c.document.data_start, 0)
    found = []
    ends = {
        align_up(tensor.offset + (size or 0), c.document.alignment): at
        for at, (tensor, size) in enumerate(zip(c.tensors, sizes, strict=True))
    }
    for at, tensor in enumerate(c.tensors):
        offset, size = tensor.offset, sizes[at] or 0
        if start + offset + size >= _END_OF_ADDRESSES:
            message = f"offset {offset} plus its {size} bytes wraps around 64 bits"
            found.append(Fault("tensor-offset-wraps", at, message, "the offset is damaged"))
        elif offset + size > left and offset not in (0, expected[at]) and offset > left:
            if ends.get(offset, at) != at:
                continue  # it follows another tensor: the file is cut, not the offset wrong
            message = f"offset {offset}, but the data section has {left} bytes"
            found.append(Fault("tensor-offset-past-end", at, message, "the offset is damaged"))
    return found


def _neighbours(
    c: Context,
    order: list[int],
    sizes: list[int | None],
    expected: list[int | None],
    skip: set[int],
) -> tuple[list[Fault], int]:
    """Overlaps and holes between the tensors sorted by place; and where the last one ends."""
    found: list[Fault] = []
    end, owner, certain = 0, -1, True
    for at in order:
        offset, size = c.tensors[at].offset, sizes[at]
        wanted = align_up(end, c.document.alignment)
        if owner >= 0 and offset < end:
            later, other = max(at, owner), min(at, owner)
            message = f"{end - offset} bytes of it are also those of {c.tensor_path(other)}"
            hint = "one of the two offsets is damaged: the data cannot be told apart"
            found.append(Fault("tensor-offset-overlap", later, message, hint))
        elif offset > wanted and certain and at not in skip and offset != expected[at]:
            message = f"{offset - wanted} unused bytes before it: expected offset {wanted}"
            found.append(Fault("tensor-offset-gap", at, message, _REPACK))
        certain = size is not None
        if offset + (size or 0) >= end:
            end, owner = offset + (size or 0), at
    return found, end


def _disorder(c: Context, order: list[int], expected: list[int | None]) -> list[Fault]:
    """The first tensor out of place, where the data are not in the order of the infos."""
    if order == sorted(order):
        return []
    for at in sorted(order):
        if c.tensors[at].offset != expected[at]:
            message = "the data are not in the order of the tensor infos: "
            message += f"offset {c.tensors[at].offset}, ggml expects {expected[at]}"
            return [Fault("tensor-offset-order", at, message, _REPACK)]
    return []


def _unexpected(c: Context, expected: list[int | None]) -> list[Fault]:
    """Whatever else ggml would refuse: empty tensors at odd places."""
    for at, tensor in enumerate(c.tensors):
        if expected[at] is not None and tensor.offset != expected[at]:
            message = f"offset {tensor.offset}, ggml expects {expected[at]}"
            return [Fault("tensor-offset-unexpected", at, message, _REPACK)]
    return []


def _findings(c: Context, code: str) -> Iterator[Finding]:
    for fault in layout_of(c).faults:
        if fault.code == code:
            yield Finding(
                fault.message,
                c.tensors[fault.at].record.at("ofs_data"),
                c.tensor_path(fault.at, "ofs_data"),
                fault.hint,
            )


@rule("tensor-dims-beyond-data", source="practice")
def beyond_data(c: Context) -> Iterator[Finding]:
    """No tensor is larger than the file while another one begins inside it."""
    for fault in layout_of(c).faults:
        if fault.code == "tensor-dims-beyond-data":
            offset = dim_offset(c.tensors[fault.at], 0)
            yield Finding(fault.message, offset, c.tensor_path(fault.at, "dims"), fault.hint)


@rule("tensor-offset-overlap", source=_LOADER)
def overlap(c: Context) -> Iterator[Finding]:
    """No two tensors share bytes."""
    return _findings(c, "tensor-offset-overlap")


@rule("tensor-offset-gap", source=_LOADER, spec="info")
def gap(c: Context) -> Iterator[Finding]:
    """Nothing but padding lies between tensors."""
    return _findings(c, "tensor-offset-gap")


@rule("tensor-offset-misaligned", source=_INFO)
def misaligned(c: Context) -> Iterator[Finding]:
    """Offsets are multiples of the alignment."""
    return _findings(c, "tensor-offset-misaligned")


@rule("tensor-offset-order", source=_LOADER, spec="info")
def disorder(c: Context) -> Iterator[Finding]:
    """The data lie in the order of the tensor infos."""
    return _findings(c, "tensor-offset-order")


@rule("tensor-offset-past-end", source=_LOADER)
def past_end(c: Context) -> Iterator[Finding]:
    """Offsets lie inside the file."""
    return _findings(c, "tensor-offset-past-end")


@rule("tensor-offset-wraps", source=_LOADER)
def wraps(c: Context) -> Iterator[Finding]:
    """Offset and size of a tensor add up without overflow."""
    return _findings(c, "tensor-offset-wraps")


@rule("tensor-offset-unexpected", source=_LOADER, spec="info")
def unexpected(c: Context) -> Iterator[Finding]:
    """Each offset is the sum of the padded sizes before it, for empty tensors too."""
    return _findings(c, "tensor-offset-unexpected")

"""Rules about the numbers in the tensor data; they read all of it, in pieces.

Strategy: a float is NaN or infinite when all bits of its exponent are set, so the bytes are
looked at as integers, field by field of the block layout, in either byte order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..._generated.types import BLOCKS
from .base import Finding, rule

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..._generated.types import BlockField, BlockLayout
    from ...core.tensors import TensorInfo
    from .context import Context

_CHECK = "ggml_validate_row_data in ggml-quants.c (check_tensors of llama.cpp)"
_PIECE_NBYTES = 8 << 20
# Width in bytes, and the bits that are all set in what is no number.
_EXPONENTS = {
    "f2": 0x7C00,
    "bf2": 0x7F80,
    "f4": 0x7F800000,
    "f8": 0x7FF0000000000000,
    "e8m0": 0xFF,
    "ue4m3": 0x7F,
}


class _Found(NamedTuple):
    field: BlockField
    offset: int
    amount: int
    is_nan: bool


def _scan(c: Context) -> list[tuple[int, _Found]]:
    """What is no number, by tensor; found out once for both rules."""
    known = c.memo.get("data")
    if isinstance(known, list):
        return known
    found: list[tuple[int, _Found]] = []
    todo = [(at, tensor) for at, tensor in enumerate(c.tensors) if _is_readable(c, tensor)]
    total = sum(tensor.nbytes or 0 for _, tensor in todo)
    done = 0
    for at, tensor in todo:
        found += [(at, one) for one in _scan_tensor(c, tensor, done, total)]
        done += tensor.nbytes or 0
    c.memo["data"] = found
    return found


def _is_readable(c: Context, tensor: TensorInfo) -> bool:
    layout = BLOCKS.get(tensor.type)
    return (
        layout is not None
        and bool(tensor.nbytes)
        and tensor.data_offset + (tensor.nbytes or 0) <= c.document.file_size
        and any(field.type in _EXPONENTS for field in layout.fields)
    )


def _scan_tensor(c: Context, tensor: TensorInfo, done: int, total: int) -> list[_Found]:
    layout = BLOCKS[tensor.type]
    step = max(_PIECE_NBYTES // layout.nbytes, 1) * layout.nbytes
    found: dict[str, _Found] = {}
    for start in range(0, tensor.nbytes or 0, step):
        if c.progress is not None:
            c.progress(done + start, total)
        place = tensor.data_offset + start
        nbytes = min(step, (tensor.nbytes or 0) - start)
        for one in _scan_piece(c, layout, place, nbytes):
            before = found.get(one.field.name)
            if before is not None:
                one = before._replace(amount=before.amount + one.amount)
            found[one.field.name] = one
    return list(found.values())


def _scan_piece(c: Context, layout: BlockLayout, place: int, nbytes: int) -> Iterator[_Found]:
    import numpy as np

    blocks: Any = np.frombuffer(c.document.buffer[place : place + nbytes], np.uint8)
    blocks = blocks.reshape(-1, layout.nbytes)
    for field in layout.fields:
        mask = _EXPONENTS.get(field.type)
        if mask is None:
            continue
        end = field.offset + field.width * field.count
        words = np.ascontiguousarray(blocks[:, field.offset : end])
        words = words.view(f"{c.document.order}u{field.width}")
        wrong = (words & words.dtype.type(mask)) == mask
        count = int(np.count_nonzero(wrong))
        if count:
            row, column = (int(index) for index in np.argwhere(wrong)[0])
            offset = place + row * layout.nbytes + field.offset + column * field.width
            rest = int(words[row, column]) & (mask & -mask) - 1
            yield _Found(field, offset, count, bool(rest) or field.width == 1)


def _findings(c: Context, *, in_blocks: bool) -> Iterator[Finding]:
    for at, one in _scan(c):
        layout = BLOCKS[c.tensors[at].type]
        if (layout.num_elements > 1) != in_blocks:
            continue
        what = "NaN" if one.is_nan else "an infinity"
        of = f" in the scales {one.field.name!r}" if in_blocks else ""
        yield Finding(
            f"{what}{of} of {layout.name} data; {one.amount} values are no finite numbers",
            one.offset,
            c.tensor_path(at, "data"),
            "the model gives garbage: convert or download it again",
        )


@rule("data-not-finite", source=_CHECK, reads_data=True)
def values(c: Context) -> Iterator[Finding]:
    """F16, BF16, F32 and F64 tensors hold no NaN and no infinity (only with --data)."""
    return _findings(c, in_blocks=False)


@rule("data-scale-not-finite", source=_CHECK, reads_data=True)
def scales(c: Context) -> Iterator[Finding]:
    """Scales of quantised blocks are finite, exponents of MXFP4 not 255 (only with --data)."""
    return _findings(c, in_blocks=True)

"""Plan repairs that are provably safe: no value and no tensor byte is guessed.

Strategy: each repair is decided by what the rules found out, applied to a document of its own
and noted as a change, so the plan can be shown before anything is written.  What is not listed
here (overlaps, missing data, two values for a key) cannot be repaired without knowing the model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..core.chunks import Chunk, Copy, Literal, Swap, WritePlan, Zeros
from ..core.document import Document
from ..core.registry import find
from ..core.sizes import align_up
from ..editing.changes import Change
from ..planning.layout import merge_chunks, plan_layout
from .rules.context import Context
from .rules.offsets import layout_of
from .rules.split import SPLIT_KEYS, is_alone

if TYPE_CHECKING:
    from .._generated.keys import KeyInfo
    from .rules.offsets import Layout

_DATA = "data section"
_PIECE_NBYTES = 1 << 20
# A repack mends these; the others leave it open which bytes belong to a tensor.
_MENDED = frozenset(
    {
        "tensor-offset-gap",
        "tensor-offset-misaligned",
        "tensor-offset-order",
        "tensor-offset-unexpected",
    }
)


def plan_repair(
    document: Document, *, file_name: str | None = None, drop_trailing: bool = False
) -> tuple[WritePlan, list[Change]]:
    """The plan of a repaired file, and what it changes; no change where nothing can be repaired.

    The document stays as it is.  Its unsaved edits do not count.

    Repairs: exact copies of a pair are removed, a misspelt standard key gets the name that
    llama.cpp reads, the keys of a shard go where a file that `file_name` does not call a shard
    has all tensors, tensors are laid out again if their data are sound, zeros behind the data
    are dropped (with `drop_trailing` whatever is there), missing padding at the end is restored.
    """
    mended = Document(document.buffer, document.order, document.body)
    changes = [*_remove_copies(mended), *_rename_misspelt(mended)]
    context = Context(mended, "llama.cpp", file_name=file_name)
    changes += _remove_split_keys(context)
    layout = layout_of(context)
    if _can_repack(mended, layout):
        faults = ", ".join(sorted({fault.code for fault in layout.faults}))
        changes.append(Change("repack", _DATA, "", faults, "contiguous, in the order of the infos"))
        return plan_layout(mended, "repack"), changes
    chunks = plan_layout(mended, "keep").chunks
    if not layout.faults and layout.is_known:
        chunks, change = _fit_end(mended, layout, chunks, drop_trailing)
        changes += change
    return WritePlan(merge_chunks(chunks)), changes


def _remove_copies(document: Document) -> list[Change]:
    """Remove repeated pairs whose type and value are the same in all of them."""
    changes = []
    for key in list(document.metadata):
        pairs = document.metadata.occurrences(key)
        if len(pairs) < 2 or len({pair.encoded for pair in pairs}) > 1:
            continue
        for number in range(len(pairs) - 1, 0, -1):
            document.metadata.remove_occurrence(key, number)
            place = f"at 0x{pairs[number].start:x}"
            changes.append(Change("remove copy", key, pairs[0].type, place, None))
    return changes


def _rename_misspelt(document: Document) -> list[Change]:
    """Give misspelt keys the name that llama.cpp reads, if it is free and the type fits."""
    metadata = document.metadata
    changes = []
    for key in list(metadata):
        info = find(key, metadata.architecture)
        if info is None or info.alias != "misspelt" or info.alias_of in metadata:
            continue
        if len(metadata.occurrences(key)) > 1 or not _fits(info, metadata.field(key).type):
            continue
        field = metadata.rename(key, info.alias_of)
        changes.append(Change("rename", key, field.type, key, info.alias_of))
    return changes


def _remove_split_keys(context: Context) -> list[Change]:
    """Remove the keys of a shard from a file that holds the whole model."""
    if not is_alone(context):
        return []
    metadata, changes = context.document.metadata, []
    for key in SPLIT_KEYS:
        if key in metadata:
            field = metadata.field(key)
            changes.append(Change("unset", key, field.type, metadata[key], None))
            del metadata[key]
    return changes


def _fits(info: KeyInfo, type: str) -> bool:
    wanted = find(info.alias_of)
    return wanted is not None and type in wanted.types


def _can_repack(document: Document, layout: Layout) -> bool:
    """Whether every tensor's bytes are certain.

    The file must end where the offsets say that it ends: else one of them may be damaged, and
    the bytes that it points to are not those of the tensor.
    """
    codes = {fault.code for fault in layout.faults}
    if not codes or not codes <= _MENDED or not layout.is_known:
        return False
    left = document.file_size - document.data_start
    return layout.end <= left <= align_up(layout.end, document.alignment)


def _fit_end(
    document: Document, layout: Layout, chunks: tuple[Chunk, ...], drop_trailing: bool
) -> tuple[tuple[Chunk, ...], list[Change]]:
    """Drop zeros behind the data (all that is there if asked to), or pad their end."""
    size, end = document.file_size, align_up(document.header_end, document.alignment)
    if document.tensors.all:
        end = align_up(document.data_start + layout.end, document.alignment)
        missing = end - size
        if 0 < missing < document.alignment and size >= document.data_start + layout.end:
            change = Change("pad", _DATA, "", size, end, ())
            return (*chunks, Zeros(missing)), [change]
    if size <= end or not (drop_trailing or _is_zero(document, end)):
        return chunks, []
    return _shorten(chunks, size - end), [Change("drop trailing bytes", _DATA, "", size, end)]


def _is_zero(document: Document, start: int) -> bool:
    """Whether nothing but zeros follows: other bytes may be another file, or shifted data."""
    size = document.file_size
    return not any(
        bytes(document.buffer[at : min(at + _PIECE_NBYTES, size)]).strip(b"\0")
        for at in range(start, size, _PIECE_NBYTES)
    )


def _shorten(chunks: tuple[Chunk, ...], nbytes: int) -> tuple[Chunk, ...]:
    """The chunks without their last `nbytes`."""
    kept = list(chunks)
    while nbytes and kept:
        last = kept.pop()
        left = last.nbytes - nbytes
        nbytes = max(-left, 0)
        if left > 0:
            kept.append(_head(last, left))
    return tuple(kept)


def _head(chunk: Chunk, nbytes: int) -> Chunk:
    match chunk:
        case Literal(data):
            return Literal(data[:nbytes])
        case Copy() | Swap():
            return chunk._replace(nbytes=nbytes)
        case _:
            return Zeros(nbytes)

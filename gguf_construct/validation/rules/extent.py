"""Rules about the end of the file and the padding in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._generated.types import MAGIC
from ...core.sizes import align_up
from .base import Finding, rule
from .offsets import layout_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .context import Context

_BOUNDS = "llama_tensor_weight in llama-model-loader.h (data within the file bounds)"
_LOADER = "gguf_init_from_file in gguf.cpp"
_PADDING = "docs/gguf.md, padding of the data section"
_DOWNLOAD = "the file was cut short: download it again, or complete it"


@rule("data-truncated", source=_BOUNDS, needs="tensors")
def truncated(c: Context) -> Iterator[Finding]:
    """The file holds all the data of every tensor."""
    doc, layout = c.document, layout_of(c)
    size = doc.file_size
    skip = layout.damaged | layout.at_fault("tensor-offset-past-end", "tensor-offset-wraps")
    cut = []
    for at, tensor in enumerate(c.tensors):
        nbytes = tensor.nbytes
        if at not in skip and nbytes and doc.data_start + tensor.offset + nbytes > size:
            cut.append((doc.data_start + tensor.offset, at, nbytes))
    if not cut:
        return
    start, first, nbytes = min(cut)
    needed = max(start + nbytes for start, _, nbytes in cut)
    there = max(size - start, 0)
    others = f", and {len(cut) - 1} more tensors are incomplete" if len(cut) > 1 else ""
    yield Finding(
        f"{there} of its {nbytes} bytes are there{others}; the file has {size} bytes, "
        f"{needed} are needed: {needed - size} are missing",
        size,
        c.tensor_path(first, "data"),
        _DOWNLOAD,
    )


@rule("header-padding-missing", source=_LOADER, needs="tensors")
def header_padding(c: Context) -> Iterator[Finding]:
    """The padding before the data section is there, even if every tensor is empty."""
    doc = c.document
    if c.tensors and doc.data_start > doc.file_size:
        yield Finding(
            f"the data section starts at {doc.data_start}, the file has {doc.file_size} bytes",
            doc.file_size,
            "data_section",
            _DOWNLOAD if any(tensor.nbytes for tensor in c.tensors) else "append zeros",
        )


@rule("padding-missing", source=_PADDING, llama="warning", needs="tensors")
def final_padding(c: Context) -> Iterator[Finding]:
    """The last tensor is padded: llama.cpp does without, other readers of the data do not."""
    doc, layout = c.document, layout_of(c)
    left = doc.file_size - doc.data_start
    padded = align_up(layout.end, doc.alignment)
    if c.tensors and layout.is_known and layout.end <= left < padded:
        yield Finding(
            f"{padded - left} bytes of padding are missing behind the last tensor",
            doc.file_size,
            "data_section",
            "append it: gguf-construct repair ...",
        )


@rule(
    "trailing-bytes",
    source=_LOADER + " (ignored)",
    llama="warning",
    spec="warning",
    needs="tensors",
)
def trailing(c: Context) -> Iterator[Finding]:
    """Nothing stands behind the padded data."""
    doc, layout = c.document, layout_of(c)
    if not layout.is_known:
        return
    end = align_up(doc.header_end, doc.alignment)
    if c.tensors:
        end = align_up(doc.data_start + layout.end, doc.alignment)
    if doc.file_size > end:
        yield _behind(c, end)


def _behind(c: Context, end: int) -> Finding:
    """What stands behind the data: zeros are filler, another file is not to be lost."""
    doc = c.document
    amount = f"{doc.file_size - end} bytes behind the data belong to nothing"
    head = bytes(doc.buffer[end : end + _LOOK_NBYTES])
    at = head.find(MAGIC)
    if at >= 0:
        place = end + at
        message = f"another GGUF file begins at byte {place}: files were joined, shards perhaps"
        hint = f"cut it out: tail -c +{place + 1} JOINED > second.gguf; the first has {end} bytes"
        return Finding(message, place, "trailing", hint)
    if not head.strip(b"\0"):
        return Finding(
            amount, end, "trailing", "drop them if they are zeros: gguf-construct repair ..."
        )
    hint = (
        "a download that was resumed with an overlap shifts the data: compare the file with its "
        "source; to drop them: gguf-construct repair ... --drop-trailing"
    )
    return Finding(amount, end, "trailing", hint)


@rule(
    "data-without-tensors", source="llama_model_load in llama.cpp", spec="warning", needs="tensors"
)
def data_without_tensors(c: Context) -> Iterator[Finding]:
    """A file without tensors ends with its header: more bytes than padding are lost tensors."""
    doc = c.document
    end = align_up(doc.header_end, doc.alignment)
    if not c.tensors and doc.file_size > end and "shard" not in c.kinds:
        yield Finding(
            f"no tensors are stated, but {doc.file_size - end} bytes follow the header",
            doc.body.at("num_tensors"),
            "num_tensors",
            "the number of tensors is damaged, or their infos are missing",
        )


@rule("padding-nonzero", source=_PADDING, llama="info", spec="warning", needs="tensors")
def zeros(c: Context) -> Iterator[Finding]:
    """Padding is made of zeros; readers skip it."""
    doc, layout = c.document, layout_of(c)
    if not c.tensors:
        yield from _filler(c, doc.header_end, align_up(doc.header_end, doc.alignment))
        return
    yield from _filler(c, doc.header_end, doc.data_start)
    if layout.faults or not layout.is_known:
        return
    for tensor in c.tensors:
        end = tensor.data_offset + (tensor.nbytes or 0)
        if tensor.nbytes and tensor.nbytes % doc.alignment:
            yield from _filler(c, end, align_up(end, doc.alignment))


def _filler(c: Context, start: int, end: int) -> Iterator[Finding]:
    # A hostile alignment makes the padding as long as the file; one page of it tells enough.
    raw = bytes(c.document.buffer[start : min(end, start + _LOOK_NBYTES)])
    if raw.strip(b"\0"):
        at = start + len(raw) - len(raw.lstrip(b"\0"))
        yield Finding("padding that is not zero", at, "padding")


_LOOK_NBYTES = 4096

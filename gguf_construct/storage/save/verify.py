"""Check a file that was just written, before it takes effect.

none     nothing.
header   the header is read again: the pairs and the tensors that it should have are there.
full     the hash of every pair and of every tensor is the same before and after.
kaitai   the reader that the official Kaitai compiler made, which shares no code with the one that
         planned the file, finds the same pairs and tensors.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from ...core.codec import parse
from ...core.sizes import tensor_nbytes
from ...errors import ParseError, VerificationError
from ...planning.reserve import reserve_key
from ..source.source import open_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ..._generated.types import TensorInfo as TensorRecord
    from ...core.document import Document
    from ...core.field import Field
    from ...planning.options import SaveOptions
    from ..source.source import Source

LEVELS = ("none", "header", "full", "kaitai")


def make_check(
    document: Document, source: Source, options: SaveOptions
) -> Callable[[str], None] | None:
    """What `execute_in_place` calls with the path of the written file.

    Args:
        document: it with the edits that were written; for ``full`` it is hashed here and now.
        source: the file that it was read from.
        options: `verify` is one of `LEVELS`.

    Raises:
        VerificationError: no such level.
        TruncatedError: ``full``, and the data of a tensor is not all there.
    """
    level = options.verify
    if level not in LEVELS:
        raise VerificationError(f"{level!r} is no check", hint=f"there are {', '.join(LEVELS)}")
    if level == "none":
        return None
    wanted = content_of(document)  # now: later the file shows something else
    before = _hashes(document, source, options) if level == "full" else None

    def check(path: str) -> None:
        with readable(), open_source(path) as again:
            written = parse(again.buffer, document.limits)
            check_header(wanted, written)
            if before is not None and _hashes(written, again, options) != before:
                raise wrong("the hash of a pair or of a tensor is another one")
            if level == "kaitai":
                _check_kaitai(path, written)

    return check


@contextmanager
def readable() -> Iterator[None]:
    """Turn a failure to read a written file into one of its check."""
    try:
        yield
    except ParseError as error:
        raise wrong(f"it cannot be read again ({error})") from error


def wrong(what: str) -> VerificationError:
    """The error for a file that is not what was to be written."""
    return VerificationError(
        f"the written file failed its check: {what}",
        hint="It was thrown away; the old file is as it was. Please report this.",
    )


def _hashes(document: Document, source: Source, options: SaveOptions) -> str:
    """A hash of everything but the layout, which no byte order and no version changes."""
    from ..read.hash import hash_document

    return hash_document(document, source, progress=options.progress).content


class Content(NamedTuple):
    """What a header says."""

    form: tuple[str, int]
    pairs: list[bytes]
    keys: list[tuple[bytes, int]]
    tensors: list[TensorFacts]


class TensorFacts(NamedTuple):
    """What is compared of a tensor."""

    name: bytes
    dims: tuple[int, ...]
    type: int
    is_whole: bool


def content_of(document: Document, *, values: bool = True) -> Content:
    """What is compared; without `values`, which another form stores as other bytes, but them."""
    fields = fields_of(document)
    return Content(
        (document.order, document.version),
        [field.encoded for field in fields] if values else [],
        [(field.raw_key, field.record.value_type) for field in fields],
        _tensors_of_document(document),
    )


def _tensors_of_document(document: Document) -> list[TensorFacts]:
    tensors = document.tensors
    if tensors.is_changed:
        return sorted(
            TensorFacts(one.record.name, one.record.dims, one.type, is_whole=True)
            for one in tensors.all
        )
    return tensors_of(document.body.tensor_infos, document.data_start, document.file_size)


def tensors_of(
    records: Iterable[TensorRecord], data_start: int, file_size: int
) -> list[TensorFacts]:
    """What is compared of the tensors, by name: their order may change."""
    return sorted(
        TensorFacts(
            one.name,
            one.dims,
            one.ggml_type,
            data_start + one.ofs_data + (tensor_nbytes(one.dims, one.ggml_type) or 0) <= file_size,
        )
        for one in records
    )


def check_header(wanted: Content, written: Document) -> None:
    """Compare the header of a written file.

    Raises:
        VerificationError: the pairs or the tensors are not the wanted ones.
    """
    # In another byte order or version the values are other bytes: `full` compares them.
    is_same_form = (written.order, written.version) == wanted.form
    found = content_of(written, values=is_same_form)
    if found.keys != wanted.keys or (is_same_form and found.pairs != wanted.pairs):
        raise wrong("its metadata are not the ones that were to be written")
    check_tensors(wanted.tensors, found.tensors)


def check_tensors(wanted: list[TensorFacts], found: list[TensorFacts]) -> None:
    """Compare what `tensors_of` gave before and after.

    Raises:
        VerificationError: other tensors, or the data of one are not all there any more.
    """
    if [one[:-1] for one in found] != [one[:-1] for one in wanted]:
        raise wrong("its tensors are not the ones that were to be written")
    if any(was.is_whole and not now.is_whole for was, now in zip(wanted, found, strict=True)):
        raise wrong("the data of a tensor are not all there")


def fields_of(document: Document) -> list[Field]:
    """All pairs but the reserve."""
    reserve = reserve_key()
    return [field for field in document.metadata.fields() if field.key != reserve]


def _check_kaitai(path: str, written: Document) -> None:
    from ...core.kaitai_reader import load_kaitai

    with load_kaitai().Gguf.from_file(path) as found:
        body = found.body
        pairs = [(pair.key.value, int(pair.value_type), _plain(pair)) for pair in body.metadata]
        ours = [
            (field.raw_key, int(field.record.value_type), _ours(field.record.value))
            for field in written.metadata.fields()
        ]
        # NaNs differ from themselves: their text does not.
        if repr(pairs) != repr(ours):
            raise wrong("the Kaitai reader finds other metadata")
        infos = [
            (one.name.value, tuple(dim.value.value for dim in one.dims), one.ofs_data)
            for one in body.tensor_infos
        ]
        if infos != [(one.record.name, one.dims, one.offset) for one in written.tensors.all]:
            raise wrong("the Kaitai reader finds other tensors")
        if infos and body.ofs_data != written.data_start:
            raise wrong("the Kaitai reader finds the data elsewhere")


def _plain(node: Any) -> Any:
    """The value of a Kaitai pair, scalar, string or array."""
    value = node.value
    if hasattr(value, "elements"):
        return [_element(one) for one in value.elements]
    return value.value


def _element(node: Any) -> Any:
    return [_element(one) for one in node.elements] if hasattr(node, "elements") else node.value


def _ours(value: Any) -> Any:
    if not hasattr(value, "elements"):
        return value
    elements = value.elements
    items = elements.iter_raw() if hasattr(elements, "iter_raw") else elements
    return [_ours(one) for one in items]

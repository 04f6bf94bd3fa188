"""Check a file that was just written, before it takes effect.

none     nothing.
header   the header is parsed again: the pairs and the tensors that it should have are there.
full     the hash of every pair and of every tensor is the same before and after.
kaitai   the reader that the official Kaitai compiler made, which shares no code with the one that
         planned the file, finds the same pairs and tensors.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import ParseError, VerificationError
from ..ops.reserve import reserve_key
from .memory import plan_head
from .source import open_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ..core.document import Document
    from ..core.metadata import Field
    from ..core.plan import WritePlan
    from ..core.tensors import TensorInfo
    from ..model import Model

__all__ = ["LEVELS", "Check", "make_check", "make_plan_check"]

LEVELS = ("none", "header", "full", "kaitai")


class Check(NamedTuple):
    """What `write_plan` does to check a file: `meanwhile` it is written, and `after`wards."""

    meanwhile: Callable[[], None] | None
    after: Callable[[str], None] | None


def make_check(
    level: str,
    model: Model,
    reopen: Callable[[str], Model],
    progress: Callable[[int, int], None] | None = None,
) -> Callable[[str], None] | None:
    """What `execute_in_place` calls with the path of the written file.

    Args:
        level: one of `LEVELS`.
        model: the model with the edits that were written; for ``full`` it is hashed here and now.
        reopen: opens the written file.
        progress: called with (bytes done, bytes in all) while tensors are hashed.

    Raises:
        VerificationError: no such level.
        TruncatedError: ``full``, and the data of a tensor is not all there.
    """
    if level not in LEVELS:
        raise VerificationError(f"{level!r} is no check", hint=f"there are {', '.join(LEVELS)}")
    if level == "none":
        return None
    wanted = _content(model)  # now: later the file shows something else
    before = _hashes(model, progress) if level == "full" else None

    def check(path: str) -> None:
        with _readable(), reopen(path) as written:
            _check_header(wanted, written, written.file_size)
            if before is not None and _hashes(written, progress) != before:
                raise _wrong("the hash of a pair or of a tensor is another one")
            if level == "kaitai":
                _check_kaitai(path, written)

    return check


def make_plan_check(
    level: str,
    model: Model,
    plan: WritePlan,
    reopen: Callable[[str], Model],
    progress: Callable[[int, int], None] | None = None,
) -> Check:
    """What `write_plan` needs to check the file that it makes of `plan`; see `make_check`.

    At the level ``header`` the planned header is parsed while the data are still being written;
    when they are, its bytes on the disk are compared with it.
    """
    if level != "header" or plan.header_nbytes is None:
        return Check(None, make_check(level, model, reopen, progress))
    size, nbytes = plan.header_nbytes, plan.nbytes
    planned: list[bytes] = []

    def meanwhile() -> None:
        planned.append(plan_head(plan, [model.source], size))
        with _readable():
            again = model.same_kind(open_source(planned[0]))
            is_same_form = (again.order, again.version) == (model.order, model.version)
            _check_header(_content(model, values=is_same_form), again, nbytes)

    def after(path: str) -> None:
        with open_source(path) as written:
            if written.size != nbytes or written.buffer[:size] != planned[0]:
                raise _wrong("its header on the disk is not the one that was planned")

    return Check(meanwhile, after)


@contextmanager
def _readable() -> Iterator[None]:
    try:
        yield
    except ParseError as error:
        raise _wrong(f"it cannot be read again ({error})") from error


def _wrong(what: str) -> VerificationError:
    return VerificationError(
        f"the written file failed its check: {what}",
        hint="It was thrown away; the old file is as it was. Please report this.",
    )


def _hashes(model: Model, progress: Callable[[int, int], None] | None) -> str:
    """A hash of everything but the layout, which no byte order and no version changes."""
    from .digest import hash_model

    return hash_model(model, progress=progress).content


class _Content(NamedTuple):
    """What a header says."""

    form: tuple[str, int]
    pairs: list[bytes]
    keys: list[tuple[bytes, int]]
    tensors: list[tuple[bytes, tuple[int, ...], int]]
    are_whole: list[bool]


def _content(document: Document, nbytes: int | None = None, values: bool = True) -> _Content:
    """What is compared; without `values`, which another form stores as other bytes, but them."""
    size = document.file_size if nbytes is None else nbytes
    tensors = sorted(document.tensors.all, key=lambda one: one.record.name)
    fields = _fields(document)
    return _Content(
        (document.order, document.version),
        [field.encoded for field in fields] if values else [],
        [(field.raw_key, field.record.value_type) for field in fields],
        [(one.record.name, one.dims, one.type) for one in tensors],
        [_is_whole(one, size) for one in tensors],
    )


def _check_header(wanted: _Content, written: Document, nbytes: int) -> None:
    """Compare a header, which may stand alone, of a file of `nbytes` bytes."""
    # In another byte order or version the values are other bytes: `full` compares them.
    is_same_form = (written.order, written.version) == wanted.form
    found = _content(written, nbytes, is_same_form)
    if found.keys != wanted.keys or (is_same_form and found.pairs != wanted.pairs):
        raise _wrong("its metadata are not the ones that were to be written")
    if found.tensors != wanted.tensors:
        raise _wrong("its tensors are not the ones that were to be written")
    if any(was and not now for was, now in zip(wanted.are_whole, found.are_whole, strict=True)):
        raise _wrong("the data of a tensor are not all there")


def _fields(document: Document) -> list[Field]:
    """All pairs but the reserve."""
    reserve = reserve_key()
    return [field for field in document.metadata.fields() if field.key != reserve]


def _is_whole(tensor: TensorInfo, file_size: int) -> bool:
    nbytes = tensor.nbytes or 0
    return tensor.data_offset + nbytes <= file_size


def _check_kaitai(path: str, written: Document) -> None:
    from ..core.kaitai_reader import load_kaitai

    with load_kaitai().Gguf.from_file(path) as found:
        body = found.body
        pairs = [(pair.key.value, int(pair.value_type), _plain(pair)) for pair in body.metadata]
        ours = [
            (field.raw_key, int(field.record.value_type), _ours(field.record.value))
            for field in written.metadata.fields()
        ]
        # NaNs differ from themselves: their text does not.
        if repr(pairs) != repr(ours):
            raise _wrong("the Kaitai reader finds other metadata")
        infos = [
            (one.name.value, tuple(dim.value.value for dim in one.dims), one.ofs_data)
            for one in body.tensor_infos
        ]
        if infos != [(one.record.name, one.dims, one.offset) for one in written.tensors.all]:
            raise _wrong("the Kaitai reader finds other tensors")
        if infos and body.ofs_data != written.data_start:
            raise _wrong("the Kaitai reader finds the data elsewhere")


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

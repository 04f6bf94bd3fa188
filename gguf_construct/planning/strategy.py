"""Choose how an edited document is saved, so that as few bytes as possible are written.

in-place   only the header is written: it ends where it ended.  Either the padding in front of the
           data section absorbs the change, or the padding key (`planning.reserve`) does.
insert     the file system makes room in front of the data section, which moves up without being
           copied; what the edit does not need of the room goes to the padding key.
replace    a new file takes the place of the old one.
new-file   a new file under another name.

Strategy: the size of the padding key is the only freedom.  Each way asks for a size of its own,
plans the whole new file with it, and compares that plan with the old bytes: whatever is the same
at its place need not be written.  So every way writes exactly what a new file would hold.  A key
that the file does not have yet is added only where the options ask for a reserve.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from .._generated.types import LIMITS
from ..core.sizes import align_up
from ..errors import BuildError
from .layout import plan_layout, table_nbytes
from .options import CHOICES
from .patches import Room, find_patches
from .reserve import find_reserve, reserve_field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.chunks import WritePlan
    from ..core.document import Document
    from ..core.field import Field
    from .options import SaveOptions

LARGE = 64 << 20
"""Smaller files are copied sooner than room is inserted into them."""

_MOST_UNASKED = 1 << 20
"""An alignment may make a reserve larger than asked for, but not by more than this."""

MakeRoom: TypeAlias = Callable[[int, int, int], Room | None]
"""(where the data section starts, bytes needed, alignment) -> room that can be made, or None."""


class FileFacts(NamedTuple):
    """What decides how a file can be saved, besides the document.

    Attributes:
        path: the file to write; None for a model in memory without one.
        is_named: somebody named that file, so all of it is written.
        is_own: it is the document's own file.
        make_room: finds room for an insertion; None where none can be made.
        avoid: why ``auto`` must not touch the file itself but replace it; mostly empty.
    """

    path: str | None = None
    is_named: bool = False
    is_own: bool = True
    make_room: MakeRoom | None = None
    avoid: str = ""


class SavePlan(NamedTuple):
    """How a document will be saved.

    Attributes:
        strategy: one of `planning.options.STRATEGIES`.
        plan: the bytes of the whole new file.
        path: the file to write; None for a model in memory without one.
        is_named: somebody named that file, which may exist only where the options say so.
        patches: (offset in the new file, bytes) to write; for ``in-place`` and ``insert``.
        room: the room to make first; for ``insert``.
        reserve: bytes that the padding key will hold; None without one.
        adds_key: the padding key is new.
        why: why the file has to be copied, in words.
        otherwise: what to do where the file turns out not to be changeable itself (its file system
            cannot make room, views of it are in use); None where that is an error.
    """

    strategy: str
    plan: WritePlan
    path: str | None = None
    is_named: bool = False
    patches: tuple[tuple[int, bytes], ...] = ()
    room: Room | None = None
    reserve: int | None = None
    adds_key: bool = False
    why: str = ""
    otherwise: SavePlan | None = None

    @property
    def is_copy(self) -> bool:
        """Whether a new file is written, rather than the old one changed or left alone."""
        return self.strategy in ("replace", "new-file")


def plan_save(document: Document, facts: FileFacts, options: SaveOptions) -> SavePlan:
    """Plan how to save a document with its edits; nothing is written.

    Raises:
        BuildError: the strategy that was asked for cannot be followed; the message says why.
    """
    strategy = options.strategy
    header = _Header(document, options)
    if facts.is_named:
        if strategy not in ("auto", "new-file", "replace"):
            raise BuildError(f"the strategy {strategy} cannot write a new file")
        found = _new_file(header, "replace" if facts.is_own else "new-file")
        return found._replace(path=facts.path, is_named=True)
    if strategy not in CHOICES:
        raise BuildError(f"there is no strategy {strategy!r}", hint=f"use {', '.join(CHOICES)}")
    if strategy == "new-file":
        raise BuildError("a new file needs another path than the old one")
    if strategy == "replace" or facts.path is None:
        return _new_file(header, "replace")._replace(path=facts.path)
    return _edit(header, facts)._replace(path=facts.path)


def _edit(header: _Header, facts: FileFacts) -> SavePlan:
    strategy = header.options.strategy
    is_auto = strategy == "auto"
    found: SavePlan | str = facts.avoid if is_auto and facts.avoid else ""
    if header.document.tensors.is_changed:
        found = "tensors were edited"
    if not found and strategy != "insert":
        found = _in_place(header)
    may_insert = header.document.file_size >= LARGE and not facts.avoid if is_auto else True
    edited = header.document.tensors.is_changed
    if isinstance(found, str) and strategy != "in-place" and may_insert and not edited:
        more = _insert(header, facts.make_room)
        found = more if isinstance(more, SavePlan) else "; ".join(filter(None, (found, more)))
    if isinstance(found, str) and not is_auto:
        raise BuildError(f"the strategy {strategy} does not work here: {found}", hint=_HINT)
    copied = _new_file(header, "replace")
    if isinstance(found, str):
        return copied._replace(why=found)
    return found._replace(otherwise=copied._replace(path=facts.path)) if is_auto else found


_HINT = "leave --strategy out, or replace the file (--strategy replace)"


class _Header:
    """The sizes that decide: of the header without the padding key, and of the room there is."""

    def __init__(self, document: Document, options: SaveOptions) -> None:
        self.document = document
        self.options = options
        self.old = find_reserve(document)
        self.fields = [one for one in document.metadata.fields() if one is not self.old]
        self.base = _header_nbytes(document, self.fields)
        self.overhead = len(reserve_field(document, 0).encoded)
        self.is_kept = options.reserve is None and not document.is_changed
        _check_reserve(self)

    @property
    def old_nbytes(self) -> int | None:
        """What the padding key holds now; None where there is none."""
        return None if self.old is None else int(self.old.record.value.num_elements)

    @property
    def boundary(self) -> int:
        """Where the header has to end so that nothing behind it moves."""
        return self.document.data_start if self.has_data else self.document.header_end

    @property
    def has_data(self) -> bool:
        """Whether a data section follows, and all its padding is in the file."""
        document = self.document
        return bool(document.tensors.all) and document.data_start <= document.file_size

    @property
    def wants_key(self) -> bool:
        """Whether the padding key is to be there."""
        return self.old is not None if self.options.reserve is None else self.options.reserve > 0

    @property
    def asked_if_moved(self) -> int | None:
        """Bytes to keep free where the data section moves; None where nobody asked for any."""
        options = self.options
        return options.reserve_if_moved if options.reserve is None else options.reserve

    def save(self, nbytes: int | None) -> WritePlan:
        """The plan with so many bytes in the padding key, which goes last; None: without it."""
        fields = self.fields
        if nbytes is not None:
            fields = [*fields, reserve_field(self.document, nbytes)]
        return plan_layout(self.document, self.options.policy, self.options.order, fields)

    def as_it_is(self) -> WritePlan:
        """The plan with the pairs of the document, which nobody edited."""
        return plan_layout(self.document, self.options.policy, self.options.order)

    def left(self, boundary: int) -> int:
        """Bytes for the padding key when the header ends at `boundary`; negative: too few."""
        return boundary - self.base - self.overhead


def _check_reserve(header: _Header) -> None:
    wanted = header.options.reserve or 0
    limit = LIMITS.max_header_nbytes - header.base - header.overhead
    if not 0 <= wanted <= limit:
        raise BuildError(
            f"{wanted} bytes cannot be kept in reserve",
            hint=f"readers take headers of {LIMITS.max_header_nbytes} bytes, which leaves {limit}",
        )


def _new_file(header: _Header, strategy: str) -> SavePlan:
    """Plan a copy of the file with its edits.

    An existing reserve keeps the data section at its offset where it can (file systems then
    share the copied blocks), and is filled up to its old size where it cannot.
    """
    nbytes = _new_reserve(header)
    plan = header.as_it_is() if header.is_kept else header.save(nbytes)
    adds_key = nbytes is not None and header.old is None
    return SavePlan(strategy, plan, reserve=nbytes, adds_key=adds_key)


def _new_reserve(header: _Header) -> int | None:
    if header.is_kept:
        return header.old_nbytes
    asked = header.asked_if_moved
    if not header.wants_key and not asked:
        return None
    if asked is None and header.left(header.boundary) > 0:
        return header.left(header.boundary)
    wanted = max(asked or header.old_nbytes or 0, 1)
    if not header.document.tensors.all:
        return wanted
    size = header.base + header.overhead
    alignment = header.document.metadata.alignment
    return _fitted(align_up(size + wanted, alignment) - size, wanted, alignment)


def _fitted(left: int, wanted: int, alignment: int) -> int:
    """How many of the bytes that are left the padding key takes: all of them, as a rule.

    In front of data with a wild alignment the padding is larger than any reserve: there the key
    takes what is wanted, and padding follows it.
    """
    return wanted if left - wanted < alignment and left - wanted > _MOST_UNASKED else left


def _in_place(header: _Header) -> SavePlan | str:
    reserve = header.options.reserve
    if header.is_kept:
        return _patched(header, header.as_it_is(), header.old_nbytes)
    left = header.left(header.boundary)
    wanted = max(reserve or 0, 1)
    if header.wants_key and left >= wanted:
        nbytes = _fitted(left, max(wanted, header.old_nbytes or 0), header.document.alignment)
        return _patched(header, header.save(nbytes), nbytes)
    if not reserve and _absorbs(header, header.boundary):
        return _patched(header, header.save(None), None)
    if reserve is None and header.asked_if_moved and left > 0:
        return _patched(header, header.save(left), left)
    return _too_large(header)


def _absorbs(header: _Header, boundary: int) -> bool:
    """Whether padding alone fills what is left between the header and `boundary`."""
    slack = header.document.alignment if header.has_data else 1
    return boundary - slack < header.base <= boundary


def _too_large(header: _Header) -> str:
    wanted = header.options.reserve
    if header.base > header.boundary:
        what = f"the header needs {header.base - header.boundary} bytes more than there is room"
    elif wanted:
        what = f"there is no room in the header for {wanted} bytes in reserve"
    else:
        what = f"the header would end {header.boundary - header.base} bytes too early"
    return f"{what}, so the data section moves"


def _insert(header: _Header, make_room: MakeRoom | None) -> SavePlan | str:
    document, start = header.document, header.document.data_start
    has_key = header.wants_key or bool(header.asked_if_moved)
    if not header.has_data or start >= document.file_size:
        return "nothing follows the header that could be moved"
    missing = max(header.asked_if_moved or 0, 1) - header.left(start)
    need = max(missing if has_key else header.base - start, 1)
    room = None if make_room is None else make_room(start, need, document.alignment)
    if room is None:
        return "the file system cannot make room inside a file"
    if room.nbytes - need > _MOST_UNASKED:
        return f"room can be made in pieces of {room.nbytes} bytes only"
    if has_key:
        left = header.left(start + room.nbytes)
        return _patched(header, header.save(left), left, room)
    if _absorbs(header, start + room.nbytes):
        return _patched(header, header.save(None), None, room)
    return "what the header leaves free of inserted room takes the padding key, that is --reserve"


def _patched(
    header: _Header, plan: WritePlan, reserve: int | None, room: Room | None = None
) -> SavePlan | str:
    """The plan as patches of the old file, or why it cannot be told that way."""
    if header.boundary + (room.nbytes if room else 0) > LIMITS.max_header_nbytes:
        return "what stands in front of the data is too large to be edited in place"
    patches = find_patches(header.document, plan, room)
    if patches is None:
        return "the data section has to be laid out again"
    strategy = "insert" if room else "in-place" if patches else "none"
    adds_key = reserve is not None and header.old is None
    return SavePlan(strategy, plan, None, False, patches, room, reserve, adds_key)


def _header_nbytes(document: Document, fields: Sequence[Field]) -> int:
    """Size of the header with these pairs; every width is fixed, so sizes add up."""
    pairs = sum(field.end - field.start for field in fields)
    return document.metadata_start + pairs + table_nbytes(document)

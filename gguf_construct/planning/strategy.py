"""Choose how an edited document is saved, so that as few bytes as possible are written.

in-place   only the header is written: it ends where it ended.  Either the padding in front of the
           data section absorbs the change, or the padding key (`planning.reserve`) does.
insert     the file system makes room in front of the data section, which moves up without being
           copied; what the edit does not need of the room goes to the padding key.
replace    a new file takes the place of the old one.
new-file   a new file under another name.

Strategy: the size of the padding key is the only freedom.  Each way asks for a size of its own,
plans the whole new file with it, and holds that plan against the old bytes: whatever is the same
at its place need not be written.  So every way writes exactly what a new file would hold.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from .._generated.types import LIMITS
from ..core.sizes import align_up
from ..errors import BuildError
from .layout import plan_save
from .patches import Room, find_patches
from .reserve import find_reserve, reserve_field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..core.chunks import WritePlan
    from ..core.document import Document
    from ..core.metadata import Field
    from ..core.tensors import TensorInfo

__all__ = ["STRATEGIES", "MakeRoom", "SavePlan", "Wish", "plan_edit", "plan_new_file"]

STRATEGIES = ("auto", "in-place", "insert", "replace", "new-file")

LARGE = 64 << 20
"""From this size on, an edit may add the padding key unasked, if that spares a copy of the file."""

_MOST_UNASKED = 1 << 20
"""An alignment may make a reserve larger than asked for, but not by more than this."""

MakeRoom: TypeAlias = Callable[[int, int, int], Room | None]
"""(where the data section starts, bytes needed, alignment) -> room that can be made, or None."""


class Wish(NamedTuple):
    """What a save shall do besides the edits.

    Attributes:
        policy: see `planning.layout.plan_save`.
        order: see there, too.
        reserve: bytes to keep for later edits, at least; 0 gives the reserve up, None leaves it
            as it is.
    """

    policy: str | None = None
    order: Sequence[TensorInfo] | None = None
    reserve: int | None = None


class SavePlan(NamedTuple):
    """How a document will be saved.

    Attributes:
        strategy: ``none`` (nothing to do) or one of `STRATEGIES` but ``auto``.
        plan: the bytes of the whole new file.
        patches: (offset in the new file, bytes) to write; for ``in-place`` and ``insert``.
        room: the room to make first; for ``insert``.
        reserve: bytes that the padding key will hold; None without one.
        adds_key: the padding key is new.
        why: why the file has to be copied, in words.
        wish: what was wished for.
    """

    strategy: str
    plan: WritePlan
    patches: tuple[tuple[int, bytes], ...] = ()
    room: Room | None = None
    reserve: int | None = None
    adds_key: bool = False
    why: str = ""
    wish: Wish = Wish()

    @property
    def is_copy(self) -> bool:
        """Whether a new file is written, rather than the old one changed or left alone."""
        return self.strategy in ("replace", "new-file")


class _Header:
    """The sizes that decide: of the header without the padding key, and of the room there is."""

    def __init__(self, document: Document, wish: Wish) -> None:
        self.document = document
        self.wish = wish
        self.old = find_reserve(document)
        self.fields = [one for one in document.metadata.fields() if one is not self.old]
        self.base = _header_nbytes(document, self.fields)
        self.overhead = len(reserve_field(document, 0).encoded)
        self.is_kept = wish.reserve is None and not document.metadata.is_changed
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
        return self.old is not None if self.wish.reserve is None else self.wish.reserve > 0

    def save(self, nbytes: int | None) -> WritePlan:
        """The plan with so many bytes in the padding key, which goes last; None: without it."""
        fields = self.fields
        if nbytes is not None:
            fields = [*fields, reserve_field(self.document, nbytes)]
        return plan_save(self.document, self.wish.policy, self.wish.order, fields)

    def as_it_is(self) -> WritePlan:
        """The plan with the pairs of the document, which nobody edited."""
        return plan_save(self.document, self.wish.policy, self.wish.order)

    def left(self, boundary: int) -> int:
        """Bytes for the padding key when the header ends at `boundary`; negative: too few."""
        return boundary - self.base - self.overhead


def _check_reserve(header: _Header) -> None:
    wanted = header.wish.reserve or 0
    limit = LIMITS.max_header_nbytes - header.base - header.overhead
    if not 0 <= wanted <= limit:
        raise BuildError(
            f"{wanted} bytes cannot be kept in reserve",
            hint=f"readers take headers of {LIMITS.max_header_nbytes} bytes, which leaves {limit}",
        )


def plan_new_file(document: Document, wish: Wish, strategy: str = "new-file") -> SavePlan:
    """Plan a copy of the file with its edits.

    An existing reserve keeps the data section at its offset where it can (file systems then
    share the copied blocks), and is filled up to its old size where it cannot.
    """
    header = _Header(document, wish)
    nbytes = _new_reserve(header)
    plan = header.as_it_is() if header.is_kept else header.save(nbytes)
    adds_key = nbytes is not None and header.old is None
    return SavePlan(strategy, plan, (), None, nbytes, adds_key, "", wish)


def _new_reserve(header: _Header) -> int | None:
    if not header.wants_key or header.is_kept:
        return header.old_nbytes if header.is_kept else None
    if header.wish.reserve is None and header.left(header.boundary) > 0:
        return header.left(header.boundary)
    wanted = max(header.wish.reserve or header.old_nbytes or 0, 1)
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


def plan_edit(
    document: Document,
    wish: Wish,
    strategy: str = "auto",
    *,
    make_room: MakeRoom | None = None,
    avoid: str = "",
) -> SavePlan:
    """Plan an edit of the file itself.

    Args:
        document: the document with its edits.
        wish: what else shall be done.
        strategy: one of `STRATEGIES` but ``new-file``.
        make_room: finds room for an insertion; None where none can be made.
        avoid: why ``auto`` must not touch the file itself; the file is replaced then.

    Raises:
        BuildError: the strategy that was asked for cannot be followed; the message says why.
    """
    if strategy == "replace":
        return plan_new_file(document, wish, "replace")
    is_auto = strategy == "auto"
    if strategy not in STRATEGIES or strategy == "new-file":
        raise BuildError(f"{strategy!r} is no strategy to change a file itself")
    header = _Header(document, wish)
    may_add = not is_auto or document.file_size >= LARGE
    found: SavePlan | str = avoid if is_auto and avoid else ""
    if not found and strategy != "insert":
        found = _in_place(header, may_add)
    if isinstance(found, str) and (strategy == "insert" or (is_auto and may_add and not avoid)):
        more = _insert(header, make_room)
        found = more if isinstance(more, SavePlan) else "; ".join(filter(None, (found, more)))
    if isinstance(found, SavePlan):
        return found
    if not is_auto:
        raise BuildError(f"the strategy {strategy} does not work here: {found}", hint=_HINT)
    return plan_new_file(document, wish, "replace")._replace(why=found)


_HINT = "leave --strategy out, or replace the file (--strategy replace)"


def _in_place(header: _Header, may_add: bool) -> SavePlan | str:
    wish = header.wish
    if header.is_kept:
        return _patched(header, header.as_it_is(), header.old_nbytes)
    left = header.left(header.boundary)
    wanted = max(wish.reserve or 0, 1)
    if header.wants_key and left >= wanted:
        nbytes = _fitted(left, max(wanted, header.old_nbytes or 0), header.document.alignment)
        return _patched(header, header.save(nbytes), nbytes)
    if wish.reserve in (None, 0) and _absorbs(header):
        return _patched(header, header.save(None), None)
    if not header.wants_key and may_add and wish.reserve is None and left > 0:
        return _patched(header, header.save(left), left)
    return _too_large(header)


def _absorbs(header: _Header) -> bool:
    """Whether the padding in front of the data section takes the change up."""
    slack = header.document.alignment if header.has_data else 1
    return header.boundary - slack < header.base <= header.boundary


def _too_large(header: _Header) -> str:
    wanted = header.wish.reserve
    if header.base > header.boundary:
        what = f"the header needs {header.base - header.boundary} bytes more than there is room"
    elif wanted:
        what = f"there is no room in the header for {wanted} bytes in reserve"
    else:
        what = f"the header would end {header.boundary - header.base} bytes too early"
    return f"{what}, so the data section moves"


def _insert(header: _Header, make_room: MakeRoom | None) -> SavePlan | str:
    document, wish = header.document, header.wish
    start = document.data_start
    if not header.has_data or start >= document.file_size:
        return "nothing follows the header that could be moved"
    if wish.reserve == 0:
        return "inserted room needs the padding key"
    need = max(max(wish.reserve or 0, 1) - header.left(start), 1)
    room = None if make_room is None else make_room(start, need, document.alignment)
    if room is None:
        return "the file system cannot make room inside a file"
    if room.nbytes - need > _MOST_UNASKED:
        return f"room can be made in pieces of {room.nbytes} bytes only"
    left = header.left(start + room.nbytes)
    found = _patched(header, header.save(left), left, room)
    return found._replace(strategy="insert") if isinstance(found, SavePlan) else found


def _patched(
    header: _Header, plan: WritePlan, reserve: int | None, room: Room | None = None
) -> SavePlan | str:
    """The plan as patches of the old file, or why it cannot be told that way."""
    if header.boundary + (room.nbytes if room else 0) > LIMITS.max_header_nbytes:
        return "what stands in front of the data is too large to be edited in place"
    patches = find_patches(header.document, plan, room)
    if patches is None:
        return "the data section has to be laid out again"
    strategy = "in-place" if patches or room else "none"
    adds_key = reserve is not None and header.old is None
    return SavePlan(strategy, plan, patches, room, reserve, adds_key, "", header.wish)


def _header_nbytes(document: Document, fields: Sequence[Field]) -> int:
    """Size of the header with these pairs; every width is fixed, so sizes add up."""
    pairs = sum(field.end - field.start for field in fields)
    return document.metadata_start + pairs + document.header_end - document.table_start

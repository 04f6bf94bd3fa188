"""The tensors of a document as a mapping that can be edited.

Strategy: an entry says where its bytes are: in the document's own file, in the file of another
model, or in an array.  So putting a tensor in, taking one out and giving one another name change
a list; no byte moves before the document is saved.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar, overload

from ..errors import BuildError, EditError, KeyNotFoundError
from .new_tensors import make_tensor
from .tensors import TensorInfo
from .values import bytes_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from .._generated.types import GGMLType
    from ..runtime.views import Buffer

_MAX_OVERLAP = 4

_T = TypeVar("_T")


class Tensors(MutableMapping[str, TensorInfo]):
    """The tensors of a document by name, in file order.

    A name that occurs twice gives the first tensor; `all` lists every entry.

    Attributes:
        is_changed: whether they were edited since the file was read.
    """

    def __init__(
        self, entries: list[TensorInfo], buffer: Buffer = b"", byte_order: str = "little"
    ) -> None:
        self._entries = entries
        self.is_changed = False
        self._buffer = buffer
        self._byte_order = byte_order
        self._all: tuple[TensorInfo, ...] | None = None
        self._by_name: dict[str, TensorInfo] | None = None

    @property
    def all(self) -> tuple[TensorInfo, ...]:
        """Every entry, in order."""
        if self._all is None:
            self._all = tuple(self._entries)
        return self._all

    def require_bounded(self, file_size: int) -> None:
        """Refuse tensors that overlap so much that reading all of them means endless work.

        A small hostile file could ask for gigabytes of work that way.  Two names for the same
        bytes are fine.

        Raises:
            BuildError: the tensors have more than four times the bytes of the file.
            TruncatedError: a tensor reaches past the end of the file.
        """
        total = sum(entry.size for entry in self.all)
        if total > _MAX_OVERLAP * file_size:
            raise BuildError(
                f"the tensors claim {total} bytes of a file of {file_size}: they overlap",
                path="tensor_infos",
                hint="the file is damaged or hostile; validate it",
            )

    def _names(self) -> dict[str, TensorInfo]:
        if self._by_name is None:
            # Complete before it can be seen: threads may read the same document.
            by_name: dict[str, TensorInfo] = {}
            for entry in self.all:
                by_name.setdefault(entry.name, entry)
            self._by_name = by_name
        return self._by_name

    def __getitem__(self, name: str) -> TensorInfo:
        try:
            return self._names()[name]
        except KeyError:
            pass
        from .registry import close_matches

        matches = tuple(close_matches(name, list(self._names())))
        hint = f"did you mean {' or '.join(matches)}?" if matches else None
        raise KeyNotFoundError(f"no tensor {name!r}", hint=hint, key=name, matches=matches)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    @overload
    def get(self, name: str) -> TensorInfo | None: ...
    @overload
    def get(self, name: str, default: TensorInfo | _T) -> TensorInfo | _T: ...
    def get(self, name: str, default: Any = None) -> Any:
        """The tensor of that name, or `default` where it is absent."""
        return self._names().get(name, default)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name in self._names()

    def __len__(self) -> int:
        return len(self._names())

    # -- editing -----------------------------------------------------------------------------

    def __setitem__(self, name: str, value: Any) -> None:
        self.set(name, value)

    def set(
        self,
        name: str,
        value: Any,
        type: GGMLType | int | str | None = None,
        *,
        imatrix: npt.NDArray[Any] | None = None,
    ) -> TensorInfo:
        """Put a tensor in, at the place of the one with that name or at the end.

        Args:
            name: its name.
            value: a tensor of any open model, whose bytes are copied when the document is saved;
                an array; or anything with `shape`, `dtype` and `__array__` (a dataset of h5py or
                zarr), which is read when the document is saved.  Dimensions are in numpy's order.
            type: the tensor type to store; an array is quantised to it, which needs the extra
                `quantize` for most types.  The default is the type that `value` has.
            imatrix: float32, the importance of each column, for types that are quantised by it.

        Raises:
            EditError: the name occurs twice.
            BuildError: no tensor type holds such an array, or it cannot be quantised to `type`.
        """
        entry = make_tensor(name, value, type, self._byte_order, imatrix)
        if name not in self:
            return self._append(entry)
        at = self._index(name)
        self._replace([*self.all[:at], entry, *self.all[at + 1 :]])
        return self[name]

    def _append(self, entry: TensorInfo) -> TensorInfo:
        entry = entry.moved(entry.record, len(self._entries))
        names = self._names()  # complete before the list grows
        self._entries.append(entry)
        self._all, self.is_changed = None, True
        names[entry.name] = entry
        return entry

    def __delitem__(self, name: str) -> None:
        self.drop([name])

    def drop(self, names: Iterable[str]) -> None:
        """Take several tensors out.

        Raises:
            KeyNotFoundError: one of them is not there; then all stay.
            EditError: a name occurs twice.
        """
        gone = {self._index(name) for name in names}
        self._replace([entry for at, entry in enumerate(self.all) if at not in gone])

    def rename(self, old: str, new: str) -> TensorInfo:
        """Give a tensor another name.

        Raises:
            KeyNotFoundError: there is no tensor `old`.
            EditError: there is a tensor `new` already, or `old` occurs twice.
        """
        self.rename_all({old: new})
        return self[new]

    def rename_all(self, names: Mapping[str, str]) -> None:
        """Give tensors other names at once, so that two may exchange theirs; old name to new.

        Raises:
            KeyNotFoundError: an old name is not there; then all keep theirs.
            EditError: two tensors would have the same name, or an old name occurs twice.
        """
        places = {self._index(old): new for old, new in names.items()}
        taken = {entry.name for at, entry in enumerate(self.all) if at not in places}
        for new in places.values():
            if new in taken:
                raise EditError(f"there is a tensor {new!r} already", path=new)
            taken.add(new)
        entries = list(self.all)
        for at, new in places.items():
            record = entries[at].record._replace(name=bytes_of(new, "tensor name"))
            entries[at] = entries[at].moved(record, at)
        self._replace(entries)

    def reorder(self, names: Iterable[str]) -> None:
        """Put the tensors in the order of these names, each of which has to be given once.

        Raises:
            EditError: names are missing, repeated or unknown.
        """
        wanted = list(names)
        if sorted(wanted) != sorted(entry.name for entry in self.all):
            raise EditError(
                f"the order has to name each of the {len(self.all)} tensors once",
                hint="sort list(model.tensors)",
            )
        if len(set(wanted)) != len(wanted):
            raise EditError("two tensors have the same name: rename one of them first")
        self._replace([self[name] for name in wanted])

    def clear(self) -> None:
        """Take out every tensor."""
        self._replace([])

    def _index(self, name: str) -> int:
        entry = self[name]
        if len(self._names()) != len(self.all) and (sum(one.name == name for one in self.all) > 1):
            raise EditError(f"two tensors are called {name!r}", path=name)
        return entry.index

    def _replace(self, entries: Sequence[TensorInfo]) -> None:
        self._entries = [
            entry if entry.index == at else entry.moved(entry.record, at)
            for at, entry in enumerate(entries)
        ]
        self._all = self._by_name = None
        self.is_changed = True

    @property
    def origins(self) -> tuple[object, ...]:
        """What holds the bytes of tensors besides the document's own file, each once."""
        found: dict[int, object] = {}
        for entry in self.all if self.is_changed else ():
            if not entry.is_in(self._buffer):
                found.setdefault(id(entry.origin), entry.origin)
        return tuple(found.values())

    def numbers(self) -> list[int]:
        """For each entry of `all` the number of its source: 0 is the document's own file, the
        others are those of `origins`, from 1."""
        if not self.is_changed:
            return [0] * len(self.all)
        places = {id(origin): at for at, origin in enumerate(self.origins, 1)}
        return [0 if entry.is_in(self._buffer) else places[id(entry.origin)] for entry in self.all]

    def __repr__(self) -> str:
        return f"<Tensors of {len(self.all)} entries>"

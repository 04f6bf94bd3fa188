"""What the rules look at: a document, as far as it could be read, and what is known around it."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..._generated.types import BLOCKS, Array, ValueType
from ...core.registry import find, required_keys
from ...core.values import text_of
from ..kinds import Evidence, kinds_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from ..._generated.keys import KeyInfo
    from ..._generated.types import MetadataKv
    from ...core.document import Document
    from ...core.field import Field
    from ...core.registry import Requirement
    from ...core.tensors import TensorInfo
    from ...errors import ParseError


class Context:
    """A file to be validated.

    Attributes:
        document: what could be read of it.
        profile: the profile, see `rules.PROFILES`.
        error: why it could not be read further, or None when all of the header was.
        all_metadata, all_tensors: whether all pairs, all tensor infos could be read.
        file_name: the file's name without folders, or None for bytes in memory.
        siblings: the other shards of its set by file name; the error for one that cannot be
            read.  None when nobody looked for them.
        unfinished: what is known of an edit in place that was cut short, None without one.
        progress: called with (bytes done, bytes in all) while tensor data is read.
        memo: what a rule found out and others need again.
    """

    def __init__(
        self,
        document: Document,
        profile: str,
        *,
        error: ParseError | None = None,
        all_metadata: bool = True,
        all_tensors: bool = True,
        file_name: str | None = None,
        siblings: Mapping[str, Document | Exception] | None = None,
        unfinished: str | None = None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        self.document = document
        self.profile = profile
        self.error = error
        self.all_metadata = all_metadata
        self.all_tensors = all_tensors
        self.file_name = file_name
        self.siblings = siblings
        self.unfinished = unfinished
        self.progress = progress
        self.memo: dict[str, object] = {}
        self._infos: dict[str, KeyInfo | None] = {}

    # -- metadata ----------------------------------------------------------------------------

    @cached_property
    def fields(self) -> list[Field]:
        """The pairs in file order."""
        return self.document.metadata.fields()

    @cached_property
    def records(self) -> dict[str, tuple[int, MetadataKv]]:
        """The first pair of each key: its number and record."""
        found: dict[str, tuple[int, MetadataKv]] = {}
        for at, field in enumerate(self.fields):
            found.setdefault(field.key, (at, field.record))
        return found

    def find(self, key: str) -> KeyInfo | None:
        """What the registry knows of a key of this file."""
        if key not in self._infos:
            self._infos[key] = find(key, self.architecture)
        return self._infos[key]

    def record(self, key: str) -> MetadataKv | None:
        """The (first) pair of a key, or None."""
        found = self.records.get(key)
        return found[1] if found else None

    def scalar(self, key: str) -> Any:
        """The value of a key as bool, int, float or str; None where it is absent or an array."""
        record = self.record(key)
        if record is None or record.value_type == ValueType.ARRAY:
            return None
        if record.value_type == ValueType.STRING:
            return text_of(record.value)
        return bool(record.value) if record.value_type == ValueType.BOOL else record.value

    def integer(self, key: str) -> int | None:
        """The value of a key that holds a whole number, else None."""
        value = self.scalar(key)
        return value if isinstance(value, int) and not isinstance(value, bool) else None

    def text(self, key: str) -> str | None:
        """The value of a key that holds a string, else None."""
        value = self.scalar(key)
        return value if isinstance(value, str) else None

    def array(self, key: str) -> Array | None:
        """The value of a key that holds an array, else None."""
        record = self.record(key)
        if record is None or record.value_type != ValueType.ARRAY:
            return None
        value: Array = record.value
        return value

    def known(self, key: str) -> object:
        """The value of a key for `registry.required_keys`: an array stands for itself."""
        value = self.scalar(key)
        return self.array(key) if value is None else value

    def key_path(self, at: int, part: str = "") -> str:
        """The path of pair number `at`, or of a part of it such as ``value``."""
        return f"metadata[{at}] {shown(self.fields[at].raw_key)}{'.' if part else ''}{part}"

    def place(self, key: str, part: str = "value", name: str = "") -> tuple[int | None, str]:
        """Offset of a field of the pair, and its path or that of `name`; no offset without it."""
        found = self.records.get(key)
        if found is None:
            return None, f"metadata {key!r}"
        return found[1].at(part), self.key_path(found[0], name or part)

    # -- what it is --------------------------------------------------------------------------

    @cached_property
    def architecture(self) -> str | None:
        """The value of general.architecture."""
        return self.text("general.architecture")

    @cached_property
    def kinds(self) -> frozenset[str]:
        """What the file is, see `validation.kinds`."""
        evidence = Evidence(
            self.architecture,
            self.text("general.type"),
            self.records,
            [tensor.name for tensor in self.tensors],
            self.num_shards,
            self.integer("split.no") or 0,
        )
        return kinds_of(evidence)

    @cached_property
    def required(self) -> list[Requirement]:
        """The keys that a file of this kind needs, present or not."""
        return required_keys(self.kinds, self.architecture, self.known, quantized=self.is_quantized)

    def arch(self, suffix: str) -> str:
        """The key of this architecture that ends in `suffix`."""
        return f"{self.architecture}.{suffix}"

    @cached_property
    def is_llama(self) -> bool:
        """Whether llama.cpp's demands count."""
        return self.profile != "spec"

    @cached_property
    def num_shards(self) -> int:
        """The value of split.count; 1 when it is no shard."""
        count = self.integer("split.count")
        return count if count is not None and count > 1 else 1

    # -- tensors -----------------------------------------------------------------------------

    @cached_property
    def tensors(self) -> tuple[TensorInfo, ...]:
        """The tensors in file order."""
        return self.document.tensors.all

    @cached_property
    def is_quantized(self) -> bool:
        """Whether any tensor is stored in blocks."""
        return any(
            tensor.type in BLOCKS and BLOCKS[tensor.type].num_elements > 1
            for tensor in self.tensors
        )

    def tensor_path(self, at: int, part: str = "") -> str:
        """The path of tensor info number `at`, or of a part of it."""
        name = shown(self.tensors[at].record.name)
        return f"tensor_infos[{at}] {name}{'.' if part else ''}{part}"

    def strings(self) -> Iterator[tuple[int, MetadataKv]]:
        """Every pair that holds a string."""
        for at, field in enumerate(self.fields):
            if field.record.value_type == ValueType.STRING:
                yield at, field.record


def shown(name: bytes) -> str:
    """A name in quotes as messages show it, at most 80 bytes of it."""
    return repr(name[:80].decode("utf-8", "backslashreplace"))

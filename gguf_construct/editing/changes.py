"""Edits of metadata, checked against what the model needs before anything changes.

`Metadata.set` refuses what the format cannot hold.  The functions here also refuse what would
break the model (an EOS id outside the vocabulary, a chat template that cannot be parsed) and
say how to insist; they return what changed and what a person should know about it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.field import Field
from ..core.registry import expected_types
from ..core.type_names import parse_spec
from ..errors import KeyNotFoundError, RefusedError, TypeConflictError
from . import checks

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ..core.document import Document


class Change(NamedTuple):
    """One edit: `action` is set, unset or rename; `old` and `new` are shown values."""

    action: str
    key: str
    type: str
    old: Any
    new: Any
    notes: tuple[str, ...] = ()

    @property
    def is_change(self) -> bool:
        """False where the key already had this very value."""
        return self.action != "same"


def edit(
    document: Document,
    changes: Mapping[str, Any],
    *,
    force: bool = False,
    force_type: bool = False,
) -> list[Change]:
    """Apply several edits: key (or ``key:type``) to value, None to remove the key.

    Raises:
        EditError: one of the edits was refused.
        BuildError: the format cannot hold one of the values.

    Whatever is raised, none of the edits was applied.
    """
    before = document.metadata.snapshot()
    done = []
    try:
        for name, value in changes.items():
            key, _, spec = document.metadata.split_type(name)
            if value is None:
                done.append(unset_key(document, key, force=force))
            else:
                done.append(
                    set_value(document, key, value, spec, force=force, force_type=force_type)
                )
    except BaseException:
        document.metadata.restore(before)
        raise
    return done


def set_value(
    document: Document,
    key: str,
    value: Any,
    type: str | None = None,
    *,
    force: bool = False,
    force_type: bool = False,
) -> Change:
    """Set a key, as `Metadata.set` does, after checking that the model can live with it.

    Args:
        document: what to edit.
        key: the key; one that is new goes to the end.
        value: Python data; a Field of any document keeps its exact bytes.
        type: a type spec; the default is a Field's own, the file's type, then the registry's.
        force: set it although the value would break the model.
        force_type: set it although the type is not what readers expect.

    Raises:
        TypeConflictError: the type is not the file's or not the standard one, or the value does
            not fit it.
        RefusedError: the value would break the model.
        AmbiguousKeyError: the key occurs more than once.
    """
    metadata = document.metadata
    if not key and not force:
        raise RefusedError("the key is empty", hint="llama.cpp refuses a file with an empty key")
    own = value.type if isinstance(value, Field) else None
    spec = parse_spec(type) if type else own or metadata.type_for(key, value)
    if not force_type:
        _check_type(document, key, spec)
    elif spec not in expected_types(key, metadata.architecture):
        force = True
    metadata.is_forced |= force
    old = metadata.field(key) if key in metadata else None
    was_changed = metadata.is_changed
    field = metadata.set(key, value, None if own == spec else spec)
    try:
        notes = checks.notes_on(document, field, value, force=force)
    except BaseException:
        metadata.take_back(field, old, was_changed=was_changed)
        raise
    if old is not None and field is old:
        return Change("same", key, field.type, old, field, notes)
    return Change("set", key, field.type, old, field, notes)


def _check_type(document: Document, key: str, spec: str) -> None:
    """An explicit type must be the file's and the registry's."""
    metadata = document.metadata
    expected = expected_types(key, metadata.architecture)
    present = metadata.field(key).type if key in metadata else None
    if spec == present or spec in expected:
        if present is None or spec == present or present not in expected:
            return
        why = f"it is {present} in this file, not {spec}"
    elif expected:
        why = f"this key must be {' or '.join(expected)}; readers refuse {spec}"
    elif present is None:
        return
    else:
        why = f"it is {present} in this file, not {spec}"
    raise TypeConflictError(
        why,
        path=key,
        hint=f"leave the type out, or pass --force-type to insist on {spec}",
        expected=" or ".join(expected) or str(present),
        actual=spec,
    )


def unset_key(
    document: Document, key: str, occurrence: int | None = None, *, force: bool = False
) -> Change:
    """Remove a key; `occurrence` (from 0) chooses among several pairs with the same key.

    With `force` the model may be saved although it needs the key.

    Raises:
        KeyNotFoundError: it is not there.
        AmbiguousKeyError: it occurs more than once and no occurrence was chosen.
    """
    metadata = document.metadata
    if occurrence is None:
        old = metadata.field(key)
        del metadata[key]
    else:
        if key not in metadata:
            raise _missing(document, key)
        old = metadata.remove_occurrence(key, occurrence)
    metadata.is_forced |= force
    return Change("unset", key, old.type, old, None)


def rename_key(document: Document, old: str, new: str, *, force: bool = False) -> Change:
    """Rename a key at its place; with `force` although the model needs the old one.

    Raises:
        KeyNotFoundError, AmbiguousKeyError: as for `Metadata.rename`.
        RefusedError: the new key is empty.
    """
    if not new:
        raise RefusedError("the new key is empty")
    if old not in document.metadata:
        raise _missing(document, old)
    before = document.metadata.field(old)
    if old == new:
        return Change("same", new, before.type, before, before)
    field = document.metadata.rename(old, new)
    document.metadata.is_forced |= force
    notes: tuple[str, ...] = ()
    expected = expected_types(new, document.metadata.architecture)
    if expected and field.type not in expected:
        notes = (f"{new} must be {' or '.join(expected)}; this value is {field.type}",)
    return Change("rename", new, field.type, old, new, notes)


def _missing(document: Document, key: str) -> KeyNotFoundError:
    try:
        document.metadata.field(key)
    except KeyNotFoundError as error:
        return error
    raise AssertionError(key)

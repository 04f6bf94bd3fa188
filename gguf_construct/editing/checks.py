"""What a new metadata value would do to the model: reasons to refuse, and notes.

Each check looks at one kind of key.  The kinds are roles in the registry (spec/keys.yaml), so
no key is named here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._generated.types import DEFAULT_ALIGNMENT
from ..core.hidden_characters import describe_hidden, hidden_characters
from ..core.registry import find, token_type_name
from ..core.token_arrays import SCORES_KEY, TYPES_KEY, token_arrays
from ..errors import RefusedError, TemplateError

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..core.document import Document
    from ..core.field import Field

_MAX_ALIGNMENT = 1 << 20
_FORCE = "pass --force-value to insist (in Python: force=True)"
_MAX_KEY_NBYTES = 65535  # GGUF specification: "at most 2^16-1 bytes long"


def notes_on(
    document: Document,
    field: Field,
    value: Any,
    *,
    force: bool,
) -> tuple[str, ...]:
    """Check a pair that was just set.

    Returns:
        Notes for the person; with `force` also what would have been refused.

    Raises:
        RefusedError: the value would break the model and `force` is off.
    """
    notes = [*_form_notes(field, value)]
    info = find(field.key, document.metadata.architecture)
    checks = [_CHECKS[role] for role in info.roles if role in _CHECKS] if info else []
    if field.record.is_alignment:
        checks.append(_alignment)
    for check in checks:
        try:
            notes += check(document, field)
        except RefusedError as error:
            if not force:
                raise
            notes.append(error.message)
    return tuple(notes)


def refuse_no_text(data: bytes, key: str) -> None:
    """Refuse the bytes of a file that is not the text somebody meant to set.

    Raises:
        RefusedError: it is empty, UTF-16, an HTML page or a pointer to the file.
    """
    start = data[:512].lstrip().lower()
    if not data.strip():
        what = "the file is empty"
    elif data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data[:4]:
        what = "the file is UTF-16 or UTF-32, not UTF-8"
    elif start.startswith((b"<!doctype html", b"<html")):
        what = "the file is an HTML page, probably an error or a log-in"
    elif start.startswith((b"version https://git-lfs", b"version https://xet")):
        what = "the file is a pointer to the file itself (git-lfs or xet): download that"
    else:
        return
    raise RefusedError(what, path=key, hint=_FORCE)


def _form_notes(field: Field, value: Any) -> list[str]:
    notes = []
    if len(field.raw_key) > _MAX_KEY_NBYTES:
        notes.append(f"the key has {len(field.raw_key)} bytes, the specification allows 65535")
    if field.type.startswith("[["):
        notes.append("llama.cpp refuses files with arrays inside arrays")
    if field.type == "float32" and isinstance(value, float) and value == value:
        stored = field.value
        if stored != value:
            notes.append(f"float32 cannot hold {value!r} exactly: stored as {stored!r}")
    if field.type == "string" and "\udc80" <= max(field.value, default="") <= "\udcff":
        notes.append("the text is not valid UTF-8")
    texts = {"key": field.key, "text": field.value if field.type == "string" else ""}
    notes += [
        f"the {name} contains {describe_hidden(found)}"
        for name, text in texts.items()
        if (found := hidden_characters(text))
    ]
    return notes


def _token_id(document: Document, field: Field) -> list[str]:
    tokens = token_arrays(document.metadata).texts
    if tokens is None or tokens.array_length is None or not isinstance(field.value, int):
        return []
    size, token = tokens.array_length, field.value
    if not 0 <= token < size:
        raise RefusedError(
            f"token {token} does not exist: the vocabulary has {size} tokens, 0 to {size - 1}",
            path=field.key,
            hint=_FORCE,
        )
    kind = _token_type(document, token)
    if kind in ("normal", "byte", "unused"):
        text = tokens.value[token]
        return [f"token {token} ({text!r}) is marked {kind}, not control: its text may be printed"]
    return []


def _token_type(document: Document, token: int) -> str | None:
    types = token_arrays(document.metadata).types
    if types is None or types.array_length is None or token >= types.array_length:
        return None
    return token_type_name(int(types.record.value.elements[token]))


def _token_array(document: Document, field: Field) -> list[str]:
    tokens = token_arrays(document.metadata).texts
    if tokens is None or field.array_length is None:
        return []
    if field.key == tokens.key:
        return [] if not field.is_edited else _other_arrays(document, tokens)
    if field.array_length != tokens.array_length:
        raise RefusedError(
            f"{field.array_length} elements for a vocabulary of {tokens.array_length} tokens",
            path=field.key,
            hint=_FORCE,
        )
    return []


def _other_arrays(document: Document, tokens: Field) -> list[str]:
    notes = []
    for key in (SCORES_KEY, TYPES_KEY):
        if key in document.metadata:
            length = document.metadata.field(key).array_length
            if length != tokens.array_length:
                notes.append(f"{key} has {length} elements, not {tokens.array_length}")
    return notes


def _chat_template(document: Document, field: Field) -> list[str]:
    if field.type != "string":
        return []
    from ..templates.static import template_report

    try:
        report = template_report(field.value)
    except TemplateError as error:
        line = f"line {error.line}: " if error.line else ""
        raise RefusedError(
            f"the chat template cannot be parsed: {line}{error.message}",
            path=field.key,
            hint=_FORCE,
        ) from error
    if report.dangers:
        first = report.dangers[0]
        more = len(report.dangers) - 1
        raise RefusedError(
            f"the chat template contains what none needs: line {first.line}: {first.message}"
            + (f" (and {more} more)" if more else ""),
            path=field.key,
            hint=_FORCE,
        )
    return []


def _alignment(document: Document, field: Field) -> list[str]:
    value = field.record.value
    if value <= 0 or value & (value - 1):
        raise RefusedError(
            f"{value} is not a power of two, as every reader requires of an alignment",
            path=field.key,
            hint=_FORCE,
        )
    if value > _MAX_ALIGNMENT:
        raise RefusedError(
            f"an alignment of {value} pads every tensor to that size", path=field.key, hint=_FORCE
        )
    if value % DEFAULT_ALIGNMENT:
        # GGML_ASSERT in ggml-backend: buffers of mapped tensors are aligned to TENSOR_ALIGNMENT.
        why = f"llama.cpp needs an alignment of at least {DEFAULT_ALIGNMENT} to load the model"
        if document.tensors.all:
            raise RefusedError(why, path=field.key, hint=_FORCE)
        return [why]
    return []


_CHECKS: dict[str, Callable[[Document, Field], list[str]]] = {
    "token_id": _token_id,
    "token_array": _token_array,
    "chat_template": _chat_template,
}

"""Rules about the text in strings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..._generated.types import ValueType
from ...core.hidden_characters import HiddenCharacter, describe_hidden, hidden_characters
from ...core.registry import find, keys_with_role
from ...core.values import text_of
from .base import Finding, rule
from .bulk import first_not_utf8

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .context import Context

_HIDDEN = "write it again without them"
_STRINGS = "docs/gguf.md, gguf_string_t (UTF-8)"


@rule("string-not-utf8", source=_STRINGS, llama="warning")
def utf8(c: Context) -> Iterator[Finding]:
    """Strings are UTF-8; llama.cpp passes the bytes on, other readers stop or show other text."""
    for at, record in c.strings():
        try:
            record.value.decode()
        except UnicodeDecodeError as error:
            start = record.end - len(record.value)
            yield Finding(
                f"byte {error.start} of the text (0x{record.value[error.start]:02x}) is not UTF-8",
                start + error.start,
                c.key_path(at, "value"),
                "store the text again as UTF-8",
            )


@rule("array-not-utf8", source=_STRINGS, llama="info")
def arrays_utf8(c: Context) -> Iterator[Finding]:
    """Strings in arrays are UTF-8.  Some vocabularies hold raw bytes on purpose."""
    for at, field in enumerate(c.fields):
        record = field.record
        if record.value_type != ValueType.ARRAY or record.value.element_type != ValueType.STRING:
            continue
        strings = record.value.elements
        wrong = first_not_utf8(strings)
        if wrong is not None:
            yield Finding(
                f"element {wrong} is not UTF-8: {strings.raw(wrong)[:40]!r}",
                strings.offsets[wrong],
                c.key_path(at, f"value.elements[{wrong}]"),
            )


@rule("string-nul", source="gguf_get_val_str in gguf.cpp", llama="info", spec=None)
def nul(c: Context) -> Iterator[Finding]:
    """Strings hold no NUL byte: C readers see them cut there."""
    for at, record in c.strings():
        place = record.value.find(b"\0")
        if place >= 0:
            start = record.end - len(record.value)
            yield Finding(
                f"C readers see only the first {place} of {len(record.value)} bytes",
                start + place,
                c.key_path(at, "value"),
            )


@rule("text-hidden", source="Unicode UAX 9 and UTS 39; practice", llama="warning", spec="warning")
def hidden(c: Context) -> Iterator[Finding]:
    """Keys, texts and names of tensors hold no characters that cannot be seen: invisible ones,
    those that turn the direction of writing, and control characters other than tabs and line ends.
    They hide what a text says from who reads it.  Chat templates have a rule of their own; the
    tokens of a vocabulary may hold anything."""
    templates = {info.key for info in keys_with_role("chat_template")}
    for at, field in enumerate(c.fields):
        if found := _hidden_in(field.key):
            message = f"the key contains {describe_hidden(found)}"
            yield Finding(message, field.record.at("key"), c.key_path(at, "key"), _HIDDEN)
    for at, record in c.strings():
        info = find(c.fields[at].key)
        if info is not None and info.key in templates:
            continue
        if found := _hidden_in(text_of(record.value)):
            message = f"the text contains {describe_hidden(found)}"
            yield Finding(message, record.at("value"), c.key_path(at, "value"), _HIDDEN)
    for at, tensor in enumerate(c.tensors):
        if found := _hidden_in(text_of(tensor.record.name)):
            message = f"the name contains {describe_hidden(found)}"
            yield Finding(message, tensor.record.at("name"), c.tensor_path(at, "name"), _HIDDEN)


def _hidden_in(text: str) -> list[HiddenCharacter]:
    """Without NUL, about which there is a rule of its own."""
    return hidden_characters(text.replace("\0", " "))


@rule("tensor-name-not-utf8", source=_STRINGS, llama="warning")
def tensor_names(c: Context) -> Iterator[Finding]:
    """Names of tensors are UTF-8."""
    for at, tensor in enumerate(c.tensors):
        try:
            tensor.record.name.decode()
        except UnicodeDecodeError as error:
            yield Finding(
                f"byte {error.start} of the name is not UTF-8",
                tensor.record.at("name"),
                c.tensor_path(at, "name"),
                "gguf-py cannot open such a file",
            )

"""Look-ups in the registry of standard metadata keys (spec/keys.yaml).

Strategy: exact keys are found in a dictionary; a key with the architecture's prefix by what
follows that prefix; a numbered or named one by its pattern.  Nothing about a key is written here:
types, roles, requirements and names all come from the generated table.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .._generated.keys import (
    ARCHITECTURES,
    END_OF_GENERATION,
    FILE_TYPE_GUESSED,
    FILE_TYPES,
    KEYS,
    TOKEN_TEXTS,
    TOKEN_TYPES,
    TOKENIZER_DEFAULTS,
    FileType,
    KeyInfo,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from .._generated.keys import Condition

_ARCH = "{arch}."
_ID = "{id}"
_NAME = "{name}"

_EXACT = {info.key: info for info in KEYS}
_BY_SUFFIX = {info.key[len(_ARCH) :]: info for info in KEYS if info.key.startswith(_ARCH)}
_NAMED = tuple((info.key[: -len(_NAME)], info) for info in KEYS if info.key.endswith(_NAME))
# First words that belong to no architecture, so that general.block_count stays unknown.
_RESERVED = frozenset(key.partition(".")[0] for key in _EXACT if not key.startswith(_ARCH))

# No count in a file makes a check enumerate more than this many numbered keys.
_MAX_NUMBERED = 256
# difflib is quadratic in the length: longer keys are not misspelt short ones.
_MAX_COMPARED = 200


def find(key: str, architecture: str | None = None) -> KeyInfo | None:
    """What is known of a key, or None.

    Args:
        key: a key of a file, or a pattern of the registry.
        architecture: the value of general.architecture.  Without it the first word of an
            otherwise unknown key counts as one.
    """
    info = _EXACT.get(key)
    if info is not None:
        return info
    prefix = _prefix(key, architecture)
    if prefix and (info := _BY_SUFFIX.get(key[len(prefix) :])) is not None:
        return info
    for start, named in _NAMED:
        if key.startswith(start) and len(key) > len(start):
            return named
    if any(map(str.isdecimal, words := key.split("."))):
        return _EXACT.get(".".join(_ID if word.isdecimal() else word for word in words))
    return None


def _prefix(key: str, architecture: str | None) -> str:
    if architecture:
        prefix = f"{architecture}."
        return prefix if key.startswith(prefix) else ""
    word, dot, _ = key.partition(".")
    return "" if not word or word in _RESERVED else word + dot


def expected_types(key: str, architecture: str | None = None) -> tuple[str, ...]:
    """The type specs that a key may have, the one to write first; empty for an unknown key."""
    info = find(key, architecture)
    return info.types if info else ()


def concrete(pattern: str, architecture: str) -> str:
    """The key of a registry entry in a file of this architecture."""
    return pattern.replace("{arch}", architecture)


def keys_with_role(role: str) -> list[KeyInfo]:
    """All entries with a role such as "token_id" or "per_layer", aliases included."""
    return [info for info in KEYS if role in info.roles]


def token_roles() -> dict[str, str]:
    """Short name of each special token ("eos") to the key that holds its id."""
    return _tokens("token_id")


def add_token_flags() -> dict[str, str]:
    """Short name of a special token to the flag that has it added to prompts."""
    return _tokens("add_token_flag")


def _tokens(role: str) -> dict[str, str]:
    return {info.token: info.key for info in keys_with_role(role) if not info.alias_of}


def default_token_ids(tokenizer_model: str) -> Mapping[str, int]:
    """Token ids that llama.cpp assumes when the keys are absent, by short name."""
    return TOKENIZER_DEFAULTS.get(tokenizer_model, {})


def token_texts(token: str) -> tuple[str, ...]:
    """Texts by which llama.cpp finds a special token ("eot") whose key is absent."""
    return TOKEN_TEXTS.get(token, ())


def end_of_generation_texts() -> tuple[str, ...]:
    """Texts of tokens at which llama.cpp stops besides EOS, EOT and EOM, whatever the keys say."""
    return END_OF_GENERATION


def aliases_of(key: str) -> list[KeyInfo]:
    """Misspelt, deprecated and other names of a registry key."""
    return [info for info in KEYS if info.alias_of == key]


def is_known_architecture(name: str) -> bool:
    """Whether llama.cpp has a loader of this name."""
    return name in ARCHITECTURES


def file_type(id: int) -> FileType | None:
    """The name of a general.file_type; the flag for guessed ones is taken off."""
    return FILE_TYPES.get(id & ~FILE_TYPE_GUESSED)


def file_type_name(id: int) -> str | None:
    """Name of a general.file_type such as "MOSTLY_Q4_K_M", or None."""
    found = file_type(id)
    return found.name if found else None


def token_type_name(id: int) -> str | None:
    """Name of a value of tokenizer.ggml.token_type such as "control", or None."""
    return TOKEN_TYPES.get(id)


def token_type_id(name: str) -> int:
    """The value of tokenizer.ggml.token_type with this name.  Raises KeyError."""
    return _TOKEN_TYPE_IDS[name]


def token_type_names() -> tuple[str, ...]:
    """The names of token types, by number."""
    return tuple(TOKEN_TYPES[id] for id in sorted(TOKEN_TYPES))


_TOKEN_TYPE_IDS = {name: id for id, name in TOKEN_TYPES.items()}


def close_matches(key: str, present: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """Keys that somebody who typed `key` may have meant, best first.

    Keys that end in what was typed (``context_length``) come before similar spellings.
    """
    from difflib import get_close_matches

    candidates = [name for name in present if len(name) <= _MAX_COMPARED]
    if len(key) > _MAX_COMPARED:
        return ()
    typed = key.lower()
    found = [name for name in candidates if name.lower().endswith(f".{typed}")]
    by_lower = {name.lower(): name for name in candidates}
    found += [by_lower[name] for name in get_close_matches(typed, by_lower, limit)]
    return tuple(dict.fromkeys(found))[:limit]


class Requirement(NamedTuple):
    """A key that a file must or should have: `level` as in `Required.level`."""

    key: str
    level: str
    info: KeyInfo


def required_keys(
    kinds: Iterable[str],
    architecture: str | None,
    value_of: Callable[[str], object],
    *,
    quantized: bool = False,
) -> list[Requirement]:
    """The keys that a file needs, present or not, in the order of the registry.

    Args:
        kinds: what the file is: "model", "vocab", "adapter", "imatrix", "mmproj",
            "controlvector", "shard"; a first shard is also what the whole is.
        architecture: the value of general.architecture; None leaves out keys with its prefix.
        value_of: the value of a key of the file, None where it is absent.
        quantized: whether a tensor is quantised.
    """
    wanted = set(kinds)
    found: list[Requirement] = []
    loader = ARCHITECTURES.get(architecture or "", ()) if "model" in wanted else ()
    for info in KEYS:
        level = "must" if info.key in loader else _level(info, wanted, quantized)
        if not level or (info.key.startswith(_ARCH) and not architecture):
            continue
        condition = info.required.when if info.required and info.key not in loader else None
        if condition and not _holds(condition, architecture or "", value_of):
            continue
        keys = _numbered(info, value_of) if info.indexed_by else [info.key]
        found += [Requirement(concrete(key, architecture or ""), level, info) for key in keys]
    return found


def _level(info: KeyInfo, kinds: set[str], quantized: bool) -> str:
    required = info.required
    if required is None or kinds.isdisjoint(required.files):
        return ""
    return required.level if quantized or not required.quantized else ""


def _holds(condition: Condition, architecture: str, value_of: Callable[[str], object]) -> bool:
    value = value_of(concrete(condition.key, architecture))
    if value is None:
        return False
    if condition.operator == "is":
        if condition.values == ("present",) or not isinstance(value, (str, int, float)):
            return True
        return bool(value)
    if not isinstance(value, (str, int)):
        return False
    return (value in condition.values) == (condition.operator == "in")


def _numbered(info: KeyInfo, value_of: Callable[[str], object]) -> list[str]:
    count = value_of(info.indexed_by)
    if not isinstance(count, int):
        return []
    return [info.key.replace(_ID, str(i)) for i in range(min(count, _MAX_NUMBERED))]

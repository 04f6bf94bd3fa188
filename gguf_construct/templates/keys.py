"""Chat templates in the metadata of a model: keys, names, and the changes that set them.

Strategy: everything here takes and gives plain data (texts, mappings, key changes), so that the
command line, the validator and a browser can use it; the keys come from the registry.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ..core.registry import keys_with_role
from ..errors import TemplateError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

DEFAULT = "default"

_PLAIN_KEY, _NAMED_PATTERN = (info.key for info in keys_with_role("chat_template"))
_NAMES_KEY = keys_with_role("chat_template_names")[0].key
_NAMED_PREFIX = _NAMED_PATTERN.removesuffix("{name}")


def template_key(name: str = DEFAULT) -> str:
    """The metadata key of a template.

    Characters outside ``[A-Za-z0-9]`` become ``_``, as gguf-py's writer does.

    Raises:
        TemplateError: the name is empty.
    """
    if name == DEFAULT:
        return _PLAIN_KEY
    if not name:
        raise TemplateError("a template needs a name")
    return _NAMED_PREFIX + re.sub(r"[^A-Za-z0-9]", "_", name)


def templates_of(metadata: Mapping[str, Any]) -> dict[str, str]:
    """The templates in a model's metadata by name, the plain one as ``default``."""
    found: dict[str, str] = {}
    if isinstance(plain := metadata.get(_PLAIN_KEY), str):
        found[DEFAULT] = plain
    for key in metadata:
        if key.startswith(_NAMED_PREFIX) and isinstance(named := metadata[key], str):
            found[key[len(_NAMED_PREFIX) :]] = named
    return found


def numbered(pairs: Iterable[tuple[str, Any]]) -> dict[str, str]:
    """The templates in metadata pairs by name, every occurrence of a repeated key.

    The second one of the plain template is called ``default#2``.
    """
    found: dict[str, str] = {}
    seen: dict[str, int] = {}
    for key, value in pairs:
        if not isinstance(value, str) or not (key == _PLAIN_KEY or key.startswith(_NAMED_PREFIX)):
            continue
        name = DEFAULT if key == _PLAIN_KEY else key[len(_NAMED_PREFIX) :]
        seen[name] = seen.get(name, 0) + 1
        found[name if seen[name] == 1 else f"{name}#{seen[name]}"] = value
    # The plain one comes first, wherever it is in the file.
    return {name: found[name] for name in sorted(found, key=lambda one: not _is_plain(one))}


def _is_plain(name: str) -> bool:
    return name.partition("#")[0] == DEFAULT


def changes_to_set(
    metadata: Mapping[str, Any], source: str, name: str = DEFAULT
) -> dict[str, str | list[str]]:
    """The keys to set, so that the model has this template under this name.

    A named template is also added to the list of names, which keeps its order.
    """
    key = template_key(name)
    changes: dict[str, str | list[str]] = {key: source}
    if name != DEFAULT:
        names = _names(metadata)
        if key not in map(template_key, names):
            changes[_NAMES_KEY] = [*names, name]
    return changes


def changes_to_unset(
    metadata: Mapping[str, Any], name: str = DEFAULT
) -> dict[str, list[str] | None]:
    """The keys to remove (None) or to set, so that the model has no template of this name.

    Raises:
        TemplateError: there is none.
    """
    key = template_key(name)
    if key not in metadata:
        raise TemplateError(
            f"the model has no chat template {name!r}",
            hint=f"it has: {', '.join(templates_of(metadata)) or 'none'}",
        )
    changes: dict[str, list[str] | None] = {key: None}
    names = _names(metadata)
    left = [other for other in names if template_key(other) != key]
    if name != DEFAULT and left != names:
        changes[_NAMES_KEY] = left or None
    return changes


def _names(metadata: Mapping[str, Any]) -> list[str]:
    names = metadata.get(_NAMES_KEY)
    return [] if names is None or isinstance(names, str) else [str(name) for name in names]

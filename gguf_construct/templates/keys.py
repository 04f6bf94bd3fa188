"""Chat templates of a model: where they are kept, where they come from, whether they are sound.

Strategy: everything here takes and gives plain data (texts, mappings, key changes), so that the
command line, the validator and a browser can use it; the keys come from the registry.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.registry import keys_with_role
from ..errors import TemplateError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "DEFAULT",
    "TokenizerConfig",
    "changes_to_set",
    "changes_to_unset",
    "read_tokenizer_config",
    "template_key",
    "templates_of",
    "templates_of_file",
]

DEFAULT = "default"

_PLAIN_KEY, _NAMED_PATTERN = (info.key for info in keys_with_role("chat_template"))
_NAMES_KEY = keys_with_role("chat_template_names")[0].key
_NAMED_PREFIX = _NAMED_PATTERN.removesuffix("{name}")

# Names under which tokenizer_config.json keeps the special tokens that templates see.
_SPECIAL = ("bos", "eos", "unk", "sep", "pad", "cls", "mask")


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


class TokenizerConfig(NamedTuple):
    """What tokenizer_config.json says of chat: templates by name, special tokens by variable."""

    templates: dict[str, str]
    special_tokens: dict[str, str]


def read_tokenizer_config(text: str) -> TokenizerConfig:
    """Read the text of a tokenizer_config.json, or of an old chat_template.json.

    Raises:
        TemplateError: it is not JSON, or its fields are not what transformers writes.
    """
    try:
        config = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise TemplateError(
            f"not JSON: {error}", line=line, path=f"line {line}" if line else None
        ) from error
    if not isinstance(config, dict):
        raise TemplateError("the JSON is not an object, so it is not a tokenizer configuration")
    tokens: dict[str, str] = {}
    for name in _SPECIAL:
        token = config.get(f"{name}_token")
        content = token.get("content") if isinstance(token, dict) else token
        if isinstance(content, str):
            tokens[f"{name}_token"] = content
    return TokenizerConfig(_config_templates(config.get("chat_template")), tokens)


def _config_templates(value: object) -> dict[str, str]:
    if value is None:
        return {}
    if isinstance(value, str):
        return {DEFAULT: value}
    entries = value if isinstance(value, list) else [value]
    found: dict[str, str] = {}
    for entry in entries:
        name = entry.get("name") if isinstance(entry, dict) else None
        template = entry.get("template") if isinstance(entry, dict) else None
        if not isinstance(name, str) or not isinstance(template, str):
            raise TemplateError("chat_template holds entries without name and template")
        found[name] = template
    return found


def templates_of_file(filename: str, text: str) -> dict[str, str]:
    """The templates in a file of a Hugging Face repository, or in a template file.

    ``*.json`` is read as a tokenizer configuration; anything else is a template, taken verbatim,
    line ends and final newline included.

    Raises:
        TemplateError: the JSON has no template.
    """
    if not filename.lower().endswith(".json"):
        return {DEFAULT: text}
    found = read_tokenizer_config(text).templates
    if not found:
        raise TemplateError(
            f"{filename} has no chat_template",
            hint="newer repositories keep it in chat_template.jinja beside this file",
        )
    return found

"""The files of a Hugging Face repository that say how its model is set up, parsed.

Strategy: plain bytes by file name come in; opening the files is not done here.  The registry of
keys names places in these files as "file:path", see `look_up`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import GGUFError, TemplateError
from ..templates.folder import TEMPLATE_FILES, FolderTemplates, folder_templates, json_object

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FILES", "WANTED", "Repository", "look_up", "parse_repository", "place"]

FILES = {
    "config": "config.json",
    "generation_config": "generation_config.json",
    "tokenizer_config": "tokenizer_config.json",
    "tokenizer": "tokenizer.json",
    "special_tokens_map": "special_tokens_map.json",
    "preprocessor_config": "preprocessor_config.json",
    "adapter_config": "adapter_config.json",
}
"""The JSON files that are read, by the name that the registry has for them."""

WANTED = tuple(dict.fromkeys([*FILES.values(), *TEMPLATE_FILES]))
"""All files that are read, by name or pattern."""

# Sub-configurations of models with several parts; the text model is what a GGUF file holds.
_TEXT_CONFIGS = ("text_config", "llm_config", "language_config", "lm_config")
_NESTED_ROPE = ("rope_parameters.", "rope_parameters.full_attention.")
_NO_TEMPLATES = FolderTemplates({}, {}, {})


class Repository(NamedTuple):
    """What a repository says.

    Attributes:
        files: parsed JSON objects by the names in `FILES`; absent files are left out.
        chat: its chat templates.
    """

    files: Mapping[str, dict[str, Any]]
    chat: FolderTemplates = _NO_TEMPLATES


def parse_repository(files: Mapping[str, bytes]) -> Repository:
    """What the files of a repository say, from their bytes by name.

    Raises:
        GGUFError: there is none of the files, or one of them is not what it should be.
    """
    try:
        parsed = {
            name: json_object(file, files[file]) for name, file in FILES.items() if file in files
        }
        chat = folder_templates(files)
    except TemplateError as error:
        raise GGUFError(error.message, hint=error.hint) from error
    if not parsed and not chat.templates:
        raise GGUFError(
            f"the folder has none of {', '.join(FILES.values())}",
            hint="name the folder of a Hugging Face repository",
        )
    if "config" in parsed:
        parsed["config"] = _with_text_config(parsed["config"])
    return Repository(parsed, chat)


def _with_text_config(config: dict[str, Any]) -> dict[str, Any]:
    merged = dict(config)
    for name in _TEXT_CONFIGS:
        inner = merged.get(name)
        if isinstance(inner, dict):
            merged.update(inner)
    return merged


def look_up(repository: Repository, source: str) -> Any:
    """The value at "file:path", or None; null counts as absent."""
    name, _, path = source.partition(":")
    found = _walk(repository.files.get(name), path)
    if found is None and path.startswith(_NESTED_ROPE[0]):
        found = _walk(repository.files.get(name), path.replace(*_NESTED_ROPE, 1))
    return found


def _walk(value: Any, path: str) -> Any:
    for word in path.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(word)
    return value


def place(source: str) -> str:
    """ "config:a.b" as a person reads it."""
    name, _, path = source.partition(":")
    return f"{FILES.get(name, name)} {path}"

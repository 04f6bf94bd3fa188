"""The chat templates in the files of a Hugging Face folder: names, precedence, contradictions.

Strategy: plain bytes by file name come in, so that every command reads a folder in the same way;
opening the files is not done here.

Sources: `PreTrainedTokenizerBase._from_pretrained` of transformers 5.24: template files replace
whatever tokenizer_config.json says, and chat_template.json is only for processors; so it is the
last resort here.  The pointer: https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md.
"""

from __future__ import annotations

import codecs
import json
from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.values import text_of
from ..errors import TemplateError
from .keys import DEFAULT

if TYPE_CHECKING:
    from collections.abc import Mapping

TOKENIZER_CONFIG = "tokenizer_config.json"
_JINJA, _NAMED, _PROCESSOR = (
    "chat_template.jinja",
    "additional_chat_templates/",
    "chat_template.json",
)
TEMPLATE_FILES = (_JINJA, f"{_NAMED}*.jinja", TOKENIZER_CONFIG, _PROCESSOR)
"""Where a folder may keep its templates, the place that counts first; one is a pattern."""

# Names under which tokenizer_config.json keeps the special tokens that templates see.
_SPECIAL = ("bos", "eos", "unk", "sep", "pad", "cls", "mask")
_LFS_START = b"version https://git-lfs.github.com/spec/"
_LFS_MAX_NBYTES = 1024


class OtherTemplate(NamedTuple):
    """A template that a folder has too, and that does not count."""

    name: str
    file: str
    text: str


class FolderTemplates(NamedTuple):
    """What the files of a folder say of chat.

    Attributes:
        templates: the templates that count, by name; the plain one is "default".
        special_tokens: texts by variable, such as ``eos_token``.
        files: the file of each template, by the template's name.
        others: templates with other texts in places that do not count.
    """

    templates: dict[str, str]
    special_tokens: dict[str, str]
    files: dict[str, str]
    others: tuple[OtherTemplate, ...] = ()


def folder_templates(files: Mapping[str, bytes]) -> FolderTemplates:
    """The templates of a folder as transformers takes them, from its files by name.

    Raises:
        TemplateError: a file is a git-lfs pointer, or not JSON as transformers writes it.
    """
    config = _config(files, TOKENIZER_CONFIG)
    from_files = {
        DEFAULT if name == _JINJA else name[len(_NAMED) : -len(".jinja")]: name
        for name in sorted(files, key=lambda name: (name != _JINJA, name))
        if name == _JINJA or name.startswith(_NAMED)
    }
    places = [(name, file, template_text(file, files[file])) for name, file in from_files.items()]
    for file, content in ((TOKENIZER_CONFIG, config), (_PROCESSOR, _config(files, _PROCESSOR))):
        places += [(name, file, text) for name, text in _config_templates(file, content).items()]
    return _by_precedence(places, _special_tokens(config))


def _config(files: Mapping[str, bytes], file: str) -> dict[str, Any]:
    return json_object(file, files[file]) if file in files else {}


def _by_precedence(
    places: list[tuple[str, str, str]], special_tokens: dict[str, str]
) -> FolderTemplates:
    """The kind of place that comes first counts with all its names; the rest contradicts it."""
    counts = _kind(places[0][1]) if places else ""
    templates = {name: text for name, file, text in places if _kind(file) == counts}
    others = tuple(
        OtherTemplate(name, file, text)
        for name, file, text in places
        if _kind(file) != counts and templates.get(name) != text
    )
    origins = {name: file for name, file, _ in places if _kind(file) == counts}
    return FolderTemplates(templates, special_tokens, origins, others)


def _kind(file: str) -> str:
    return file if file.endswith(".json") else _JINJA


def _config_templates(file: str, config: Mapping[str, Any]) -> dict[str, str]:
    value = config.get("chat_template")
    if value is None:
        return {}
    if isinstance(value, str):
        return {DEFAULT: value}
    found: dict[str, str] = {}
    for entry in value if isinstance(value, list) else [value]:
        name = entry.get("name") if isinstance(entry, dict) else None
        template = entry.get("template") if isinstance(entry, dict) else None
        if not isinstance(name, str) or not name or not isinstance(template, str):
            raise TemplateError(f"{file}: chat_template holds entries without name and template")
        found[name] = template
    return found


def _special_tokens(config: Mapping[str, Any]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name in _SPECIAL:
        token = config.get(f"{name}_token")
        content = token.get("content") if isinstance(token, dict) else token
        if isinstance(content, str):
            found[f"{name}_token"] = content
    return found


def file_templates(file: str, data: bytes) -> FolderTemplates:
    """The templates in one file: a configuration (``*.json``), or a template, verbatim.

    Raises:
        TemplateError: as `folder_templates`; or the configuration has no template.
    """
    if not file.lower().endswith(".json"):
        return FolderTemplates({DEFAULT: template_text(file, data)}, {}, {DEFAULT: file})
    config = json_object(file, data)
    templates = _config_templates(file, config)
    if not templates:
        raise TemplateError(
            f"{file} has no chat_template",
            hint="newer repositories keep it in chat_template.jinja beside this file",
        )
    return FolderTemplates(templates, _special_tokens(config), dict.fromkeys(templates, file))


def template_text(file: str, data: bytes) -> str:
    """The text of a template file, line ends and final newline included.

    Raises:
        TemplateError: it is a git-lfs pointer.
    """
    _refuse_pointer(file, data)
    return text_of(data)


def json_object(file: str, data: bytes) -> dict[str, Any]:
    """The object in a JSON file; a byte order mark before it is passed over.

    Raises:
        TemplateError: it is a git-lfs pointer, not JSON, or not an object.
    """
    _refuse_pointer(file, data)
    text = text_of(data.removeprefix(codecs.BOM_UTF8))
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        line = getattr(error, "lineno", None)
        raise TemplateError(
            f"{file} is not JSON: {error}", line=line, path=f"line {line}" if line else None
        ) from error
    if not isinstance(value, dict):
        raise TemplateError(f"{file} is not a JSON object, but {type(value).__name__}")
    return value


def is_lfs_pointer(data: bytes) -> bool:
    """Whether a file is what git leaves in place of one that git-lfs has not fetched."""
    return len(data) <= _LFS_MAX_NBYTES and data.startswith(_LFS_START)


def _refuse_pointer(file: str, data: bytes) -> None:
    if is_lfs_pointer(data):
        raise TemplateError(
            f"{file} is a git-lfs pointer, not the file itself",
            hint="run `git lfs pull` in that folder",
        )

"""Chat templates in files: a template as it stands, a JSON configuration, a model's folder."""

from __future__ import annotations

from pathlib import Path

from ..._generated.types import MAGIC
from ...core.values import text_of
from ...editing.chat_templates import TemplateSet
from ...errors import TemplateError
from ...templates.keys import DEFAULT, read_tokenizer_config, templates_of_file
from ..write.small_files import read_value

__all__ = ["is_gguf", "read_template_set"]

_CONFIG = "tokenizer_config.json"
# transformers prefers them in this order; its tokens are in tokenizer_config.json all the same.
_SOURCES = ("chat_template.jinja", "chat_template.json", _CONFIG)
_NAMED = "additional_chat_templates"


def is_gguf(path: str) -> bool:
    """Whether a file starts as a GGUF file does."""
    if not Path(path).is_file():
        return False
    with Path(path).open("rb") as file:
        return file.read(len(MAGIC)) == MAGIC


def read_template_set(path: str) -> TemplateSet:
    """The templates and special tokens in a file (``-`` is standard input) or in a folder.

    A folder is read as transformers reads a model's: chat_template.jinja before
    tokenizer_config.json, more templates from additional_chat_templates/.

    Raises:
        OSError: it cannot be read.
        TemplateError: there is no template in it.
    """
    if Path(path).is_dir():
        return _read_folder(Path(path))
    text = _read(path)
    if not path.lower().endswith(".json"):
        return TemplateSet({DEFAULT: text}, {})
    return TemplateSet(templates_of_file(path, text), read_tokenizer_config(text).special_tokens)


def _read(path: str) -> str:
    data = read_value(path)
    # JSON files of some editors start with a mark that JSON does not know.
    if path.lower().endswith(".json"):
        data = data.removeprefix(b"\xef\xbb\xbf")
    return text_of(data)


def _read_folder(folder: Path) -> TemplateSet:
    templates: dict[str, str] = {}
    for name in reversed(_SOURCES):
        if (folder / name).is_file():
            templates.update(_templates(name, _read(str(folder / name))))
    for file in sorted((folder / _NAMED).glob("*.jinja")):
        templates[file.stem] = _read(str(file))
    if not templates:
        raise TemplateError(
            f"{folder} has no chat template", hint=f"looked for {', '.join(_SOURCES)}"
        )
    config = folder / _CONFIG
    tokens = read_tokenizer_config(_read(str(config))).special_tokens if config.is_file() else {}
    return TemplateSet(templates, tokens)


def _templates(name: str, text: str) -> dict[str, str]:
    if name.endswith(".json"):
        return read_tokenizer_config(text).templates
    return {DEFAULT: text}

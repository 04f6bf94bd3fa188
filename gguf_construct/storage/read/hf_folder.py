"""Read the files of a Hugging Face folder that say how its model is set up."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...errors import GGUFError, TemplateError
from ...templates.keys import DEFAULT, read_tokenizer_config
from ...upstream.compare import FILES, Upstream, UpstreamRow, compare_upstream

if TYPE_CHECKING:
    from ...core.document import Document

__all__ = ["diff_upstream", "read_upstream"]

_MAX_NBYTES = 256 << 20
_TEMPLATE = "chat_template.jinja"
_OLD_TEMPLATE = "chat_template.json"
_MORE_TEMPLATES = "additional_chat_templates"
_MAX_TEMPLATES = 100


def diff_upstream(document: Document, folder: str | os.PathLike[str]) -> list[UpstreamRow]:
    """A row for each setting that a model and its Hugging Face folder both could have.

    Raises:
        GGUFError: the folder has none of the files, or one of them is no JSON object.
        OSError: a file cannot be read.
    """
    return compare_upstream(document, read_upstream(folder))


def read_upstream(folder: str | os.PathLike[str]) -> Upstream:
    """What the folder says.  Raises as `diff_upstream`."""
    root = Path(folder)
    os.stat(root)
    files: dict[str, dict[str, Any]] = {}
    for name, filename in FILES.items():
        text = _read(root / filename)
        if text is not None:
            files[name] = _object(root / filename, text)
    templates, origin = _templates(root)
    if not files and not templates:
        raise GGUFError(
            f"{root} has none of {', '.join(FILES.values())}",
            hint="name the folder of a Hugging Face repository",
        )
    return Upstream(files, templates, origin)


def _read(path: Path) -> str | None:
    if not path.is_file():
        return None
    if path.stat().st_size > _MAX_NBYTES:
        raise GGUFError(f"{path} has more than {_MAX_NBYTES} bytes: too many for a configuration")
    return path.read_bytes().decode("utf-8", "replace")


def _object(path: Path, text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise GGUFError(f"{path} is not JSON: {error}") from error
    if not isinstance(value, dict):
        raise GGUFError(f"{path} is no JSON object")
    return value


def _templates(root: Path) -> tuple[dict[str, str], str]:
    """As transformers looks for them: the .jinja file wins over the configuration."""
    found: dict[str, str] = {}
    origin = ""
    for filename in (FILES["tokenizer_config"], _OLD_TEMPLATE):
        text = _read(root / filename)
        if text is None or found:
            continue
        try:
            found = dict(read_tokenizer_config(text).templates)
        except TemplateError as error:
            raise GGUFError(f"{root / filename}: {error}") from error
        origin = f"{filename} chat_template" if found else ""
    text = _read(root / _TEMPLATE)
    if text is not None:
        found[DEFAULT], origin = text, _TEMPLATE
    for path in sorted((root / _MORE_TEMPLATES).glob("*.jinja"))[:_MAX_TEMPLATES]:
        more = _read(path)
        if more is not None:
            found[path.stem] = more
    return found, origin

"""The files of a Hugging Face repository that say how its model is set up, parsed.

Strategy: plain bytes by file name come in; opening the files is not done here.  The registry of
keys names places in these files as "file:path", see `look_up`.  A file that is not what its name
says (a git-lfs pointer, an error message of a server) is left out and listed with the reason.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ..core.values import text_of
from ..errors import GGUFError, TemplateError
from ..templates.folder import (
    TEMPLATE_FILES,
    FolderTemplates,
    folder_templates,
    is_lfs_pointer,
    json_object,
)
from .sentencepiece import PieceModel, read_pieces

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

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

_PIECES = ("tokenizer.model", "spiece.model")
_WORDS, _LINES, _MERGES, _ADDED = "vocab.json", "vocab.txt", "merges.txt", "added_tokens.json"

WANTED = tuple(
    dict.fromkeys([*FILES.values(), *TEMPLATE_FILES, *_PIECES, _WORDS, _LINES, _MERGES, _ADDED])
)
"""All files that are read, by name or pattern."""

# Sub-configurations of models with several parts; the text model is what a GGUF file holds.
_TEXT_CONFIGS = ("text_config", "llm_config", "language_config", "lm_config", "lfm")
_OTHER_PARTS = ("vision", "audio", "talker", "code2wav", "token2wav", "draft", "quantization")
_MAX_DEPTH = 8
_NESTED_ROPE = ("rope_parameters.", "rope_parameters.full_attention.")
_NO_TEMPLATES = FolderTemplates({}, {}, {})


class Repository(NamedTuple):
    """What a repository says.

    Attributes:
        files: parsed JSON objects by the names in `FILES`; absent files are left out.
        chat: its chat templates.
        pieces, pieces_file: its SentencePiece model, if it has one, and the file.
        words, words_file: texts of tokens by id, of vocab.json or vocab.txt.
        merges: the lines of merges.txt.
        added: ids of the tokens in added_tokens.json.
        unread: files that could not be used, each with the reason.
    """

    files: Mapping[str, dict[str, Any]]
    chat: FolderTemplates = _NO_TEMPLATES
    pieces: PieceModel | None = None
    pieces_file: str = ""
    words: Mapping[int, str] = {}
    words_file: str = ""
    merges: tuple[str, ...] = ()
    added: Mapping[str, int] = {}
    unread: Mapping[str, str] = {}


def parse_repository(files: Mapping[str, bytes]) -> Repository:
    """What the files of a repository say, from their bytes by name.

    Raises:
        GGUFError: there is none of the files, or one of them is not what it should be.
    """
    unread = {
        file: "a git-lfs pointer: run `git lfs pull` in that folder"
        for file, data in files.items()
        if is_lfs_pointer(data)
    }
    usable = {file: data for file, data in files.items() if file not in unread}
    if not files:
        raise GGUFError(
            f"the folder has none of {', '.join(FILES.values())}",
            hint="name the folder of a Hugging Face repository",
        )
    try:
        parsed = {
            name: json_object(file, usable[file]) for name, file in FILES.items() if file in usable
        }
        for name, message in [*_error_messages(parsed)]:
            unread[FILES[name]] = f"the message of a server, not the file: {message!r}"
            del parsed[name]
        chat = folder_templates({f: data for f, data in usable.items() if f not in unread})
        words, words_file = _words(usable)
        added = json_object(_ADDED, usable[_ADDED]) if _ADDED in usable else {}
    except TemplateError as error:
        raise GGUFError(error.message, hint=error.hint) from error
    if "config" in parsed:
        parsed["config"] = _with_text_config(parsed["config"])
    pieces, pieces_file = _pieces(usable, unread, "tokenizer" in parsed)
    return Repository(
        parsed,
        chat,
        pieces,
        pieces_file,
        words,
        words_file,
        tuple(_merge_lines(usable.get(_MERGES, b""))),
        {text: at for text, at in added.items() if isinstance(at, int)},
        unread,
    )


def _error_messages(parsed: Mapping[str, dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Files that a server's answer was saved as: {"error": "Invalid credentials ..."}."""
    for name, content in parsed.items():
        message = content.get("error")
        if isinstance(message, str) and len(content) <= 3:
            yield name, message[:100]


def _words(files: Mapping[str, bytes]) -> tuple[dict[int, str], str]:
    if _WORDS in files:
        content = json_object(_WORDS, files[_WORDS])
        return {at: text for text, at in content.items() if isinstance(at, int)}, _WORDS
    if _LINES in files:
        return dict(enumerate(text_of(files[_LINES]).rstrip("\n").split("\n"))), _LINES
    return {}, ""


def _merge_lines(data: bytes) -> Iterator[str]:
    """The merges in merges.txt; its first line may be a comment."""
    for at, line in enumerate(text_of(data).split("\n")):
        parts = line.split()
        if len(parts) == 2 and not (at == 0 and line.startswith("#")):
            yield " ".join(parts)


def _pieces(
    files: Mapping[str, bytes], unread: dict[str, str], has_tokenizer: bool
) -> tuple[PieceModel | None, str]:
    for file in _PIECES:
        if file not in files:
            continue
        try:
            return read_pieces(files[file], file), file
        except GGUFError as error:
            # Some repositories keep a vocabulary of another kind under this name.
            if not has_tokenizer:
                unread[file] = error.message
    return None, ""


def _with_text_config(config: dict[str, Any]) -> dict[str, Any]:
    merged = dict(config)
    for inner in _text_configs(config, _MAX_DEPTH):
        merged.update((name, value) for name, value in inner.items() if value is not None)
    return merged


def _text_configs(config: dict[str, Any], depth: int) -> Iterator[dict[str, Any]]:
    """The configurations of the text model, at any depth, the outer ones first."""
    for name, inner in config.items():
        if not isinstance(inner, dict) or not depth:
            continue
        if name in _TEXT_CONFIGS:
            yield inner
        if not any(part in name for part in _OTHER_PARTS):
            yield from _text_configs(inner, depth - 1)


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

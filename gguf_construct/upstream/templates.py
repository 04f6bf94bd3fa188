"""Chat templates of a model against those of its upstream repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..templates.keys import DEFAULT, template_key, templates_of
from .results import UpstreamRow

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ..core.document import Document
    from .repository import Repository


def template_rows(document: Document, repository: Repository) -> Iterator[UpstreamRow]:
    """A row for each chat template of either side."""
    chat = repository.chat
    templates = templates_of({key: document.metadata[key] for key in _text_keys(document)})
    here = {template_key(name): text for name, text in templates.items()}
    there = {template_key(name): (name, text) for name, text in chat.templates.items()}
    unread = [name for name in repository.unread if name.endswith(".jinja")]
    for key in dict.fromkeys([*here, *there]):
        name, text = there.get(key, (DEFAULT, None))
        where = chat.files.get(name, "")
        ours, theirs = (None if one is None else _size(one) for one in (here.get(key), text))
        if text is None and unread:
            reason = f"{unread[0]} is {repository.unread[unread[0]]}"
            yield UpstreamRow(key, ours, theirs, unread[0], "not comparable", reason)
            continue
        verdict, note = _verdict(here.get(key), text)
        if key != template_key() and not key.endswith(name):
            note = f"its name there is {name!r}"
        if verdict == "differs":
            note = _matches_other(repository, here[key]) or note
        elif not note:
            note = _contradictions(repository, name)
        yield UpstreamRow(key, ours, theirs, where, verdict, note)


def _size(text: str) -> str:
    return f"{len(text)} characters"


def _verdict(here: str | None, there: str | None) -> tuple[str, str]:
    if here is None or there is None:
        return ("missing here" if here is None else "missing there"), ""
    if here == there:
        return "same", ""
    if here.strip() == there.strip():
        return "differs", "only white space at the start or the end differs"
    return "differs", f"from line {_first_line(here, there)}: see `template diff`"


def _matches_other(repository: Repository, here: str) -> str:
    for one in repository.chat.others:
        if one.text == here:
            return f"it is the template of {one.file}, which does not count there"
    return ""


def _contradictions(repository: Repository, name: str) -> str:
    files = [one.file for one in repository.chat.others if one.name == name]
    return f"another one is in {', '.join(files)}" if files else ""


def _text_keys(document: Document) -> list[str]:
    return [key for key in document.metadata if document.metadata.text(key) is not None]


def _first_line(here: str, there: str) -> int:
    lines = zip(here.split("\n"), there.split("\n"), strict=False)
    return next((at for at, (one, other) in enumerate(lines, 1) if one != other), 1)

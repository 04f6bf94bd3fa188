"""What an edit would break: the errors of the header rules after it that were not there before.

Strategy: only rules that the changed keys can break are run, first on the edited pairs; the pairs
of the file are looked at only where that finds errors.  So an edit of a sound model costs one
pass of a few rules, and a model that was broken before can be edited as long as no error is added.
"""

from __future__ import annotations

import re
from collections import Counter
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from ..core.registry import find
from ..errors import RefusedError
from .rules import load
from .rules.context import Context

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from ..core.document import Document
    from ..core.problem import Problem
    from .rules import Rule

_PROFILE = "llama.cpp"
_SHOWN = 5
_ANY_KEY = ("keys", "types")
# Rules of the other subjects look at the tensors and the layout, which no edit of metadata changes.
_SUBJECTS = (
    *_ANY_KEY,
    *("alignment", "architecture", "layers", "tokenizer", "template"),
    *("file_type", "split", "weights"),
)
_OF_TOKENIZER = (*_ANY_KEY, "architecture", "tokenizer")
_OF_TEMPLATES = (*_ANY_KEY, "template")
_OF_TENSORS = ("architecture", "layers", "split", "weights", "adapter", "projector")
# They say how many tokens there are, which shapes of tensors follow from.
_VOCABULARY = frozenset({"tokenizer.ggml.model", "tokenizer.ggml.tokens"})
# Standard keys of other sections, and general.* keys without a role, are text for people.
_PLAIN_SECTION = "general"
_DECISIVE = frozenset(
    {"general.architecture", "general.type", "general.file_type", "general.quantization_version"}
)


def refuse_breaking(document: Document) -> None:
    """Refuse to save edits that would break the model, unless somebody insisted on them.

    Raises:
        RefusedError: a header rule finds an error that the file as it was read does not have;
            `problems` has all of them.
    """
    if document.metadata.is_forced or not document.metadata.is_changed:
        return
    problems = errors_added(document)
    if problems:
        raise RefusedError(
            f"this edit would add {errors_text(problems)}",
            hint="pass --force-value to insist (in Python: force=True)",
            problems=tuple(problems),
        )


def errors_text(problems: Sequence[Problem]) -> str:
    """Errors in one sentence, the first ones by name."""
    listed = "; ".join(f"{one.message} [{one.code}]" for one in problems[:_SHOWN])
    more = f"; and {len(problems) - _SHOWN} more" if len(problems) > _SHOWN else ""
    what = "an error" if len(problems) == 1 else f"{len(problems)} errors"
    return f"{what}: {listed}{more}"


def errors_added(document: Document) -> list[Problem]:
    """The errors that the edited pairs have and the pairs of the file have not."""
    changed = changed_keys(document)
    if not changed:
        return []
    architecture = document.metadata.architecture
    subjects = {one for key in changed for one in _subjects_of(key, architecture)}
    rules = [*_rules_for(changed, subjects)]
    with_loader = "weights" in subjects
    after = [*_errors(rules, _context(document, with_loader=with_loader))]
    if not after:
        return []
    codes = {one.code for one in after}
    context = _context(_AsRead(document), with_loader=with_loader)  # type: ignore[arg-type]
    return _new(after, _errors([one for one in rules if one.code in codes], context))


def tensor_errors(document: Document) -> list[Problem]:
    """The errors of the rules that hold the names, types and shapes of tensors against the keys."""
    rules = [one for one in load(_OF_TENSORS).values() if one.subject in _OF_TENSORS]
    able = [one for one in rules if one.check and not one.reads_data and one.llama == "error"]
    return [*_errors(able, _context(document, with_loader=True))]


def refuse_broken_tensors(document: Document, before: Iterable[Problem]) -> None:
    """Refuse tensors that llama.cpp cannot load, but for the errors that were there `before`.

    Raises:
        RefusedError: there are such tensors; `problems` has all errors.
    """
    problems = _new(tensor_errors(document), before)
    if problems:
        raise RefusedError(
            f"this edit would add {errors_text(problems)}",
            hint="pass --force-value to insist",
            problems=tuple(problems),
        )


def _new(after: Iterable[Problem], before: Iterable[Problem]) -> list[Problem]:
    """The problems of `after` that are not among those of `before`."""
    known = Counter(map(_identity, before))
    added = []
    for one in after:
        if known[_identity(one)]:
            known[_identity(one)] -= 1
        else:
            added.append(one)
    return added


def _context(document: Document, *, with_loader: bool) -> Context:
    """What rules look at; without the loader where no number changed that tensors depend on."""
    context = Context(document, _PROFILE)
    if not with_loader:
        context.memo["replay"] = None
    return context


def changed_keys(document: Document) -> set[str]:
    """Every key with a pair that was set, removed or renamed since the file was read."""
    # A pair that nobody touched is the same object still.
    now = {id(field): field for field in document.metadata.fields()}
    before = {id(field): field for field in document.metadata.as_read}
    return {(now.get(one) or before[one]).key for one in now.keys() ^ before.keys()}


class _AsRead:
    """A document with the metadata that its file has."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self.metadata = document.metadata.copy()
        self.metadata.restore((list(document.metadata.as_read), False))

    def __getattr__(self, name: str) -> object:
        return getattr(self._document, name)


def _rules_for(changed: Collection[str], subjects: Collection[str]) -> Iterator[Rule]:
    """The rules of these subjects with severity error that a change of these keys can break."""
    for one in load([name for name in _SUBJECTS if name in subjects]).values():
        if one.check is None or one.reads_data or one.llama != "error":
            continue
        if one.subject not in subjects:
            continue
        if one.only and not any(fnmatchcase(key, name) for key in changed for name in one.only):
            continue
        yield one


def _subjects_of(key: str, architecture: str | None) -> tuple[str, ...]:
    if key.startswith("tokenizer.chat_template"):
        return _OF_TEMPLATES
    if key.startswith("tokenizer.") and key not in _VOCABULARY:
        return _OF_TOKENIZER
    info = find(key, architecture)
    if info is not None and info.section == _PLAIN_SECTION and key not in _DECISIVE:
        return _SUBJECTS[:3] if info.roles else _ANY_KEY
    return _SUBJECTS


def _errors(rules: Iterable[Rule], context: Context) -> Iterator[Problem]:
    from .validate import run_rule

    for one in rules:
        yield from (found for found in run_rule(one, context) if found.severity == "error")


def _identity(problem: Problem) -> tuple[str, str]:
    """What makes two findings the same, though pairs have other numbers after an edit."""
    return problem.code, re.sub(r"\[\d+\]", "", problem.path or "")

"""Validate: everything that is wrong with a file, each with a code, a place and an advice.

Strategy: read as much as can be read, run every rule of the profile over it, sort what they find
by place.  A rule that a hostile file would make talk without end is cut short.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from ..core.partial import salvage
from ..core.problem import Problem
from ..errors import GGUFError, ValidationError
from .rules import PROFILES, load
from .rules.context import Context
from .rules.parsing import problem_of, states_too_much

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from .._generated.types import Limits
    from ..core.document import Document
    from ..errors import ParseError
    from ..runtime.views import Buffer
    from .rules import Rule

MAX_PER_RULE = 100
"""Findings of one rule that are reported; more add nothing."""

# No pair and no tensor info takes fewer bytes in any version.
_LEAST_NBYTES = 8


class Report(NamedTuple):
    """What is wrong with a file.

    Attributes:
        problems: the findings, by their place in the file.
        profile: what the file was held to.
        error: why the header could not be read to its end, or None.
    """

    problems: tuple[Problem, ...]
    profile: str
    error: ParseError | None = None

    @property
    def ok(self) -> bool:
        """Whether nothing is an error."""
        return not self.errors

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems that are errors."""
        return self._of("error")

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """The problems that are warnings."""
        return self._of("warning")

    def _of(self, severity: str) -> tuple[Problem, ...]:
        return tuple(one for one in self.problems if one.severity == severity)

    @property
    def codes(self) -> frozenset[str]:
        """The codes that occur."""
        return frozenset(one.code for one in self.problems)

    def raise_for_errors(self) -> None:
        """Raise ValidationError, with this report, if there is an error."""
        if self.ok:
            return
        first, more = self.errors[0], len(self.errors) - 1
        raise ValidationError(
            first.message + (f" (and {more} more errors)" if more else ""),
            offset=first.offset,
            path=first.path,
            hint=first.hint,
            report=self,
        )


def validate(
    buffer: Buffer,
    *,
    profile: str = "llama.cpp",
    limits: Limits | None = None,
    data: bool = False,
    file_name: str | None = None,
    siblings: Mapping[str, Document | Exception] | None = None,
    unfinished: str | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Report:
    """Validate the bytes of a file (bytes or a read-only mmap).

    Args:
        profile: ``llama.cpp`` (what its loader accepts and what then works), ``spec`` (the text of
            the format), ``strict`` (the worse of both).
        data: also read the tensor data for NaN and infinities.
        file_name: the file's name without folders; shards are found by it.
        siblings: the other shards beside it by name, the error for one that cannot be read.
        unfinished: what is known of an edit in place that was cut short, None without one.
        progress: called with (bytes done, bytes in all) while data are read.

    Raises:
        ValueError: there is no such profile.
    """
    if profile not in PROFILES:
        raise ValueError(f"{profile!r} is no profile: choose {', '.join(PROFILES)}")
    got = salvage(buffer, limits)
    if got.document is None:
        assert got.error is not None
        problems = [problem_of(got.error)]
        if unfinished:
            problems.insert(0, Problem("edit-unfinished", "error", unfinished))
        return Report(tuple(problems), profile, got.error)
    context = Context(
        got.document,
        profile,
        error=got.error,
        all_metadata=got.all_metadata,
        all_tensors=got.all_tensors,
        file_name=file_name,
        siblings=siblings,
        unfinished=unfinished,
        progress=progress,
    )
    return _report(context, data)


def validate_document(
    document: Document, *, profile: str = "llama.cpp", data: bool = False
) -> Report:
    """Validate a document that is open already, as it stands in its file (edits do not count)."""
    return validate(document.buffer, profile=profile, data=data)


def _report(context: Context, data: bool) -> Report:
    problems = []
    if context.error is not None:
        problems = [_mixed_order(context) or problem_of(context.error)]
    for rule in load().values():
        if rule.check is None or (rule.reads_data and not data):
            continue
        if rule.needs and not context.all_metadata:
            continue
        if rule.needs == "tensors" and not context.all_tensors:
            continue
        problems += run_rule(rule, context)
    problems.sort(key=lambda one: (one.offset is None, one.offset or 0))
    return Report(tuple(problems), context.profile, context.error)


def _mixed_order(context: Context) -> Problem | None:
    """The problem of counts that make sense only in the byte order that the version denies."""
    error, body = context.error, context.document.body
    start, end = body.span("num_tensors")
    if error is None or error.offset not in (start, end) or not states_too_much(error):
        return None
    counts = [body.num_tensors, body.num_metadata]
    width = end - start
    swapped = [
        int.from_bytes(count.to_bytes(width, "little"), "big") if count else 0 for count in counts
    ]
    if max(swapped) * _LEAST_NBYTES > context.document.file_size:
        return None
    return Problem(
        "byte-order-mixed",
        "error",
        f"the version is {context.document.byte_order}-endian, but read in the other byte order "
        f"the counts make sense: {swapped[0]} tensors and {swapped[1]} metadata pairs",
        error.path,
        error.offset,
        "a broken conversion of the byte order: convert the original again",
    )


def run_rule(rule: Rule, context: Context) -> list[Problem]:
    """What a rule finds, at most MAX_PER_RULE times."""
    severity = rule.severity(context.profile)
    if severity is None or rule.check is None:
        return []
    found: list[Problem] = []
    try:
        for one in islice(rule.check(context), MAX_PER_RULE + 1):
            if len(found) == MAX_PER_RULE:
                message = f"more of these; only the first {MAX_PER_RULE} are listed"
                found.append(Problem(rule.code, "info", message))
                break
            found.append(
                Problem(
                    rule.code, one.severity or severity, one.message, one.path, one.offset, one.hint
                )
            )
    except GGUFError as error:
        # A rule that reads on finds bytes that cannot be read: the file, not the rule, is at fault.
        found.append(Problem(rule.code, "warning", f"could not be checked: {error}"))
    return found

"""Rules: small functions that look at a file and yield findings, each under a stable code.

Strategy: a rule is a generator over a `Context`.  Its docstring is its documentation, its
decorator says how bad a breach is in each profile and which reader or text it is from.  Codes
that parsing itself gives are listed here too, so that one table explains every code.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple

from ...core.problem import SEVERITIES

if TYPE_CHECKING:
    from ...core.problem import Severity
    from .context import Context

PROFILES = ("llama.cpp", "spec", "strict")
"""What a file is held to: llama.cpp's loader, the text of the format, or both at once."""

Needs = Literal["", "metadata", "tensors"]
Check = Callable[["Context"], Iterator["Finding"]]


class Finding(NamedTuple):
    """A breach of a rule.  `severity` may be milder than the rule's own."""

    message: str
    offset: int | None = None
    path: str | None = None
    hint: str | None = None
    severity: Severity | None = None


class Rule(NamedTuple):
    """A rule.

    Attributes:
        code: its stable name.
        subject: what it is about, such as ``tensors``.
        doc: what it demands and why.
        source: who demands it: a function of ggml or llama.cpp, or a section of the format.
        llama, spec: how bad a breach is in that profile; None where the rule does not apply.
        needs: ``metadata`` or ``tensors`` if it makes sense only when all of them could be read.
        reads_data: whether it reads the tensor data, which takes long.
        check: the rule itself; None for a code that the parser gives.
        only: patterns of the keys that alone can break it, where it takes long; see
            `validation.edits`.
    """

    code: str
    subject: str
    doc: str
    source: str
    llama: Severity | None
    spec: Severity | None
    needs: Needs = ""
    reads_data: bool = False
    check: Check | None = None
    only: tuple[str, ...] = ()

    def severity(self, profile: str) -> Severity | None:
        """How bad a breach is in a profile; strict takes the worse of the two others."""
        if profile == "llama.cpp":
            return self.llama
        if profile == "spec":
            return self.spec
        asked = (self.llama, self.spec)
        return next((worst for worst in SEVERITIES if worst in asked), None)


RULES: dict[str, Rule] = {}
"""Every rule by its code, once the modules of this package are imported (`rules.load`)."""


def describe(
    code: str, subject: str, doc: str, source: str, severity: Severity | None = "error"
) -> None:
    """List a code that parsing gives: the same in every profile."""
    _add(Rule(code, subject, doc, source, severity, severity))


def rule(
    code: str,
    *,
    source: str,
    llama: Severity | None = "error",
    spec: Severity | None = "error",
    needs: Needs = "",
    reads_data: bool = False,
    only: tuple[str, ...] = (),
) -> Callable[[Check], Check]:
    """Register a check under its code; the module's name is the subject."""

    def register(check: Check) -> Check:
        subject = check.__module__.rpartition(".")[2]
        doc = " ".join((check.__doc__ or "").split())
        _add(Rule(code, subject, doc, source, llama, spec, needs, reads_data, check, only))
        return check

    return register


def _add(added: Rule) -> None:
    if added.code in RULES:
        raise ValueError(f"two rules are called {added.code}")
    RULES[added.code] = added

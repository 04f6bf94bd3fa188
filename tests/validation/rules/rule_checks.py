"""What every rule owes: its breach is reported at the right place, and its neighbour is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from gguf_construct.core.codec import parse
from gguf_construct.errors import ParseError
from gguf_construct.validation.rules import load
from gguf_construct.validation.validate import Report, validate
from tests.validation.rule_cases import RULE_CASES

if TYPE_CHECKING:
    from gguf_construct.core.document import Document
    from tests.validation.rule_case import RuleCase


def cases_of(subject: str) -> list[RuleCase]:
    """The cases of a subject's rules; there are some."""
    found = [case for case in RULE_CASES if load()[case.code].subject == subject]
    assert found, subject
    return found


def _parsed(data: bytes) -> Document | Exception:
    try:
        return parse(data)
    except ParseError as error:
        return error


def report_of(case: RuleCase, which: int) -> Report:
    """The report on the bad file (0) or its good neighbour (1)."""
    how: dict[str, Any] = {
        name: value[which] if isinstance(value, tuple) else value
        for name, value in case.how.items()
    }
    if "siblings" in how:
        how["siblings"] = {name: _parsed(data) for name, data in how["siblings"].items()}
    return validate((case.bad, case.good)[which].data, profile=case.profile, **how)


def check_breach(case: RuleCase) -> None:
    """The rule speaks, and names the field that is wrong."""
    found = [one for one in report_of(case, 0).problems if one.code == case.code]
    assert found
    assert found[0].message
    if case.mark:
        starts = [span.start for span in case.bad.spans if span.path.startswith(case.mark)]
        ends = [span.end for span in case.bad.spans if span.path.startswith(case.mark)]
        starts, ends = starts or [case.bad.at(case.mark)], ends or [case.bad.at(case.mark) + 1]
        assert found[0].offset is not None
        assert min(starts) <= found[0].offset < max(ends)


def check_neighbour(case: RuleCase) -> None:
    """The rule has nothing to say of the file that is right."""
    assert case.code not in report_of(case, 1).codes

"""A file that breaks a rule beside one that does not."""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.support.builders import Built, Model, build


class RuleCase(NamedTuple):
    """`mark` is the builder's name of the first wrong field of `bad`; `how` goes to `validate`."""

    code: str
    bad: Built
    good: Built
    mark: str = ""
    how: dict[str, Any] = {}  # noqa: RUF012  (never changed)
    profile: str = "strict"


def make_case(code: str, bad: Model, good: Model, mark: str = "", **how: Any) -> RuleCase:
    """A case of two models; what else validate takes in `how`."""
    profile = how.pop("profile", "strict")
    return RuleCase(code, build(bad), build(good), mark, how, profile)

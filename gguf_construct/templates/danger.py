"""The finding of a security check."""

from __future__ import annotations

from typing import NamedTuple


class Danger(NamedTuple):
    """Something that no chat template needs.

    Attributes:
        line: where it is, from 1.
        message: what it is, and what it is used for.
        severity: "error"; "warning" where an honest author might have had a reason.
    """

    line: int
    message: str
    severity: str = "error"

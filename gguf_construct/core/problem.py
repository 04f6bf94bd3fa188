"""Problem: one thing that is wrong with a file, where, and what to do about it."""

from __future__ import annotations

from typing import Literal, NamedTuple

Severity = Literal["error", "warning", "info"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""From the worst to the mildest."""


class Problem(NamedTuple):
    """A finding about a file.

    Attributes:
        code: stable name of the rule that was broken, such as ``tensor-offset-overlap``.
        severity: ``error`` (llama.cpp or the format refuses the file, or it does not work as it
            should), ``warning`` (works, but probably not as meant), ``info`` (worth knowing).
        message: what is wrong, without the place.
        path: field path such as ``metadata[3] 'general.name'.value``, or None.
        offset: absolute byte offset of the first wrong field, or None.
        hint: what to do about it, or None.
    """

    code: str
    severity: Severity
    message: str
    path: str | None = None
    offset: int | None = None
    hint: str | None = None

"""What a comparison with an upstream repository gives: one row for each setting."""

from __future__ import annotations

from typing import Any, NamedTuple


class UpstreamRow(NamedTuple):
    """One setting on both sides.

    Attributes:
        key: the metadata key.
        ours: the value here, or None.
        theirs: the value there, or None.
        where: file and path there.
        verdict: ``same``, ``differs``, ``missing here``, ``missing there``, ``not comparable``.
        note: what else a person should know.
    """

    key: str
    ours: Any
    theirs: Any
    where: str
    verdict: str
    note: str = ""

    @property
    def is_difference(self) -> bool:
        """Whether the model would behave differently from its upstream."""
        return self.verdict in ("differs", "missing here")

    @property
    def is_compared(self) -> bool:
        """Whether both sides were looked at."""
        return self.is_difference or self.verdict == "same"

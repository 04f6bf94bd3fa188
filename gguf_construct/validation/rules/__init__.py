"""Validation rules, one module per subject.  `load` imports them all and gives the table."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from .base import PROFILES, Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["PROFILES", "SUBJECTS", "Finding", "Rule", "load"]

SUBJECTS = (
    "parsing",
    "unfinished",
    "header",
    "keys",
    "types",
    "text",
    "alignment",
    "architecture",
    "layers",
    "tokenizer",
    "template",
    "file_type",
    "split",
    "tensors",
    "weights",
    "adapter",
    "imatrix",
    "control_vector",
    "projector",
    "projector_numbers",
    "offsets",
    "extent",
    "zero_tail",
    "data",
)
"""The modules of this package that hold rules, in the order in which they are listed."""


def load(subjects: Iterable[str] = SUBJECTS) -> Mapping[str, Rule]:
    """Every rule of some subjects by its code, in the order of SUBJECTS.

    Modules import each other, so there may be rules of further subjects.
    """
    return _load(tuple(subjects))


@cache
def _load(subjects: tuple[str, ...]) -> Mapping[str, Rule]:
    from importlib import import_module

    from .base import RULES

    for subject in subjects:
        import_module(f".{subject}", __package__)
    # Modules import each other, so the order in which they ran says nothing.
    ordered = sorted(RULES.values(), key=lambda rule: SUBJECTS.index(rule.subject))
    return {rule.code: rule for rule in ordered}

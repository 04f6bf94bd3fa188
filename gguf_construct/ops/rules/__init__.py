"""Validation rules, one module per subject.  `load` imports them all and gives the table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .base import PROFILES, Finding, Rule

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PROFILES", "SUBJECTS", "Finding", "Rule", "load"]

SUBJECTS = (
    "parsing",
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
    "offsets",
    "extent",
    "data",
)
"""The modules of this package that hold rules, in the order in which they are listed."""


def load() -> Mapping[str, Rule]:
    """Every rule by its code."""
    from importlib import import_module

    from .base import RULES

    for subject in SUBJECTS:
        import_module(f".{subject}", __package__)
    return RULES

"""Tests of the examples in docs/."""

from __future__ import annotations

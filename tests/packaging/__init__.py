"""Tests of what is shipped."""

from __future__ import annotations

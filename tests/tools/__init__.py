"""Tests of the build-time tools."""

from __future__ import annotations

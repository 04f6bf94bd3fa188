"""Tests of text and JSON output."""

from __future__ import annotations

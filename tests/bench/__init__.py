"""Tests of the measuring tools: not of any speed."""

from __future__ import annotations

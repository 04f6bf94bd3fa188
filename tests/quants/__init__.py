"""Tests of dequantization."""

from __future__ import annotations

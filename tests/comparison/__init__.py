"""Tests of gguf_construct.comparison."""

from __future__ import annotations

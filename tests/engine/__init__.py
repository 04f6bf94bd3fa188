"""Tests of gguf_construct.engine."""

from __future__ import annotations

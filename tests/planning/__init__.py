"""Tests of gguf_construct.planning."""

from __future__ import annotations

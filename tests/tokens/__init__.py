"""Tests of gguf_construct.tokens."""

from __future__ import annotations

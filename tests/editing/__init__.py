"""Tests of gguf_construct.editing."""

from __future__ import annotations

"""Tests of gguf_construct.templates."""

from __future__ import annotations

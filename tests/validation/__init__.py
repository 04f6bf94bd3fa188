"""Tests of gguf_construct.validation."""

from __future__ import annotations

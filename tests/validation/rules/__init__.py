"""Tests of gguf_construct.validation.rules."""

from __future__ import annotations

"""Tests of gguf_construct.cli.shared."""

from __future__ import annotations

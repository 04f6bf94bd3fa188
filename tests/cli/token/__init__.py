"""Tests of gguf_construct.cli.token."""

from __future__ import annotations

"""Tests of gguf_construct.cli.template."""

from __future__ import annotations

"""Tests of gguf_construct.manifest."""

from __future__ import annotations

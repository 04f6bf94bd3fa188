"""Tests of gguf_construct.ops."""

from __future__ import annotations

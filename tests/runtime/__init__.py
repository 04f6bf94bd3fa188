"""Tests of gguf_construct.runtime."""

from __future__ import annotations

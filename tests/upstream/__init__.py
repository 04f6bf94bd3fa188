"""Tests of gguf_construct.upstream."""

from __future__ import annotations

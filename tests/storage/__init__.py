"""Tests of gguf_construct.storage."""

from __future__ import annotations

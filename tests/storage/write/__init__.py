"""Tests of gguf_construct.storage.write."""

from __future__ import annotations

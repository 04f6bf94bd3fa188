"""Tests of gguf_construct.storage.read."""

from __future__ import annotations

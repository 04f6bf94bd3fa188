"""Tests of gguf_construct.storage.source."""

from __future__ import annotations

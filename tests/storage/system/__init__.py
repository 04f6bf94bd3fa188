"""Tests of gguf_construct.storage.system."""

from __future__ import annotations

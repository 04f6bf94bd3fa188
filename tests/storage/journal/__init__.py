"""Tests of gguf_construct.storage.journal."""

from __future__ import annotations

"""Tests of gguf_construct.storage.save."""

from __future__ import annotations

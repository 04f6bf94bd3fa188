"""Tests of gguf_construct.storage.inplace."""

from __future__ import annotations

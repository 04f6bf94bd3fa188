"""Tests of gguf_construct.byte_map."""

from __future__ import annotations

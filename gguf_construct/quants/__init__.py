"""Dequantization of every ggml tensor type with numpy."""

from __future__ import annotations

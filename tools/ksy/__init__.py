"""Kaitai Struct schemas as typed nodes: load (with line numbers), then resolve."""

from __future__ import annotations

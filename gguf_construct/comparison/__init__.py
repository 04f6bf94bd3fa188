"""Hashes, differences and errors between documents and tensors. Pure."""

from __future__ import annotations

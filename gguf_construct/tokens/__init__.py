"""Vocabulary, spelling and special tokens. Pure."""

from __future__ import annotations

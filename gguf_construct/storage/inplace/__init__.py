"""Changing a file where it lies, and recovering it."""

from __future__ import annotations

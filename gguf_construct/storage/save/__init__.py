"""Carrying out a plan to save, and checking the result."""

from __future__ import annotations

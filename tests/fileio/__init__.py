"""The writers: each way to write, whole, broken off, and refused."""

from __future__ import annotations

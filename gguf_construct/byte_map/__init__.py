"""Which byte of a file means what. Pure."""

from __future__ import annotations

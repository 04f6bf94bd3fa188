"""Writing new files from plans."""

from __future__ import annotations

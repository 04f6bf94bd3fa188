"""Reading open files for hashes, differences and checks."""

from __future__ import annotations

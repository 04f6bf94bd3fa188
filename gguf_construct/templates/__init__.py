"""Chat templates: checked, rendered and compared."""

from __future__ import annotations

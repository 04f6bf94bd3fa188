"""What must hold for any document and any bytes."""

from __future__ import annotations

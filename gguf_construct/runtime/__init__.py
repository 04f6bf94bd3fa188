"""What generated code stands on: views, strings, packing, tracing. Knows nothing of GGUF."""

from __future__ import annotations

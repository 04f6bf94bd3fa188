"""Small faults planted in the package one at a time: does a test notice?"""

from __future__ import annotations

"""Plans of new bytes: layout, conversion, strategies, patches. Pure: nothing is opened."""

from __future__ import annotations

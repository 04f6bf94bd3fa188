"""The next version of the format, tried out: it must cost edits of the schema, and nothing else.

A copy of the project gets a version with a new field in the header and one in each tensor info, a
new value type and a new tensor type, all by edits of `spec/`.  The generator makes the rest, and
cases with hand-made files of that version are run over the copy.
"""

from __future__ import annotations

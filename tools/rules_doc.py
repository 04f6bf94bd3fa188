"""Write docs/rules.md from the table of rules: ``python -m tools.rules_doc [--check]``."""

from __future__ import annotations

import sys
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from gguf_construct.validation.rules import load

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from gguf_construct.validation.rules import Rule

DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "rules.md"
_HEAD = """\
# Validation rules

Written by `python -m tools.rules_doc` from `gguf_construct/validation/rules/`;
`gguf-construct validate --list-rules` prints the same table. Codes are stable. A severity of -
means that the profile does not ask for it; the profile `strict` takes the worse of the two. In
the profile `llama.cpp` an error means that llama.cpp refuses the file, dies of it, or runs it
wrongly. One finding may be milder than its rule.
"""


def render() -> str:
    """The text of docs/rules.md."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield _HEAD
    for subject, rules in groupby(load().values(), lambda rule: rule.subject):
        yield f"## {subject.replace('_', ' ')}"
        yield ""
        yield "| code | llama.cpp | spec | demands | source |"
        yield "|---|---|---|---|---|"
        yield from map(_row, rules)
        yield ""


def _row(rule: Rule) -> str:
    cells = (f"`{rule.code}`", rule.llama or "-", rule.spec or "-", rule.doc, rule.source)
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def main(arguments: Sequence[str]) -> int:
    """Write the document, or with --check compare it; the exit code."""
    text = render()
    if "--check" not in arguments:
        DOCUMENT.write_text(text, encoding="utf-8", newline="\n")
        return 0
    if DOCUMENT.exists() and DOCUMENT.read_text(encoding="utf-8") == text:
        return 0
    print("docs/rules.md is out of date: run python -m tools.rules_doc", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

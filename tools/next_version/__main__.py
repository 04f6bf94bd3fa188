"""python -m tools.next_version: add a version to a copy of the schema and try everything on it.

It must pass with the named facts of the schema, and fail without any one of them.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import TYPE_CHECKING

from tools.emit import render_all
from tools.generate import SPEC
from tools.next_version.answers import todays_answers
from tools.next_version.edits import FACTS, only_a_header_field, with_next_version, without_fact
from tools.next_version.numbers import ANSWERS
from tools.next_version.scratch import (
    SCRATCH,
    ScratchError,
    generate,
    make_copy,
    read_spec,
    run,
    write_spec,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CASES = "tools/next_version/cases.py"
# Of the suite: what reads, builds and converts today's files, which the new version must not hurt.
SUITE = (
    "tests/core/test_codec.py",
    "tests/core/test_partial.py",
    "tests/roundtrip/test_construct.py",
    "tests/planning/test_convert.py",
    "tests/manifest/test_values.py",
    "tests/byte_map/test_spans.py",
)
_PYTEST = ("-m", "pytest", "-q", "--no-header", "-p", "no:cacheprovider", "-p", "no:hypothesis")
_MOST_GROWTH = 0.10


def growth(spec: Mapping[str, str]) -> dict[str, float]:
    """By how much a field in the header makes each codec longer, as a fraction."""

    def lines(texts: Mapping[str, str]) -> dict[str, int]:
        files = render_all(lambda name: texts[name], lambda *_: "")
        return {name: text.count("\n") for name, text in files.items() if "codec_" in name}

    before, after = lines(spec), lines(only_a_header_field(spec))
    return {name: after[name] / before[name] - 1 for name in before}


def check_growth() -> bool:
    """Whether a codec keeps its size."""
    found = growth(read_spec(SPEC))
    shown = ", ".join(f"{name} {share:.1%}" for name, share in found.items())
    print(f"one more field in the header makes a codec longer by: {shown}")
    return max(found.values()) < _MOST_GROWTH


def prepare(fact: str | None = None) -> None:
    """A fresh copy with the next version, where named without a fact.  Raises ScratchError."""
    make_copy()
    spec = with_next_version(read_spec(SPEC))
    write_spec(SCRATCH, spec if fact is None else without_fact(spec, fact))
    generate(SCRATCH, with_kaitai=fact is None)
    (SCRATCH / ANSWERS.name).write_text(json.dumps(todays_answers()), encoding="utf-8")


def passes(*tests: str, options: Sequence[str] = ()) -> bool:
    """Whether these tests pass in the copy; what they say is printed where they do not."""
    done = run(SCRATCH, [*_PYTEST, *options, *tests])
    print(done.stdout.strip().splitlines()[-1] if done.returncode == 0 else done.stdout)
    return done.returncode == 0


def fails_without(fact: str) -> bool:
    """Whether the cases notice that a fact is missing."""
    spec = with_next_version(
        {path.name: path.read_text(encoding="utf-8") for path in SPEC.iterdir()}
    )
    write_spec(SCRATCH, without_fact(spec, fact))
    generate(SCRATCH, with_kaitai=False)
    done = run(SCRATCH, [*_PYTEST, "-x", "-k", "not kaitai", CASES])
    failed = done.returncode == 1
    print(f"without {fact}: {'noticed' if failed else 'NOT NOTICED'}")
    return failed


def main(arguments: Sequence[str] | None = None) -> int:
    """0 when the next version costs nothing but edits of the schema."""
    parser = argparse.ArgumentParser(prog="python -m tools.next_version", description=__doc__)
    parser.add_argument(
        "--without", choices=sorted(FACTS), help="only show how the cases fail without this fact"
    )
    options = parser.parse_args(arguments)
    try:
        prepare(options.without)
        if options.without is not None:
            return 0 if passes(CASES, options=("-k", "not kaitai")) else 1
        results = [check_growth(), passes(CASES), passes(*SUITE)]
        results += [fails_without(fact) for fact in FACTS]
    except ScratchError as error:
        print(f"tools.next_version: {error}", file=sys.stderr)
        return 2
    return 0 if all(results) else 1


if __name__ == "__main__":
    raise SystemExit(main())

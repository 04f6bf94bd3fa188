"""Write docs/agreement.md, what llama.cpp and we say of each bad file.

Usage: ``python -m tests.support.agreement``.  The verdicts of ggml's loader and of llama.cpp are
those that stand in the cases; other tests hold a real llama.cpp to them.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from gguf_construct.validation.validate import validate

from .cases import BAD
from .cases_model import MODEL_CASES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .case_types import BadCase
    from .cases_model import ModelCase

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "agreement.md"
# What each file of a few keys and one tensor gets, because it is no whole model.
NO_MODEL = frozenset({"key-missing", "tensor-missing", "no-tensors", "tensor-unexpected"})
_MOST_CODES = 3

_HEAD = """\
# Agreement with llama.cpp

What happens to hand-made bad files: in ggml's own loader (`gguf_init_from_file`), in llama.cpp
where the file is a whole model, and in `gguf-construct validate` with the profile llama.cpp.
Written by `python -m tests.support.agreement`. The first two columns are held against a real
llama.cpp by `tests/test_support.py` (package xllamacpp), the last by this table's own test.

No file that llama.cpp refuses passes. The other way round, these are errors to us although
llama.cpp loads the file, because it then runs wrongly: {stricter}.
"""


def is_agreed(case: ModelCase) -> bool:
    """Whether we and llama.cpp say the same of a model."""
    return validate(case.data, file_name="model.gguf").ok == (case.llama == "accepts")


def render() -> str:
    """The text of docs/agreement.md."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    stricter = [case.name for case in MODEL_CASES if not is_agreed(case)]
    yield _HEAD.format(stricter=", ".join(f"`{name}`" for name in stricter))
    yield "## Files"
    yield ""
    yield "| file | ggml's loader | validate | codes |"
    yield "|---|---|---|---|"
    for case in BAD:
        codes = _codes(case)
        yield f"| {case.name} | {case.ggml} | {_verdict(bool(codes))} | {_shown(codes)} |"
    yield ""
    yield "## Whole models"
    yield ""
    yield "| file | ggml's loader | llama.cpp | validate | codes |"
    yield "|---|---|---|---|---|"
    for case in MODEL_CASES:
        report = validate(case.data, file_name="model.gguf")
        codes = [one.code for one in report.problems if one.severity != "info"]
        verdict = _verdict(not report.ok)
        yield f"| {case.name} | {case.ggml} | {case.llama} | {verdict} | {_shown(codes)} |"


def _codes(case: BadCase) -> list[str]:
    return [one.code for one in validate(case.data).errors if one.code not in NO_MODEL]


def _verdict(refused: bool) -> str:
    return "refuses" if refused else "accepts"


def _shown(codes: list[str]) -> str:
    distinct = list(dict.fromkeys(codes))
    more = ", ..." if len(distinct) > _MOST_CODES else ""
    return ", ".join(f"`{code}`" for code in distinct[:_MOST_CODES]) + more


if __name__ == "__main__":
    DOCUMENT.write_text(render(), encoding="utf-8", newline="\n")

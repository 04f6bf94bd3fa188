"""Files that end in tensors of zeros, and such as have zeros for other reasons."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.builders import Model, Tensor
from tests.support.cases_valid import base
from tests.validation.rule_case import RuleCase, make_case

if TYPE_CHECKING:
    from collections.abc import Iterator

_NBYTES = 8192


def _model(*contents: bytes) -> Model:
    """A model with a tensor of F32 for each of some contents."""
    return base(
        tensors=tuple(
            Tensor(b"t%d" % at, (len(content) // 4,), 0, content)
            for at, content in enumerate(contents)
        )
    )


def tail_cases() -> Iterator[RuleCase]:
    """Looked at in three places, and read whole."""
    ones, zeros, small = b"\0\0\x80\x3f" * (_NBYTES // 4), bytes(_NBYTES), bytes(32)
    cut = _model(ones, zeros, zeros)
    accidents = (_model(ones, ones, zeros), _model(ones, small, small), _model(zeros, zeros))
    for code in ("data-zero-tail", "data-unwritten"):
        how = {"data": True} if code == "data-unwritten" else {}
        for good in accidents:
            yield make_case(code, cut, good, "tensors[1].data", **how)
    hidden = bytes(_NBYTES // 4) + b"\0\0\x80\x3f" + bytes(_NBYTES * 4)
    yield make_case("data-unwritten", cut, _model(ones, hidden, zeros[:64]), data=True)

"""What people ask of a document once it is open; each answer is a value or a GGUFError."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from gguf_construct.comparison.diff import diff_metadata, diff_tensors, layout_notes
from gguf_construct.comparison.tensor_list import SORTS, select_tensors, type_totals
from gguf_construct.core.shard_names import shard_of
from gguf_construct.editing.chat_templates import template_set
from gguf_construct.errors import GGUFError
from gguf_construct.model import open_model
from gguf_construct.planning.layout import plan_layout
from gguf_construct.tokens.search import find_tokens
from gguf_construct.tokens.special import special_tokens, stop_tokens
from gguf_construct.validation.repair import plan_repair

if TYPE_CHECKING:
    from gguf_construct.core.chunks import WritePlan
    from gguf_construct.model import Model


def ask(model: Model, data: bytes) -> None:
    """Tokens, templates, shards, tables."""
    for question in (special_tokens, stop_tokens, template_set, shard_of):
        with suppress(GGUFError):
            question(model)
    for wanted in ("<", "a", "1", "\udcff", 0, -1, 1 << 64):
        with suppress(GGUFError):
            find_tokens(model, wanted)
    with suppress(GGUFError):
        find_tokens(model, "^[a-z]", regex=True)
    type_totals(model.tensors.all)
    for order in SORTS:
        select_tensors(model.tensors.all, ["*a*", "[", "blk.*"], order)


def compare(model: Model, data: bytes) -> None:
    """A file with itself, and with the file without its first pair."""
    with open_model(data) as other:
        assert diff_metadata(model, other) == [], "a file differs from itself"
        assert diff_tensors(model, other)[0] == [], "a file's tensors differ from its own"
        layout_notes(model, other)
        for key in list(other.metadata)[:1]:
            with suppress(GGUFError):
                del other.metadata[key]
                assert diff_metadata(model, other, ignore=["x*"]) or key.startswith("x")


def repair(model: Model) -> WritePlan:
    """The plan of the repaired file, which is the plan of saving where nothing is to repair."""
    plan, changes = plan_repair(model)
    if not changes:
        assert plan.chunks == plan_layout(model, "keep").chunks, "a repair without a change"
    return plan

"""Turn markers that a vocabulary has as tokens, but as normal ones.

Strategy: prompts hold markers as text, and a tokenizer takes them for one token only if they are
special ones.  A marker whose token is typed normal falls apart into pieces, unless the merges put
it together again.  Markers are what looks like markup in a chat template, and the usual ones; one
pass over the vocabulary finds their tokens.

Source: llama_vocab::impl::tokenizer_st_partition, which looks for control, user-defined and
unknown tokens only.
"""

from __future__ import annotations

import re
from itertools import compress, tee
from typing import TYPE_CHECKING

from ..core.registry import end_of_generation_texts, token_type_id
from ..core.token_arrays import token_arrays
from ..core.values import bytes_of
from ..runtime.views import StringArray

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from ..core.document import Document

_MARKUP = re.compile(r"<[^<>\s{}%]{1,80}>|\[/?[A-Z][A-Z_]{1,40}\]")
# Usual markers that begin a turn or a part of one; those that end it are in the registry.
_BEGINNINGS = (
    *("<start_of_turn>", "<|im_start|>", "<|start_header_id|>", "<|end_header_id|>"),
    *("<|user|>", "<|assistant|>", "<|system|>", "<|turn>", "<|start|>", "<|message|>"),
    *("<|channel|>", "<|im_sep|>", "<|start_of_role|>", "<|end_of_role|>"),
    *("<|START_OF_TURN_TOKEN|>", "<|USER_TOKEN|>", "<|CHATBOT_TOKEN|>", "<|SYSTEM_TOKEN|>"),
    *("<\uff5cUser\uff5c>", "<\uff5cAssistant\uff5c>"),
)
_MERGES = "tokenizer.ggml.merges"
_MAX_SOURCE = 1 << 20  # characters that are looked at


def split_markers(document: Document, source: str) -> dict[int, bytes]:
    """Ids and texts of the markers, those in a template too, that fall apart in this model."""
    arrays = token_arrays(document.metadata)
    if arrays.texts is None or arrays.types is None:
        return {}
    merges = document.metadata.field(_MERGES) if _MERGES in document.metadata else None
    elements = None if merges is None else merges.record.value.elements
    return find_split(
        [source],
        arrays.texts.record.value.elements.iter_raw(),
        arrays.types.record.value.elements,
        elements.iter_raw() if isinstance(elements, StringArray) else (),
    )


def find_split(
    sources: Iterable[str],
    texts: Iterable[bytes],
    types: Sequence[int],
    merges: Iterable[bytes],
) -> dict[int, bytes]:
    """As `split_markers`, from the plain arrays of a vocabulary.

    Args:
        sources: chat templates.
        texts, types: text and type of each token, by id.
        merges: the merges of byte pairs, as files have them.
    """
    # "</s>" and the like may be ordinary text elsewhere; "<|im_end|>" is not.
    usual = (one for one in end_of_generation_texts() if "|" in one or "_of_" in one)
    written = (match[0] for source in sources for match in _MARKUP.finditer(source[:_MAX_SOURCE]))
    wanted = {bytes_of(text) for text in (*_BEGINNINGS, *usual, *written)}
    normal, num = token_type_id("normal"), len(types)
    numbered, plain = tee(texts)  # no step in Python for each of 262,144 tokens
    markers = compress(enumerate(numbered), map(wanted.__contains__, plain))
    found = {id: text for id, text in markers if id < num and types[id] == normal}
    if found:
        made = {merge.replace(b" ", b"", 1) for merge in merges}
        found = {id: text for id, text in found.items() if text not in made}
    return found


def mend_command(texts: Iterable[str]) -> str:
    """The command that marks these tokens, to paste."""
    quoted = " ".join("'" + text.replace("'", "'\\''") + "'" for text in texts)
    return f"gguf-construct token mark FILE {quoted} control -i"

"""One setting of config.json and its companions against the key that holds it here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..core.registry import required_keys
from .derived import derived
from .facts import Candidate
from .read_keys import is_read
from .readers import default_of
from .repository import look_up, place
from .results import UpstreamRow
from .rope import is_scaled_by_keys, scaling_row
from .values import is_same

if TYPE_CHECKING:
    from .._generated.keys import KeyInfo
    from .facts import Facts

_ARCH = "{arch}."
# Keys that files may leave out where they have another one.
_NOT_WITH = {"{arch}.feed_forward_length": "expert_feed_forward_length"}
# Keys whose computed value, where there is one, rules out what the configuration has as it is.
_DECISIVE = frozenset(
    {
        *("block_count", "ssm.inner_size", "rope.dimension_sections"),
        *("attention.key_length", "attention.sliding_window_pattern"),
    }
)
_MANIFOLD = ("config:intermediate_size",)
# Keys whose computed value, where there is one, rules out what the configuration has as it is.
_DECISIVE = frozenset(
    {
        *("block_count", "ssm.inner_size", "rope.dimension_sections"),
        *("attention.key_length", "attention.sliding_window_pattern"),
    }
)
_MANIFOLD = ("config:intermediate_size",)
_NOTHING: tuple[Any, ...] = (0, -1, "", [], {})


def setting_row(facts: Facts, info: KeyInfo) -> UpstreamRow | None:
    """The row of a key; None where neither side has anything to say."""
    suffix = info.key.removeprefix(_ARCH)
    if suffix == "rope.scaling.type":
        return scaling_row(facts, info)
    key, stored = facts.key(info)
    candidates = _candidates(facts, info, suffix)
    if suffix.startswith("rope.scaling.") and stored is None and not is_scaled_by_keys(facts):
        return None
    ours, note = (stored, "") if stored is not None else default_of(facts, suffix)
    if not candidates:
        if stored is None:
            return None
        sources = ", ".join(map(place, info.hf))
        return UpstreamRow(key, stored, None, sources, "missing there", info.hf_note)
    if ours is None:
        return _missing(facts, info, key, candidates[0])
    if info.roles == ("architecture",):
        return UpstreamRow(key, ours, *candidates[0], "not comparable", info.hf_note)
    same = next((one for one in candidates if is_same(info, ours, one.value)), None)
    if same is not None:
        return UpstreamRow(key, ours, *same, "same", note or _layers(ours, same.value))
    if stored is None and not _is_stored(facts, info):
        return UpstreamRow(key, None, *candidates[0], "not comparable", note)
    note = note or _layers(ours, candidates[0].value)
    return UpstreamRow(key, ours, *candidates[0], "differs", note)


def _layers(ours: Any, theirs: Any) -> str:
    here, there = isinstance(ours, (list, tuple)), isinstance(theirs, list)
    if here == there:
        return ""
    return f"one value per layer {'here' if here else 'there'}"


def _candidates(facts: Facts, info: KeyInfo, suffix: str) -> list[Candidate]:
    found = derived(facts, suffix) if info.key.startswith(_ARCH) else []
    if found and _is_decisive(facts, suffix):
        return found
    for source in info.hf:
        value = look_up(facts.repository, source)
        if value is not None:
            found.append(Candidate(value, place(source)))
    return found


def _is_decisive(facts: Facts, suffix: str) -> bool:
    if suffix == "attention.head_count_kv":
        return facts.is_latent or isinstance(facts.ours(suffix), (list, tuple))
    return suffix in _DECISIVE


def _missing(facts: Facts, info: KeyInfo, key: str, there: Candidate) -> UpstreamRow | None:
    """A key that is absent here, and for which no default is known."""
    suffix = info.key.removeprefix(_ARCH)
    if info.key in _NOT_WITH and facts.ours(_NOT_WITH[info.key]) == there.value:
        return None
    if info.key in _required(facts) and there.value not in _NOTHING:
        return UpstreamRow(key, None, *there, "missing here")
    if there.value in _NOTHING or (suffix.endswith("scale") and there.value == 1):
        return None
    # Words that serve several kinds of model do not show that this setting is meant.
    sources = [one for one in info.hf if one not in _MANIFOLD]
    is_meant = any(look_up(facts.repository, one) is not None for one in sources)
    is_meant = is_meant or suffix == "attention.key_length_mla"
    if is_meant and suffix != info.key and is_read(suffix, facts.architecture):
        return UpstreamRow(key, None, *there, "missing here", "llama.cpp takes it for 0")
    return None


def _required(facts: Facts) -> set[str]:
    def value_of(key: str) -> object:
        metadata = facts.document.metadata
        return metadata.field(key).plain_value if key in metadata else None

    kind = facts.document.metadata.text("general.type") or "model"
    needed = required_keys({kind}, facts.architecture, value_of)
    return {one.info.key for one in needed}


def _is_stored(facts: Facts, info: KeyInfo) -> bool:
    """Whether an assumed value that differs is a fault, not another spelling of the setting."""
    return info.key != "{arch}.rope.dimension_count" or facts.rope("partial_rotary_factor") is None

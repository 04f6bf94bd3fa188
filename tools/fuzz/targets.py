"""What is done to every input, and what must hold.

The invariant: any bytes give either a Document or a ParseError that says where, never anything
else.  A Document answers every question with a value or a GGUFError; its byte map has a span for
every byte; saved without an edit it is the same bytes; saved with an edit it opens again, holds
the edit, and has kept all tensor data.  All that in bounded time and memory, which the harness
enforces.
"""

from __future__ import annotations

import random
from contextlib import suppress
from typing import TYPE_CHECKING, Any
from zlib import crc32

from gguf_construct._generated.trace import trace
from gguf_construct._generated.types import LIMITS, Limits
from gguf_construct.byte_map.find import find_span, spans_of
from gguf_construct.byte_map.spans import byte_map, doc_of
from gguf_construct.comparison.hashes import hash_rows
from gguf_construct.core.codec import build, parse
from gguf_construct.editing.changes import edit, rename_key, unset_key
from gguf_construct.errors import GGUFError, ParseError
from gguf_construct.model import open_model
from gguf_construct.planning.convert import plan_convert
from gguf_construct.planning.layout import POLICIES, plan_layout
from gguf_construct.render.hexdump import hexdump
from gguf_construct.render.json_text import dump, show_json
from gguf_construct.render.map_json import map_lines
from gguf_construct.render.map_text import found_rows, span_columns
from gguf_construct.render.text import field_rows, summary_rows, tensor_rows
from gguf_construct.storage.write.in_memory import plan_bytes
from gguf_construct.validation.rules import PROFILES
from gguf_construct.validation.validate import validate
from tools.fuzz import questions

if TYPE_CHECKING:
    from collections.abc import Callable

    from gguf_construct.core.chunks import WritePlan
    from gguf_construct.model import Model

# A plan may ask for gigabytes of padding, as a file with a huge alignment does: no bug.
_MOST_PLANNED = 1 << 23
_MOST_DECODED = 1 << 16


class Violation(Exception):
    """The invariant does not hold; `stage` says in which step."""

    def __init__(self, stage: str, why: str) -> None:
        super().__init__(f"{stage}: {why}")
        self.stage = stage


TIGHT = Limits(
    max_metadata=12,
    max_tensors=3,
    max_string_nbytes=24,
    max_array_elements=9,
    max_array_depth=2,
    max_dims=3,
    max_header_nbytes=400,
)
"""Limits that small files come up against."""


def walk(data: bytes) -> None:
    """Only what the generated code does: read, write again, trace, with and without limits."""
    for limits in (LIMITS, TIGHT):
        try:
            document = parse(data, limits)
            build(document)
        except ParseError:
            continue
        for _ in trace(data, limits, fold=3):
            pass


def check(data: bytes) -> bool:
    """Do everything to one input; whether it could be opened.

    Raises:
        Violation: the invariant does not hold.
    """
    _run("limits", _check_limits, data)
    try:
        model = open_model(data)
    except ParseError as error:
        _check_error(error, len(data))
        _run("map", _check_map, data, error)
        _run("validate", _check_validate, data, error)
        return False
    except Exception as error:
        raise Violation("open", repr(error)) from error
    _run("map", _check_map, data, None)
    _run("validate", _check_validate, data, None)
    for name, stage in STAGES.items():
        _run(name, stage, model, data)
    return True


def _run(stage: str, step: Callable[..., None], *args: Any) -> None:
    try:
        step(*args)
    except Violation:
        raise
    except Exception as error:
        raise Violation(stage, repr(error)) from error


def _must(stage: str, holds: bool, why: str) -> None:
    if not holds:
        raise Violation(stage, why)


def _check_error(error: ParseError, size: int) -> None:
    text = str(error)
    _must("open", bool(text) and text.isprintable(), f"an error must be a printable line: {text!r}")
    _must("open", "disagree" not in text, "the codec refuses what the trace reads")
    if error.offset is not None:
        _must("open", 0 <= error.offset <= size, f"offset {error.offset} of {size}")


def _check_limits(data: bytes) -> None:
    try:
        parse(data, TIGHT)
    except ParseError as error:
        _check_error(error, len(data))
    end = 0
    for span in byte_map(data, limits=TIGHT, fold=3):
        _must("limits", span.start == end, f"a gap or an overlap at {end}")
        end = span.end
    _must("limits", end == len(data), f"the map ends at {end} of {len(data)}")


# -- the byte map --------------------------------------------------------------------------------


def _check_map(data: bytes, fault: ParseError | None) -> None:
    chance = random.Random(crc32(data))
    folded: list[Any] = []
    for fold in (8, None):
        folded = list(byte_map(data, fold=fold))
        end = 0
        for span in folded:
            _must("map", span.start == end, f"a gap or an overlap at {end}")
            _must("map", span.end > end or span.type == "unreadable", f"an empty span at {end}")
            _must("map", all(map(str.isprintable, span_columns(span, data))), "unprintable")
            _must("map", bool(doc_of(span)), f"no documentation of {span.field}")
            end = span.end
        _must("map", end == len(data), f"the map ends at {end} of {len(data)}")
        broken = bool(folded) and folded[-1].type == "unreadable"
        _must("map", broken == (fault is not None), "open and map differ")
    for _ in map_lines(iter(folded), None, len(data), fault):
        pass
    for _ in hexdump(data, folded, 0, len(data)):
        pass
    _check_finding(data, folded, chance)


def _check_finding(data: bytes, unfolded: list[Any], chance: random.Random) -> None:
    spans = [span for span in unfolded if span.start < span.end]
    for span in chance.sample(spans, min(3, len(spans))):
        offset = chance.randrange(span.start, span.end)
        found = find_span(data, offset)
        _must("map", found.span[:4] == span[:4], f"{span} is not {found.span}")
        found_rows(found, data, offset)
        paths = [one.path for one in spans_of(data, span.path)]
        _must("map", span.path in paths, f"{span.path} is not found by its path")


# -- reading -------------------------------------------------------------------------------------


def _read_metadata(model: Model, _: bytes) -> None:
    for field in model.metadata.fields():
        field.value, field.plain_value, field.raw, repr(field)
        _must("metadata", field.type != "", "a type has no name")
        _must("metadata", field.start < field.value_start <= field.end, "places are out of order")
        _must("metadata", field.key in model.metadata, f"{field.key!r} is not found")
        _must("metadata", model.metadata.occurrences(field.key) != [], "no occurrence")
        length = field.array_length
        if length is not None:
            _must("metadata", length == len(field.plain_value), "two lengths of one array")
    for key in model.metadata:
        model.metadata[key]


def _read_tensors(model: Model, _: bytes) -> None:
    for tensor in model.tensors.all:
        tensor.shape, tensor.num_elements, repr(tensor)
        _must("tensors", tensor.name in model.tensors, f"{tensor.name!r} is not found")
        try:
            _must("tensors", len(tensor.data) == tensor.size == len(tensor.raw), "two sizes")
            if tensor.size <= _MOST_DECODED:
                _decode(model, tensor)
        except GGUFError:
            continue


def _decode(model: Model, tensor: Any) -> None:
    import numpy as np

    from gguf_construct.quants.decode import dequantize

    tensor.require_layout()
    with np.errstate(all="ignore"):
        values = dequantize(tensor.data, tensor.type, byte_order=model.byte_order)
    _must("tensors", values.size == tensor.num_elements, "elements are missing")


def _show(model: Model, _: bytes) -> None:
    for full in (False, True):
        dump(show_json(model, None, full=full, tensors=True))
        lines = field_rows(model, full)
        _must("show", all(part.isprintable() for line in lines for part in line), "unprintable")
    summary_rows(model, None)
    tensor_rows(model.tensors.all)


def _hash(model: Model, _: bytes) -> None:
    with suppress(GGUFError):
        hash_rows(model)


def _check_validate(data: bytes, fault: ParseError | None) -> None:
    profile = PROFILES[crc32(data) % len(PROFILES)]
    report = validate(data, profile=profile, data=profile == "strict")
    _must("validate", fault is None or bool(report.errors), "a broken file without an error")
    for problem in report.problems:
        _must("validate", problem.message.isprintable(), f"unprintable: {problem}")
        inside = problem.offset is None or 0 <= problem.offset <= len(data)
        _must("validate", inside, f"outside the file: {problem}")


# -- writing -------------------------------------------------------------------------------------


def _written(model: Model, plan: WritePlan) -> bytes | None:
    size = sum(chunk.nbytes for chunk in plan.chunks)
    return plan_bytes(plan, [model.source]) if size <= _MOST_PLANNED else None


def _save(model: Model, data: bytes) -> None:
    _must("save", model.to_bytes() == data, "saved without an edit, the bytes are others")
    _must("save", build(model) == data, "encoded anew, the header's bytes are others")
    for policy in POLICIES:
        try:
            again = _written(model, plan_layout(model, policy))
        except GGUFError:
            continue
        if again is not None:
            _must("save", _content(again) == _content(data), f"{policy} changed the content")


def _content(data: bytes) -> list[Any]:
    """Metadata bytes and tensor data, as far as they are in the file."""
    model = open_model(data)
    pairs = [(field.raw_key, field.raw) for field in model.metadata.fields()]
    return [pairs, [_tensor_bytes(tensor, model) for tensor in model.tensors.all]]


def _tensor_bytes(tensor: Any, model: Model) -> tuple[Any, ...]:
    """What is in the file of a tensor's data; nothing where its size is not known."""
    end = tensor.data_offset + (tensor.nbytes or 0)
    return tensor.name, tensor.dims, bytes(model.buffer[tensor.data_offset : end])


def _convert(model: Model, data: bytes) -> None:
    other = "big" if model.byte_order == "little" else "little"
    aims = ((other, None), (None, 3), (None, 2), (None, 1), (other, 2))
    for order, version in random.Random(crc32(data)).sample(aims, 2):
        try:
            plan = plan_convert(model, byte_order=order, version=version).plan
            converted = _written(model, plan)
        except GGUFError:
            continue
        if converted is not None:
            with open_model(converted) as again:
                _must("convert", list(again.metadata) == list(model.metadata), "other keys")
                _must("convert", list(again.tensors) == list(model.tensors), "other tensors")
                _must("convert", version in (None, again.version), "another version")


def _edit(model: Model, data: bytes) -> None:
    chance = random.Random(crc32(data))
    before = _content(data)[1]
    for _ in range(3):
        with open_model(data) as edited:
            try:
                touched = chance.choice(_EDITS)(edited, chance)
                saved = _written(edited, plan_layout(edited))
            except GGUFError:
                continue
            if saved is None:
                continue
            with open_model(saved) as again:
                for key in touched:
                    held = [_exact(field) for field in again.metadata.occurrences(key)]
                    meant = [_exact(field) for field in edited.metadata.occurrences(key)]
                    _must("edit", held == meant, f"{key!r} is {held}, not {meant}")
            # A file that is cut in its padding has no data: an edit moves the padding anywhere.
            if model.data_start <= len(data):
                _must("edit", _content(saved)[1] == before, "an edit changed tensor data")


def _exact(field: Any) -> tuple[str, bytes]:
    return field.type, field.raw


def _any_key(model: Model, chance: random.Random) -> str:
    return chance.choice(list(model.metadata) or ["general.name"])


def _set_new(model: Model, chance: random.Random) -> list[str]:
    spec, value = chance.choice(
        [
            ("uint32", chance.randrange(1 << 32)),
            ("string", "text\0\ud800"[: chance.randrange(7)] * chance.randrange(20)),
            ("[string]", ["one", "", "three"][: chance.randrange(4)]),
            ("[[int8]]", [[1], [], [-128]]),
            ("float64", chance.random()),
            ("bool", bool(chance.randrange(2))),
        ]
    )
    key = f"fuzz.{chance.randrange(10)}"
    edit(model, {f"{key}:{spec}": value}, force=True)
    field = model.metadata.field(key)
    _must("edit", (field.type, field.plain_value) == (spec, value), f"{value!r} is {field.value!r}")
    return [key]


def _set_known(model: Model, chance: random.Random) -> list[str]:
    key = _any_key(model, chance)
    same = model.metadata.get(key)
    value = chance.choice([0, 1, 64, "text", 0.5, [], [1, 2], ["a"], True, same])
    edit(model, {key: value}, force=bool(chance.randrange(2)))
    return [key]


def _unset(model: Model, chance: random.Random) -> list[str]:
    key = _any_key(model, chance)
    unset_key(model, key)
    _must("edit", key not in model.metadata, f"{key!r} is still there")
    return [key]


def _rename(model: Model, chance: random.Random) -> list[str]:
    key = _any_key(model, chance)
    new = chance.choice(["general.name", "general.alignment", "x" * 70, "\udcff"])
    rename_key(model, key, new)
    return [key, new]


_EDITS = (_set_new, _set_known, _unset, _rename)


def _repair(model: Model, data: bytes) -> None:
    try:
        repaired = _written(model, questions.repair(model))
    except GGUFError:
        return
    if repaired is not None:
        with open_model(repaired) as again:
            _must("repair", len(again.tensors.all) == len(model.tensors.all), "tensors are lost")
            values = {field.raw for field in model.metadata.fields()}
            kept = {field.raw for field in again.metadata.fields()}
            _must("repair", values == kept, "values are lost")
            if model.data_start <= len(data) and again.data_start <= len(repaired):
                _must("repair", _content(repaired)[1] == _content(data)[1], "tensor data changed")


STAGES: dict[str, Callable[[Model, bytes], None]] = {
    "metadata": _read_metadata,
    "tensors": _read_tensors,
    "show": _show,
    "hash": _hash,
    "save": _save,
    "convert": _convert,
    "edit": _edit,
    "ask": questions.ask,
    "compare": questions.compare,
    "repair": _repair,
}

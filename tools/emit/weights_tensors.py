"""Tensors of spec/weights.yaml: NAME(dims)?@remembered -> a call of a loader."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tools.ksy.errors import SchemaError

from .weights_expr import translate

if TYPE_CHECKING:
    from tools.ksy.errors import Place

    from .weights_expr import Names

SUFFIXES = (".weight", ".bias", ".scale", ".lora_a", ".lora_b")
"""Endings of a name that has its suffix already; parts such as shortconv.conv have none."""

_TENSOR = re.compile(r"([\w.{}]+)\((.*)\)(\??)(?:@(\w+))?", re.DOTALL)


def split_tensors(text: str, place: Place) -> list[str]:
    """The tensors of a step: separated by spaces that stand outside of brackets."""
    parts, depth, start = [], 0, 0
    for at, letter in enumerate(text + " "):
        depth += (letter == "(") - (letter == ")")
        if letter.isspace() and depth == 0:
            parts.append(text[start:at])
            start = at + 1
    found = [" ".join(part.split()) for part in parts if part.strip()]
    if depth or not found:
        raise SchemaError(place, f"{text!r} is no list of tensors")
    return found


def whole_name(name: str) -> str:
    """The name in the file: with .weight unless it has a suffix or a final dot.

    >>> whole_name("shortconv.conv"), whole_name("attn_q.bias"), whole_name("ssm_a.")
    ('shortconv.conv.weight', 'attn_q.bias', 'ssm_a')
    """
    if name.endswith("."):
        return name[:-1]
    return name if name.endswith(SUFFIXES) else f"{name}.weight"


def tensor_call(text: str, block: str, mode: str, names: Names, place: Place) -> tuple[str, str]:
    """The call that asks for a tensor, and the name that remembers whether it is there, or ""."""
    found = _TENSOR.fullmatch(text)
    if found is None:
        raise SchemaError(place, f"{text!r} is not a tensor")
    name, dims, optional, remembered = found.groups()
    if name.startswith("."):
        if not block:
            raise SchemaError(place, f"{name!r} stands outside of blocks")
        name = f"blk.{{{block}}}{name}"
    shown = f'"{whole_name(name)}"'
    flags = mode if not optional else "OPTIONAL" if mode == "0" else f"OPTIONAL | ({mode})"
    arguments = [translate(f"f{shown}", names, place) if "{" in name else shown, flags]
    if dims.strip():
        arguments.append(translate(f"[{dims}]", names, place)[1:-1])
    return f"m.add({', '.join(arguments)})", f"has_{remembered}" if remembered else ""

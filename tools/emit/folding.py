"""Break lines of generated Python that are too long, at brackets and at ``+``.

Enough of Python's layout for what our emitters write; the result is the same program.
"""

from __future__ import annotations

WIDTH = 100
_OPEN, _CLOSE = "([{", ")]}"


def fold(text: str) -> str:
    """The same text with every line of code within the width, where it can be broken."""
    return "\n".join(part for line in text.split("\n") for part in _fold_line(line))


def _fold_line(line: str) -> list[str]:
    body = line.lstrip()
    indent = line[: len(line) - len(body)]
    if len(line) <= WIDTH or body.startswith(("#", '"""')):
        return [line]
    if body.startswith("return ") and len(parts := _split(body[7:], " + ")) > 1:
        first, *rest = parts
        terms = [f"{indent}    {first}", *(f"{indent}    + {part}" for part in rest)]
        folded = [part for term in terms for part in _fold_line(term)]
        return [f"{indent}return (", *folded, f"{indent})"]
    name, equals, value = body.partition(" = ")
    if equals and name.isidentifier() and len(parts := _split(value, " else ")) == 2:
        yes, test = _split(parts[0], " if ")
        lines = [f"{indent}    {yes}", f"{indent}    if {test}", f"{indent}    else {parts[1]}"]
        return [f"{indent}{name} = (", *lines, f"{indent})"]
    bracket = _last_group(body)
    if bracket is None:
        return [line]
    start, end = bracket
    items = [item.strip() for item in _split(body[start + 1 : end], ",")]
    if items and not items[-1]:
        items.pop()
    # A comma behind the only item of plain parentheses or an index would make a tuple of it.
    is_name_before = start > 0 and (body[start - 1].isalnum() or body[start - 1] in "_])")
    alone = is_name_before if body[start] == "[" else not is_name_before and body[start] == "("
    comma = "" if alone and len(items) == 1 else ","
    inner = [part for item in items for part in _fold_line(f"{indent}    {item}{comma}")]
    return [f"{indent}{body[: start + 1]}", *inner, f"{indent}{body[end:]}"]


def _walk(text: str) -> list[int]:
    """Depth of brackets at each character; -1 inside a string."""
    depths, depth, quote = [], 0, ""
    for at, one in enumerate(text):
        if quote:
            depths.append(-1)
            if one == quote and text[at - 1] != "\\":
                quote = ""
        elif one in "'\"":
            quote = one
            depths.append(-1)
        else:
            depth -= one in _CLOSE
            depths.append(depth)
            depth += one in _OPEN
    return depths


def _split(text: str, separator: str) -> list[str]:
    depths = _walk(text)
    parts, start, at = [], 0, 0
    while at < len(text):
        if depths[at] == 0 and text.startswith(separator, at):
            parts.append(text[start:at])
            start = at = at + len(separator)
        else:
            at += 1
    return [*parts, text[start:]]


def _last_group(text: str) -> tuple[int, int] | None:
    """The largest bracket pair at depth 0 that holds a comma: from its opening to its closing."""
    depths = _walk(text)
    best: tuple[int, int] | None = None
    start = -1
    for at, one in enumerate(text):
        if depths[at] != 0:
            continue
        if one in _OPEN:
            start = at
        elif one in _CLOSE and start >= 0:
            if best is None or at - start > best[1] - best[0]:
                best = (start, at)
            start = -1
    return best

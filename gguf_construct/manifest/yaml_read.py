"""YAML as a tree of nodes with line numbers: nothing is constructed, nothing is expanded.

Strategy: the events of the YAML parser become nodes; what a value means is decided by who reads
them.  Aliases are refused (a few lines of them can stand for gigabytes), and so is deep nesting.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from ..errors import BuildError

if TYPE_CHECKING:
    from collections.abc import Iterator

_MAX_DEPTH = 32
_MAX_CHARS = 32 << 20
_MAX_NODES = 2_000_000  # about half a gigabyte of them
_STANDARD = "tag:yaml.org,2002:"


class Node(NamedTuple):
    """A piece of YAML.

    Attributes:
        kind: ``scalar``, ``list`` or ``map``.
        tag: the tag without its ``!``, or nothing.
        value: text of a scalar, items of a list, (key, value) pairs of a map.
        line: where it starts, from 1.
        is_quoted: whether a scalar is quoted or in a block, and so is text.
    """

    kind: str
    tag: str
    value: Any
    line: int
    is_quoted: bool = False

    @property
    def text(self) -> str:
        """The text of a scalar.  Raises BuildError for anything else."""
        if self.kind != "scalar":
            self.fail(f"a text is expected here, not a {self.kind}")
        text: str = self.value
        return text

    @property
    def items(self) -> list[Node]:
        """The items of a list.  Raises BuildError for anything else."""
        if self.kind != "list":
            self.fail(f"a list is expected here, not a {self.kind}")
        items: list[Node] = self.value
        return items

    @property
    def pairs(self) -> list[tuple[Node, Node]]:
        """The pairs of a map.  Raises BuildError for anything else."""
        if self.kind != "map":
            self.fail(f"a map is expected here, not a {self.kind}")
        pairs: list[tuple[Node, Node]] = self.value
        return pairs

    def fields(self, *known: str) -> dict[str, Node]:
        """A map with only known keys, each at most once.  Raises BuildError."""
        found: dict[str, Node] = {}
        for key, value in self.pairs:
            name = key.text
            if name not in known:
                key.fail(f"{name!r} is not known here; use {', '.join(known)}")
            if name in found:
                key.fail(f"{name!r} appears twice here")
            found[name] = value
        return found

    def fail(self, why: str, hint: str | None = None) -> NoReturn:
        """Refuse this node."""
        raise at_line(self.line, why, hint)


def at_line(line: int, why: str, hint: str | None = None) -> BuildError:
    """An error in a line of YAML; `error.line` is the number."""
    return BuildError(why, path=f"line {line}", hint=hint, line=line)


def parse_yaml(text: str) -> Node | None:
    """The tree of a YAML document; None for an empty one.

    Raises:
        BuildError: the text is not YAML, or uses what is not allowed; `line` says where.
    """
    import yaml

    if len(text) > _MAX_CHARS:
        raise at_line(1, f"more than {_MAX_CHARS} characters")
    try:
        # The C parser where it is there: the same events, twenty times as fast.
        return _document(yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    except yaml.YAMLError as error:
        why = getattr(error, "problem", None) or getattr(error, "reason", None) or str(error)
        line = _line_of(text, error)
        raise at_line(line, f"this is not YAML: {why}") from error
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise at_line(line, "half of a surrogate pair, which UTF-8 cannot hold") from error


def _line_of(text: str, error: Exception) -> int:
    """Where the fault is: what was never closed is wrong where it was opened."""
    mark: Any = getattr(error, "problem_mark", None)
    context = getattr(error, "context", None) or ""
    if "flow" in context or "quoted" in context:
        mark = getattr(error, "context_mark", None) or mark
    if mark is not None:
        line: int = mark.line
        return line + 1
    position = getattr(error, "position", 0)
    return text.count("\n", 0, position if isinstance(position, int) and position > 0 else 0) + 1


def _document(events: Iterator[Any]) -> Node | None:
    import yaml

    root: Node | None = None
    for event in events:
        if isinstance(event, yaml.DocumentStartEvent):
            if root is not None:
                raise at_line(_line(event), "a second YAML document")
            root = _node(next(events), _counted(events), 0)
    return root


def _counted(events: Iterator[Any]) -> Iterator[Any]:
    for number, event in enumerate(events):
        if number > _MAX_NODES:
            raise at_line(_line(event), f"more than {_MAX_NODES} values")
        yield event


def _node(event: Any, events: Iterator[Any], depth: int) -> Node:
    import yaml

    line = _line(event)
    if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
        raise at_line(line, "anchors and aliases are not allowed")
    if depth > _MAX_DEPTH:
        raise at_line(line, f"nested more than {_MAX_DEPTH} deep")
    tag = _tag(event.tag, line)
    if isinstance(event, yaml.ScalarEvent):
        # The C parser says "" for plain, Python's says None.
        return Node("scalar", tag, event.value, line, bool(event.style))
    if isinstance(event, yaml.SequenceStartEvent):
        items = []
        while not isinstance(inner := next(events), yaml.SequenceEndEvent):
            items.append(_node(inner, events, depth + 1))
        return Node("list", tag, items, line)
    pairs = []
    while not isinstance(inner := next(events), yaml.MappingEndEvent):
        key = _node(inner, events, depth + 1)
        pairs.append((key, _node(next(events), events, depth + 1)))
    return Node("map", tag, pairs, line)


def _line(event: Any) -> int:
    line: int = event.start_mark.line
    return line + 1


def _tag(tag: str | None, line: int) -> str:
    if not tag or tag == "!":
        return ""
    if tag.startswith(_STANDARD):
        # !!str and !!bool say no more than our own names.
        names = {"str": "string", "bool": "bool"}
        name = tag[len(_STANDARD) :]
        if name not in names:
            raise at_line(
                line, f"the tag !!{name} is not known here", "write a type such as !uint32"
            )
        return names[name]
    return tag.removeprefix("!")

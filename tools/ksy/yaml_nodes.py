"""YAML with line numbers: mappings that know where each key stands and refuse unknown ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml

from .errors import Place, SchemaError

if TYPE_CHECKING:
    from collections.abc import Iterator


class MapNode:
    """A YAML mapping.  Every key must be asked for; `finish` refuses what nobody asked for."""

    def __init__(self, node: yaml.Node, file: str) -> None:
        self.file = file
        self.place = Place(file, node.start_mark.line + 1)
        if not isinstance(node, yaml.MappingNode):
            raise SchemaError(self.place, "expected a mapping here")
        self._entries: dict[str, yaml.Node] = {}
        self._lines: dict[str, int] = {}
        for key, value in node.value:
            line = key.start_mark.line + 1
            if not isinstance(key, yaml.ScalarNode):
                raise SchemaError(Place(file, line), "a key must be a plain value")
            if key.value in self._entries:
                first = self._lines[key.value]
                raise SchemaError(
                    Place(file, line), f"duplicate key {key.value!r} (first on line {first})"
                )
            self._entries[key.value] = value
            self._lines[key.value] = line
        self._asked: set[str] = set()

    def __contains__(self, key: str) -> bool:
        return key in self._entries

    def place_of(self, key: str) -> Place:
        """Where the key stands."""
        return Place(self.file, self._lines[key])

    def keys(self) -> Iterator[str]:
        """All keys in order; counts as having asked for them."""
        self._asked.update(self._entries)
        return iter(self._entries)

    def first_key(self) -> str:
        """The first key, not yet asked for; empty where there is none."""
        return next(iter(self._entries), "")

    def node(self, key: str) -> yaml.Node | None:
        """The raw node of a key, or None."""
        self._asked.add(key)
        return self._entries.get(key)

    def plain(self, key: str) -> object:
        """The value as plain Python data, or None."""
        node = self.node(key)
        return None if node is None else _plain(node, self.file)

    def text(self, key: str) -> str:
        """The value of a scalar as text, exactly as written; empty where the key is absent."""
        node = self.node(key)
        if node is None:
            return ""
        if not isinstance(node, yaml.ScalarNode):
            raise SchemaError(self.place_of(key), f"{key!r} must be a plain value")
        return str(node.value).strip()

    def flag(self, key: str, default: bool) -> bool:
        """The value as a truth value."""
        value = default if key not in self else self.plain(key)
        if not isinstance(value, bool):
            raise SchemaError(self.place_of(key), f"{key!r} must be true or false")
        return value

    def map(self, key: str) -> MapNode | None:
        """The value as a mapping, or None."""
        node = self.node(key)
        return None if node is None else MapNode(node, self.file)

    def items(self, key: str) -> list[MapNode]:
        """The value as a list of mappings; empty where the key is absent."""
        node = self.node(key)
        if node is None:
            return []
        if not isinstance(node, yaml.SequenceNode):
            raise SchemaError(self.place_of(key), f"{key!r} must be a list")
        return [MapNode(item, self.file) for item in node.value]

    def extras(self, known: frozenset[str]) -> dict[str, object]:
        """The keys that start with `-`; ours alone, so a misspelt one is an error too."""
        found: dict[str, object] = {}
        for key in self._entries:
            if key.startswith("-") and key not in self._asked:
                if key not in known:
                    raise SchemaError(self.place_of(key), f"unknown key {key!r}")
                self.text(key)
                found[key] = self.plain(key)
        return found

    def finish(self) -> None:
        """Refuse keys that nobody asked for."""
        for key in self._entries:
            if key not in self._asked:
                raise SchemaError(
                    self.place_of(key), f"key {key!r} is not known to this generator here"
                )


class _Loader(yaml.SafeLoader):
    """Safe values, from nodes that are already composed."""


# What PyYAML lets out where a text is not what its tag says, such as !!int, !!bool, !!timestamp.
_NO_VALUE = (yaml.YAMLError, ValueError, LookupError, TypeError, AttributeError)


def _plain(node: yaml.Node, file: str) -> object:
    loader = _Loader("")
    try:
        return loader.construct_object(node, deep=True)
    except _NO_VALUE as error:
        raise SchemaError(Place(file, node.start_mark.line + 1), "no plain value") from error
    finally:
        loader.dispose()


def compose(text: str, file: str) -> MapNode:
    """The top mapping of a YAML text.  Raises SchemaError with the line of a syntax error."""
    loader = yaml.SafeLoader("")
    try:
        loader = yaml.SafeLoader(text)
        node = loader.get_single_node()
    except RecursionError as error:
        raise SchemaError(Place(file, loader.line + 1), "nested too deeply") from error
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        place = Place(file, mark.line + 1 if mark else 1)
        raise SchemaError(place, f"not valid YAML: {error.problem}") from error
    except yaml.reader.ReaderError as error:
        line = text.count("\n", 0, error.position) + 1
        raise SchemaError(Place(file, line), "a character that YAML does not allow") from error
    if node is None:
        raise SchemaError(Place(file, 1), "the file is empty")
    return MapNode(node, file)

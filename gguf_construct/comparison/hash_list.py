"""Lists of hashes as text, a line for each row as sha256sum writes them, and comparing with one."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ..errors import GGUFError
from .hashes import ALGORITHMS, is_layout

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .hashes import HashReport

_HEAD = "# gguf-construct hash"
_HEX = frozenset("0123456789abcdef")


class HashChange(NamedTuple):
    """A row that changed; `old` or `new` is None where it is missing."""

    kind: str
    name: str
    old: str | None
    new: str | None

    @property
    def what(self) -> str:
        """``changed``, ``missing`` or ``new``."""
        if self.old is None:
            return "new"
        return "changed" if self.new is not None else "missing"


def compare_hashes(old: Mapping[tuple[str, str], str], report: HashReport) -> list[HashChange]:
    """The rows of a report that differ from a list of hashes; keys of the layout do not count."""
    now = report.rows()
    return [
        HashChange(*name, old.get(name), now.get(name))
        for name in dict.fromkeys([*old, *now])
        if old.get(name) != now.get(name) and not (name[0] == "metadata" and is_layout(name[1]))
    ]


def format_hashes(report: HashReport) -> str:
    """A list of hashes as text: a line for each row, as sha256sum writes them."""
    lines = [f"{_HEAD} {report.algorithm}"]
    lines += [
        f"{digest}  {kind} {_escape(name)}".rstrip(" ")
        for (kind, name), digest in report.rows().items()
    ]
    return "\n".join([*lines, ""])


def parse_hashes(text: str) -> tuple[str, dict[tuple[str, str], str]]:
    """Algorithm and hashes of a list that `format_hashes` made.

    Raises:
        GGUFError: the text is not such a list; the message names the line.
    """
    lines = text.split("\n")
    algorithm = lines[0].removeprefix(_HEAD).strip()
    if not lines[0].startswith(_HEAD) or algorithm not in ALGORITHMS:
        raise GGUFError(
            "line 1: this is not a list of hashes",
            hint="make one with gguf-construct hash FILE --write LIST",
        )
    found: dict[tuple[str, str], str] = {}
    for number, line in enumerate(lines[1:], 2):
        if not line or line.startswith("#"):
            continue
        digest, gap, rest = line.partition("  ")
        kind, _, name = rest.partition(" ")
        known = kind in ("metadata", "tensor", "content")
        if not gap or not known or not digest or set(digest) - _HEX:
            raise GGUFError(f"line {number}: expected a hash, a kind and a name")
        found[(kind, _unescape(name, number))] = digest
    return algorithm, found


def _escape(name: str) -> str:
    """One line of text for any name."""
    if name.isprintable() and name.strip() == name and not set(name) & set('"\\'):
        return name
    from json import dumps

    return dumps(name)


def _unescape(name: str, number: int) -> str:
    if not name.startswith('"'):
        return name
    from json import loads

    try:
        return str(loads(name))
    except ValueError as error:
        raise GGUFError(f"line {number}: the name is not a JSON string: {error}") from error

"""Write texts as YAML so that they come back exactly, as readable as that allows."""

from __future__ import annotations

import re

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_./+-]*(?: [A-Za-z0-9_./+(-][A-Za-z0-9_./+()-]*)*")
# YAML 1.1 and 1.2 readers take these for something other than text.
_WORDS = frozenset(
    {"", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n", "nan", "inf"}
)
_ESCAPES = {"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r", "\t": "\\t", "\0": "\\0"}
_BACKSLASH = "\\"


def scalar(text: str) -> str:
    """A text on one line: as it is where no reader can take it for anything else, else quoted."""
    if len(text) < 200 and _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return quoted(text)


def quoted(text: str) -> str:
    """A text in double quotes on one line; what does not print is escaped."""
    return f'"{_escape(text)}"'


def _escape(text: str) -> str:
    if text.isprintable() and '"' not in text and _BACKSLASH not in text:
        return text
    return "".join(map(_escaped, text))


def _escaped(one: str) -> str:
    if one in _ESCAPES:
        return _ESCAPES[one]
    if one.isprintable():
        return one
    code = ord(one)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def text_lines(text: str, indent: str) -> list[str]:
    """A text of several lines; the first line goes behind the key, `indent` before the others.

    A literal block where that keeps every byte and no editor is tempted to strip anything, else
    double quotes with the line ends written out.
    """
    if "\n" not in text:
        return [scalar(text)]
    if _fits_block(text):
        return _block(text, indent)
    lines = text.split("\n")
    ends = [f"{_escape(line)}\\n" for line in lines[:-1]] + [_escape(lines[-1])]
    if not lines[-1]:
        ends.pop()
    ends[0] = f'"{ends[0]}'
    ends[-1] += '"'
    shown = [ends[0], *(_continued(line) for line in ends[1:])]
    return [
        (line if at == 0 else indent + line) + (_BACKSLASH if at < len(shown) - 1 else "")
        for at, line in enumerate(shown)
    ]


def _continued(line: str) -> str:
    """White space at the start of a continued line would be dropped: escape the first one."""
    return f"{_BACKSLASH}{line}" if line[:1] == " " else line


def _fits_block(text: str) -> bool:
    lines = text.split("\n")
    return (
        bool(text.strip("\n"))
        and all(line.isprintable() or _is_indented_by_tabs(line) for line in lines)
        and all(line == line.rstrip() for line in lines)
        and not text.startswith("\n")
    )


def _is_indented_by_tabs(line: str) -> bool:
    return line.replace("\t", " ").isprintable()


def _block(text: str, indent: str) -> list[str]:
    body = text.rstrip("\n")
    ends = len(text) - len(body)
    chomping = "-" if ends == 0 else "" if ends == 1 else "+"
    head = f"|2{chomping}" if body[:1] in (" ", "\t") else f"|{chomping}"
    lines = [indent + line if line else "" for line in body.split("\n")]
    return [head, *lines, *[""] * (ends - 1 if ends > 1 else 0)]


def bytes_scalar(data: bytes) -> str:
    r"""Bytes that are not text, for the tag ``!bytes``: in single quotes, ``\xff`` for a byte."""
    text = data.decode("utf-8", "surrogateescape")
    shown = "".join(map(_byte_escaped, text)).replace("'", "''")
    return f"'{shown}'"


def _byte_escaped(one: str) -> str:
    if one == _BACKSLASH:
        return "\\\\"
    if one.isprintable():
        return one
    return "".join(f"\\x{byte:02x}" for byte in one.encode("utf-8", "surrogateescape"))


_ESCAPE = re.compile(rb"\\(\\|x[0-9a-fA-F]{2})|\\")


def parse_bytes(text: str) -> bytes:
    """The bytes of a ``!bytes`` scalar.  Raises ValueError."""

    def replace(match: re.Match[bytes]) -> bytes:
        found = match.group(1)
        if found is None:
            raise ValueError(r"a backslash is written as \\, a byte as \x and two digits")
        return b"\\" if found == b"\\" else bytes([int(found[1:], 16)])

    return _ESCAPE.sub(replace, text.encode("utf-8"))

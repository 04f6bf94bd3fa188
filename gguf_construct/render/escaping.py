"""Text from files made safe to show: on a terminal, on one line, in JSON.

Whatever is not printable (control characters, C1, bidirectional controls, private use) and every
byte that is not UTF-8 is escaped, so no key, value or file name can move the cursor, forge a line
or turn the direction of writing.
"""

from __future__ import annotations

import re

WIDTH = 80
_LINES = "\n\t"
# json.dumps escapes what is below 0x20; surrogates are here because UTF-8 cannot hold them.
_UNSAFE_IN_JSON = re.compile(
    "[\x7f-\x9f\xad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ud800-\udfff\U000e0000-\U000e007f]"
)


def printable(text: str) -> str:
    """Text of several lines that any terminal takes."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() or one in _LINES else escaped(one) for one in text)


def one_line(text: str) -> str:
    """Text that any terminal takes on one line; newlines are escaped too."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else escaped(one) for one in text)


def escaped(one: str) -> str:
    """One character as an escape sequence."""
    # Python reads a byte that is not UTF-8 as U+DC00 plus its value (surrogateescape).
    if "\udc80" <= one <= "\udcff":
        return f"\\x{ord(one) - 0xDC00:02x}"
    return one.encode("unicode_escape").decode()


def encoded(text: str) -> bytes:
    """Text as UTF-8; lone surrogates are the bytes they stand for, or their own encoding."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def quote(text: str, width: int | None = WIDTH) -> str:
    """A string in quotes on one line, cut after `width` characters."""
    more = ""
    if width is not None and len(text) > width:
        more = f" ... ({len(encoded(text))} bytes)"
        text = text[:width]
    inner = one_line(text.replace("\\", "\\\\").replace('"', '\\"'))
    return f'"{inner}"{more}'


def name_text(name: str) -> str:
    """A key or tensor name, as it is where it is printable."""
    return name if name.isprintable() else quote(name, None)[1:-1]


def escape_json(text: str) -> str:
    """JSON without a character that a terminal acts on, or that UTF-8 cannot hold."""
    return _UNSAFE_IN_JSON.sub(_json_escape, text)


def _json_escape(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))

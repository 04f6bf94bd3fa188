"""How vocabularies spell what people type: the byte alphabet, the space sign, byte tokens.

Strategy: the tokenizer decides how text stands in the vocabulary.  What a person types is first
read as they meant it (escapes such as ``\\n`` and ``<0x0A>``, a foreign sign for the space), then
spelled as this vocabulary would.  Everything is bytes: tokens need not be whole characters.

Sources: `bytes_to_unicode` of GPT-2's encoder; the space sign U+2581 of SentencePiece; how
gguf-py stores WordPiece (no ``##``, a space sign before words).
"""

from __future__ import annotations

import re

BYTE_LEVEL, PIECES, WORDS = "byte-level", "pieces", "words"
"""Families of spelling: GPT-2's byte alphabet, SentencePiece, WordPiece."""

_FAMILIES = {
    "gpt2": BYTE_LEVEL,
    "hybriddna": BYTE_LEVEL,
    "llama": PIECES,
    "t5": PIECES,
    "plamo2": PIECES,
    "gemma4": PIECES,
    "bert": WORDS,
}

_SPACE_SIGN = "\u2581"
_SIGN = _SPACE_SIGN.encode()


def _byte_alphabet() -> dict[int, str]:
    visible = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    hidden = [byte for byte in range(256) if byte not in visible]
    return {
        **{byte: chr(byte) for byte in visible},
        **{b: chr(256 + n) for n, b in enumerate(hidden)},
    }


_ALPHABET = _byte_alphabet()
_BYTES = {letter: byte for byte, letter in _ALPHABET.items()}
# Letters of that alphabet which mean nothing else to most people: space, newline, tab, return.
_LETTERS = {_ALPHABET[ord(one)]: one for one in " \n\t\r"}

_ESCAPE = re.compile(
    rb"\\([nrt0\\])|\\x([0-9a-fA-F]{2})|<0x([0-9a-fA-F]{2})>"
    rb"|\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})"
)
_SIMPLE = {b"n": b"\n", b"r": b"\r", b"t": b"\t", b"0": b"\0", b"\\": b"\\"}
_BYTE_TOKEN = re.compile(rb"<0x([0-9A-Fa-f]{2})>")


def family_of(tokenizer: str | None) -> str | None:
    """The family of spelling of a tokenizer (the value of tokenizer.ggml.model), if known."""
    return _FAMILIES.get(tokenizer or "")


def unescape(text: bytes) -> bytes:
    r"""Text with its escapes taken as what they stand for.

    ``\n \r \t \0 \\ \x0A \u2581 \U0001F642`` and ``<0x0A>``; anything else stays as it is.
    """
    return _ESCAPE.sub(_escaped, text)


def _escaped(match: re.Match[bytes]) -> bytes:
    simple, hexadecimal, angle, *code_points = match.groups()
    if simple:
        return _SIMPLE[simple]
    if hexadecimal or angle:
        return bytes.fromhex((hexadecimal or angle).decode("ascii"))
    number = int(next(filter(None, code_points)), 16)
    if number > 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        return match[0]
    return chr(number).encode()


def spellings(text: bytes, family: str | None) -> tuple[frozenset[bytes], ...]:
    """The token texts that somebody who types `text` may mean, the likelier ones first.

    The first set holds what was typed, verbatim; each further one is looked at when the
    vocabulary has nothing of those before.
    """
    meant = unescape(text)
    spelled: set[bytes] = set()
    for plain in {meant, _without_signs(meant, family)}:
        spelled |= _spell(plain, family)
    if meant == text and family != WORDS:
        return (frozenset({text}), frozenset(spelled))
    return (frozenset({text, meant} | spelled),)


def _without_signs(meant: bytes, family: str | None) -> bytes:
    """Text whose space sign or visible newline comes from another kind of vocabulary."""
    text = meant.decode("utf-8", "surrogateescape")
    if family != PIECES:
        text = text.replace(_SPACE_SIGN, " ")
    if family != BYTE_LEVEL:
        text = "".join(_LETTERS.get(one, one) for one in text)
    return text.encode("utf-8", "surrogateescape")


def _spell(plain: bytes, family: str | None) -> set[bytes]:
    found = {plain}
    if family in (PIECES, None):
        found.add(plain.replace(b" ", _SIGN))
        if len(plain) == 1:
            found.add(b"<0x%02X>" % plain[0])
    if family in (BYTE_LEVEL, None):
        found.add("".join(_ALPHABET[byte] for byte in plain).encode())
    if family in (WORDS, None):
        found.add(plain[2:] if plain.startswith(b"##") else _SIGN + plain)
    return found


def plain_text(raw: bytes, kind: str | None, family: str | None) -> bytes:
    """The text that a token stands for.

    Args:
        raw: the token's text in the vocabulary.
        kind: its type, such as "normal"; control tokens stand for themselves.
        family: see `family_of`.
    """
    if kind == "byte" and (byte := _BYTE_TOKEN.fullmatch(raw)):
        return bytes.fromhex(byte[1].decode("ascii"))
    if kind in ("control", "unknown", "unused"):
        return raw
    if family == PIECES:
        return raw.replace(_SIGN, b" ")
    if family == WORDS:
        return raw[len(_SIGN) :] if raw.startswith(_SIGN) else b"##" + raw
    if family == BYTE_LEVEL and kind != "user_defined":
        letters = raw.decode("utf-8", "surrogateescape")
        if all(map(_BYTES.__contains__, letters)):
            return bytes(map(_BYTES.__getitem__, letters))
    return raw

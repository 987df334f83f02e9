"""Words and signs of a text as quotations are compared: without white space, markup and the shape of quotation marks and dashes."""

from __future__ import annotations

import re
import unicodedata
from typing import NamedTuple

CUT = "[…]"  # the sign that something was left out; every way to write it is this token

_INVISIBLE = re.compile("[\u00ad\u200b-\u200d\u2060\ufeff]")
_TOKEN = re.compile(
    r"(?P<cut>\\?[\[(]\s*(?:…|\.{3})\s*\\?[\])])"
    r"|(?P<begin>(?m:^)[ \t\u00a0]*(?:(?:>|[-+*•➤▶✦»]|\\[-+])[ \t\u00a0]+|>|\#{1,6}[ \t])+)"
    r"|(?P<word>[^\W_]+)"
    r"|(?P<apostrophe>(?<=[^\W_])['’‘](?=[^\W_]))"
    r"|(?P<markup>\\(?=[!-/:-@\[-`{-~])|[*_`~])"
    r"|(?P<sign>\.{3}|\S)"
)
_NORMALIZED = {"apostrophe": "'", "cut": CUT}
_SIGNS = str.maketrans({**dict.fromkeys("„“”‟\"«»‚‘’‛'‹›", '"'), **dict.fromkeys("‐‑‒–—―−", "-")})


class TextToken(NamedTuple):
    """A word or a sign as it is compared, and where it stands in its text."""

    text: str
    start: int
    end: int

    @property
    def is_word(self) -> bool:
        """Whether it is a word or a number, no sign."""
        return self.text[0].isalnum()


def tokens(text: str, start: int = 0, end: int | None = None) -> list[TextToken]:
    """Return the words and signs of ``text`` from ``start`` to ``end``, without bullets, block quote signs, emphasis and escapes.

    Words keep their case: a capital can distinguish a term from a word. Accents are compared however they are encoded.
    """
    end = len(text) if end is None else end
    clean, offsets = _clean(text[start:end])
    found = []
    for match in _TOKEN.finditer(clean):
        kind = str(match.lastgroup)
        if kind not in ("begin", "markup"):
            a, b = match.span()
            word = _NORMALIZED.get(kind) or match.group()
            if kind == "sign":
                word = "…" if word == "..." else word.translate(_SIGNS)
            if offsets is not None:
                a, b = offsets[a], offsets[b - 1] + 1
            found.append(TextToken(word, start + a, start + b))
    return found


def _clean(text: str) -> tuple[str, list[int] | None]:
    """Return ``text`` composed (NFC) and without invisible characters, and the offset of each character; None where no offset changed."""
    if text.isascii() or (unicodedata.is_normalized("NFC", text) and not _INVISIBLE.search(text)):
        return text, None
    clean, offsets = [], []
    for match in re.finditer(r"(?s).[\u0300-\u036f]*", text):
        for sign in unicodedata.normalize("NFC", _INVISIBLE.sub("", match.group())):
            clean.append(sign)
            offsets.append(match.end() - 1)
    return "".join(clean), offsets

"""Words and signs of a text as quotations are compared: without white space, markup and the shape
of quotation marks and dashes.
"""

from __future__ import annotations

import html
import re
import unicodedata
from typing import NamedTuple

CUT = "[…]"  # the sign that something was left out; every way to write it is this token

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u180e\u200b-\u200d\u2060-\u2064\ufe00-\ufe0f\ufeff]"
)  # no marks that turn the direction of writing
_ENTITY = r"&(?:#[0-9]{1,6}|#[xX][0-9a-fA-F]{1,5}|[A-Za-z]{2,8});"
_LIGATURES = "\ufb00-\ufb06"  # "fi" and others as one character, as PDFs have them
_LIGATURE_CHARACTERS = frozenset(map(chr, range(0xFB00, 0xFB07)))
_TO_CLEAN = re.compile(rf"{_INVISIBLE.pattern}|[{_LIGATURES}]|{_ENTITY}")
_PIECE = re.compile(rf"{_ENTITY}|(?s:.)[\u0300-\u036f]*")
_TOKEN = re.compile(
    r"(?P<cut>\\?[\[({<]\s*(?:[…⋯‥]|\.{2,}|\.(?:[ \u00a0]\.){2})\s*\\?[\])}>])"
    r"|(?P<begin>(?m:^)[ \t\u00a0]*(?:(?:>|[-+*•➤▶✦»]|\\[-+])[ \t\u00a0]+|>|\#{1,6}[ \t])+)"
    r"|(?P<word>[^\W_]+)"
    r"|(?P<apostrophe>(?<=[^\W_])['’‘´ʼ＇](?=[^\W_]))"
    r"|(?P<markup>\\(?=[!-/:-@\[-`{-~])|[*_`]|</?(?:b|i|em|strong|u|br|p|mark|small)\s*/?>)"  # what strikes words out is none
    r"|(?P<mark></?q(?:\s[^<>]*)?>)"
    r"|(?P<sign>\.{3,}|\.(?:[ \u00a0]\.){2,}|[…⋯‥]+|\S)"
)
_NORMALIZED = {"apostrophe": "'", "cut": CUT, "mark": '"'}
_SIGNS = str.maketrans(
    {
        **dict.fromkeys("„“”‟\"«»‚‘’‛'‹›＂＇「」『』〝〞〟❝❞″´《》〈〉", '"'),
        **dict.fromkeys("‐‑‒–—―−", "-"),
    }
)
_ELLIPSIS = re.compile(r"[.…⋯‥][.…⋯‥ \u00a0]*[.…⋯‥]|[…⋯‥]")


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
    """Return the words and signs of ``text`` from ``start`` to ``end``, without bullets, block
    quote signs, emphasis and escapes.

    Words keep their case: a capital can distinguish a term from a word. Accents are compared
    however they are encoded.
    """
    end = len(text) if end is None else end
    clean, places = _clean(text[start:end])
    found = []
    for match in _TOKEN.finditer(clean):
        kind = str(match.lastgroup)
        if kind not in ("begin", "markup"):
            a, b = match.span()
            word = _NORMALIZED.get(kind) or match.group()
            if kind == "sign":
                word = "…" if _ELLIPSIS.fullmatch(word) else word.translate(_SIGNS)
            if places is not None:
                a, b = places[a][0], places[b - 1][1]
            found.append(TextToken(word, start + a, start + b))
    return found


def _clean(text: str) -> tuple[str, list[tuple[int, int]] | None]:
    """Return ``text`` composed (NFC), without entities of HTML, ligatures and invisible characters,
    and the place of each character.

    Instead of the places None is returned where none changed.
    """
    if (text.isascii() and "&" not in text) or (
        unicodedata.is_normalized("NFC", text) and not _TO_CLEAN.search(text)
    ):
        return text, None
    clean, places = [], []
    for match in _PIECE.finditer(text):
        piece = match.group()
        if len(piece) > 2 and piece[0] == "&" and piece[-1] == ";":
            piece = html.unescape(piece)
        elif piece[0] in _LIGATURE_CHARACTERS:
            piece = unicodedata.normalize("NFKC", piece)
        for sign in unicodedata.normalize("NFC", _INVISIBLE.sub("", piece)):
            clean.append(sign)
            places.append(match.span())
    return "".join(clean), places

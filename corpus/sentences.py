"""Splits text into sentences."""

from __future__ import annotations

import re

from corpus.languages import any_of

END = re.compile(r"""[.!?…][*_]*+["“”»'’)\]]*+[*_]*+\s++(?=[*_"„“»'(\[]*+[A-ZÄÖÜÀ-ÖØ-Þ0-9])|:\s*\n|\n\s*\n|\n(?=\s*[-•➤▶✦»>–]\s)""")
ABBREVIATION = re.compile(
    rf"(?:\b{any_of('sentences.initials')}\.\s?\w|\b(?:{any_of('sentences.abbreviations')}|\d{{1,2}}|[a-z]))\.$",
    re.IGNORECASE,
)


def sentences(text: str) -> list[tuple[int, int]]:
    """The spans of the sentences of ``text``, as offsets (start, end) without the white space around them.

    A sentence also ends before a bullet and after a line that ends in a colon. A full stop after an abbreviation, an
    ordinal or a list number does not end a sentence.
    """
    bounds, start = [], 0
    for match in END.finditer(text):
        cut = match.end()
        if match.group().startswith(".") and ABBREVIATION.search(text, max(start, match.start() - 12), match.start() + 1):
            continue
        bounds.append((start, cut))
        start = cut
    bounds.append((start, len(text)))
    trimmed = []
    for a, b in bounds:
        piece = text[a:b]
        a, b = a + len(piece) - len(piece.lstrip()), b - (len(piece) - len(piece.rstrip()))
        if a < b:
            trimmed.append((a, b))
    return trimmed

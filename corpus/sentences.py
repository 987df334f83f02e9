"""Splits text into sentences."""

from __future__ import annotations

import re

from corpus.languages import any_of

# Before a list's item: a bullet, or a number or letter with a full stop or a bracket; before a
# label: "Example:".
_ITEM = r"\n(?=\s*+(?:[-•➤▶✦»>–]|[*_]*+(?:\d{1,2}|[IVX]{1,5}|[a-zA-Z])[.)]++[*_]*+)\s)"
_LABELS = any_of(
    *(f"labels.{name}" for name in ("example", "for_example", "note", "warning", "change"))
)
_LABEL = rf"\n(?=[*_]*+(?:{_LABELS})[*_]*+:)"
END = re.compile(
    rf"""[.!?…][*_]*+["“”»'’)\]]*+[*_]*+\s++(?=[*_"„“»'(\[]*+[A-ZÄÖÜÀ-ÖØ-Þ0-9])"""
    rf"|:\s*\n|\n\s*\n|{_ITEM}|{_LABEL}"
)
ABBREVIATION = re.compile(
    rf"(?:\b{any_of('sentences.initials')}\.\s?\w|\b(?:{any_of('sentences.abbreviations')}|\d{{1,2}}|[a-z]))\.$",
    re.IGNORECASE,
)
_NUMERAL = re.compile(r"\W*+[IVX]{1,5}[.)]++\s*+$")
_LETTER = re.compile(r"[^\W\d_]")
# What stands in quotation marks or brackets, within a line.
_ENCLOSED = re.compile(
    r"""„[^„“”"\n]*+[“”"]|“[^“”\n]*+”|«[^«»\n]*+»|(?<![\w"])"(?=[^\s"])[^"\n]*+"(?<=\S")(?!\w)"""
    r"|\((?:[^()\n]|\([^()\n]*+\))*+\)|\[[^\[\]\n]*+\]"
)


def sentences(text: str) -> list[tuple[int, int]]:
    """Return the spans of the sentences of ``text``, as offsets (start, end) without the white
    space around them.

    A sentence also ends before an item of a list and after a line that ends in a colon. A full stop
    after an abbreviation, an ordinal or a list number does not end a sentence, nor does one within
    a quotation or brackets that the sentence goes on to.
    """
    bounds, start = [], 0
    enclosures = _ENCLOSED.finditer(text)
    enclosed = next(enclosures, None)  # the first that ends behind the sentence
    for match in END.finditer(text):
        cut = match.end()
        if match.group()[0] in ".!?…":
            if match.group()[0] == "." and (
                ABBREVIATION.search(text, max(start, match.start() - 12), match.start() + 1)
                or _NUMERAL.match(text, start, cut)
            ):
                continue
            while enclosed and enclosed.end() <= cut:
                enclosed = next(enclosures, None)
            if (
                enclosed
                and enclosed.start() <= match.start()
                and _LETTER.search(text, start, enclosed.start())
            ):
                continue
        bounds.append((start, cut))
        start = cut
    bounds.append((start, len(text)))
    trimmed = []
    for start, end in bounds:
        piece = text[start:end].lstrip()
        if piece:
            trimmed.append((end - len(piece), end - len(piece) + len(piece.rstrip())))
    return trimmed

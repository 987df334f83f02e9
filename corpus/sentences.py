"""Splits text into sentences."""

from __future__ import annotations

import re

from corpus.languages import any_of, words_of

# Before a list's item: a bullet, or a number or letter with a full stop or a bracket; before a
# label: "Example:".
_ITEM = r"\n(?=\s*+(?:[-•➤▶✦»>–]|[*_]*+(?:\d{1,2}|[IVX]{1,5}|[a-zA-Z])[.)]++[*_]*+)\s)"
_LABELS = any_of(
    *(f"labels.{name}" for name in ("example", "for_example", "note", "warning", "change"))
)
_LABEL = rf"\n(?=[*_]*+(?:{_LABELS})[*_]*+:)"
END = re.compile(
    rf"""[.!?…][*_]*+["“”»'’)\]]*+[*_]*+\s++(?:\|\s*+)?(?=[*_"„“»'(\[]*+[A-ZÄÖÜÀ-ÖØ-Þ0-9])"""
    rf"|:\s*\n|\n\s*\n|{_ITEM}|{_LABEL}"
)
_ABBREVIATION = re.compile(
    rf"\b(?:{any_of('sentences.abbreviations')}|\d{{1,2}}|[a-z])\.$", re.IGNORECASE
)
# "z. B." cannot end a sentence.
_LEADS_ON = re.compile(rf"\b{any_of('sentences.initials')}\.\s?\w\.$", re.IGNORECASE)
# Abbreviations before a number: "No. 5", but "No. It may not."
_NUMBERING = re.compile(rf"\b{any_of('sentences.numbering_abbreviations')}\.$", re.IGNORECASE)
_NUMBER = re.compile(r"\d|(?:[IVXLC]{2,7}|[B-HJ-Z])\b")
# Capitalised function words begin a sentence even after an abbreviation: "Holz usw. Der Kahn".
_OPENERS = any_of("sentences.openers", "sentences.conditions", "sequences.following")
_OPENING = re.compile(
    rf"(?=\w\w)(?!{any_of('numbers.from_two')}\b)"
    rf"(?:{_OPENERS}|{'|'.join(sorted(words_of('sentences.cannot_end')))})(?!\w)",
    re.IGNORECASE,
)
_NUMERAL = re.compile(r"\W*+[IVX]{1,5}[.)]++\s*+$")
_LETTER = re.compile(r"[^\W\d_]")
# Text in quotation marks within a paragraph, or in brackets within a line.
_PART = r"|\n(?!\s*\n)"
_ENCLOSED = re.compile(
    rf"""(?P<quoted>„(?:[^„“”"\n]{_PART})*+[“”"]|“(?:[^“”\n]{_PART})*+”|«(?:[^«»\n]{_PART})*+»"""
    rf"""|»(?:[^«»\n]{_PART})*+«|(?<![\w"])"(?=[^\s"])[^"\n]*+"(?<=\S")(?!\w))"""
    r"|\((?:[^()\n]|\([^()\n]*+\))*+\)|\[[^\[\]\n]*+\]"
)
_GOES_ON = re.compile(r"[,\s]*+(?=[^\W\d_])(\w)")

_ASKS = re.compile(r"(?<![\s:])\?[*_\"”“»«’)\s]*\Z")
_LONGEST_QUESTION = 250  # characters


def is_question(paragraph: str) -> bool:
    """Return whether ``paragraph`` is a question, which the next paragraph answers."""
    return len(paragraph) <= _LONGEST_QUESTION and _ASKS.search(paragraph) is not None


def sentences(text: str) -> list[tuple[int, int]]:
    """Return the (start, end) offsets of the sentences of ``text``, without white space around.

    A sentence also ends before a list item and after a line that ends in a colon. A full stop does
    not end a sentence after an abbreviation, an ordinal or a list number, nor inside a quotation or
    brackets if the sentence began before these or continues after them in lower case.
    """
    bounds, start = [], 0
    enclosures = _ENCLOSED.finditer(text)
    enclosed = next(enclosures, None)  # the first that ends after the sentence
    for match in END.finditer(text):
        cut = match.end()
        if match.group()[0] in ".!?…":
            if match.group()[0] == "." and _leads_on(text, start, match):
                continue
            while enclosed and enclosed.end() <= cut:
                enclosed = next(enclosures, None)
            if (
                enclosed
                and enclosed.start() <= match.start()
                and (
                    _LETTER.search(text, start, enclosed.start())
                    or (enclosed["quoted"] and _goes_on(text, enclosed.end()))
                )
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


def _leads_on(text: str, start: int, stop: re.Match[str]) -> bool:
    """Return whether the full stop ``stop``, in a sentence from ``start`` on, belongs to an
    abbreviation, an ordinal or a list number.
    """
    first, end, behind = max(start, stop.start() - 12), stop.start() + 1, stop.end()
    if _NUMERAL.match(text, start, behind) or _LEADS_ON.search(text, first, end):
        return True
    if _NUMBER.match(text, behind) and _NUMBERING.search(text, first, end):
        return True
    found = _ABBREVIATION.search(text, first, end)
    if found is None:
        return False
    alone = not _LETTER.search(text, start, found.start())
    return alone or not _OPENING.match(text, behind)


def _goes_on(text: str, end: int) -> bool:
    return bool((match := _GOES_ON.match(text, end)) and match[1].islower())

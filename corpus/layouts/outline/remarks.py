"""Recognises lines that only look like headings (licences, versions, captions, addresses,
signatures, several sentences), and numbers that are not the document's: labelled in another
language, or cited by the line above.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import pairwise

from corpus.formats.lines import cites
from corpus.imprint import is_address, is_imprint
from corpus.languages import FALLBACK, any_of, detect, words_of
from corpus.layouts.outline.printed_numbers import NumberStyle
from corpus.layouts.outline.units import LONGEST_HEADING, Unit

_SIGNATURES = 15  # most units with signatures at the end of a document
_LABEL = 6  # characters: "12 a)"
_TEXT = 20_000  # characters from which the language is detected

_FIGURE = re.compile(rf"\W{{0,4}}{any_of('labels.figures')}\s?\d", re.IGNORECASE)
# "Kiel, den 3. Juni 2023", "Bologna, 14 marzo 2022"
_SIGNED = re.compile(
    r"[^\W\d_][\w .'’-]{1,40},\s(?:\w{1,5}\s)?(?:\d{1,2}[.º°]?\s?[^\W\d_]{3,12}\.?\s\d{4}"
    r"|\d{1,2}[./]\s?\d{1,2}[./]\s?\d{2,4})\W*"
)
# "Die erste Regel heißt Überleben. Viel Erfolg!!!"
_SENTENCES = re.compile(
    r"(?:\S++\s++){3,40}[^\W\d_]{3,}+[.!?…]++\s++[^\W\d_a-zà-ÿ].*+"
    r"(?:(?<=[.!…])|(?<=[.!…]\W)|(?<=[.!…]\W{2})|(?<=[.!…]\W{3}))"
)
# "BGB gilt entsprechend." after "§ 26"
_LAW = re.compile(
    rf"(?:(?i:{any_of('references.laws')})|[A-ZÄÖÜ][a-zäöü]{{1,6}}[A-Z]{{1,2}})(?![\w-])"
)
_SMALL = words_of("function_words.in_titles")
_LABELS = (
    "labels.numbering",
    "labels.articles",
    "sections.appendix",
    "references.rule",
    "references.section",
)


def heads_nothing(text: str) -> bool:
    """Return whether the line ``text`` is not a heading, in whatever style it is printed."""
    if text.endswith(")") and "(" not in text and len(text) > _LABEL:
        return True  # the end of a title of several lines
    if len(text) > 1 and text in _SMALL:
        return True  # part of a title: "Satzung / der / Ruderjugend"
    return len(text) <= LONGEST_HEADING and bool(
        _FIGURE.match(text)
        or _SIGNED.fullmatch(text)
        or _SENTENCES.fullmatch(text)
        or is_address(text)
        or is_imprint(text)
    )


def signatures(units: Sequence[Unit]) -> range:
    """Return the range of signatures in ``units``, from the final place and date on."""
    first = max(len(units) - _SIGNATURES, 0)
    dated = (at for at in range(first, len(units)) if _SIGNED.fullmatch(units[at].text))
    return range(next(dated, len(units)), len(units))


def drop_foreign_labels(units: Sequence[Unit], text: str) -> None:
    """Remove the numbers of ``units`` whose label is not one in the language of ``text``: "Partie
    1" in a German text.
    """
    labelled = [
        unit
        for unit in units
        if unit.number and unit.number.style is NumberStyle.LABELLED and unit.number.form != "§"
    ]
    language = detect(text[:_TEXT]) if labelled else None
    if language is None:
        return
    own = _labels(language)
    for unit in labelled:
        assert unit.number is not None
        form = unit.number.form
        if not own.fullmatch(form) and not own.fullmatch(f"{form}."):
            unit.number, unit.name = None, unit.text


def drop_cited_numbers(units: Sequence[Unit]) -> None:
    """Remove the numbers of ``units`` cited by the line above ("as described in section⏎2.4"), and
    those of laws: "§ 26 BGB gilt entsprechend."
    """
    for unit in units:
        article = unit.number and unit.number.style is NumberStyle.LABELLED
        if article and not unit.looks_like_heading and unit.ends_sentence and _LAW.match(unit.name):
            unit.number, unit.name = None, unit.text
    for above, unit in pairwise(units):
        goes_on = unit.block is above.block and unit.number and not unit.looks_like_heading
        if goes_on and cites(above.text, unit.text):
            unit.number, unit.name = None, unit.text


@cache
def _labels(language: str) -> re.Pattern[str]:
    words = "|".join(any_of(*_LABELS, language=each) for each in (language, FALLBACK))
    return re.compile(words, re.IGNORECASE)

"""Finds printed numbers in a text that may be references: after "see", after a word for a rule, in
brackets, or long enough to be one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from corpus.languages import any_of
from glossary.model import ReferenceKind

_SEE = any_of("references.see", "references.compare")
_PLACE = any_of("references.rule", "references.section", "labels.numbering")
_LETTERED = any_of("references.section", "labels.numbering", "sections.appendix")
_BETWEEN = any_of(
    "references.between",
    "references.also",
    "sentences.all_articles",
    "references.entry",
    "sentences.joined_articles",
)
_JOINED = any_of("sentences.conjunctions", "sentences.alternatives", "sentences.further")
_NUMBER = (
    r"(?:(?:[A-Z]{1,3}\.(?=\d)|[A-Z]{1,3}(?=\d+\.\d))?\d+(?:\.\d+)*(?:\.?[a-z]{1,2}(?![a-z\d]))?|[A-Z]?\d+(?:[a-z]\d*)+)"
    r"(?:\s?\([a-z\d]{1,2}\)(?!\w))*(?![\w%]|[.,]\d)"
)
_START = r"(?:[A-Z]{1,3}\.?)?\d"
_WORDS = rf"(?>{_BETWEEN}\s+){{0,8}}"
_ONE = re.compile(_NUMBER)
_CUE = re.compile(
    rf"(?<!\w)(?![\s\d()\[\]„“”\"«»,.;:!?*_–-])(?:(?P<place>(?:{_SEE}[ \t\n]*+:?\s*+{_WORDS})?(?:{_PLACE}\s+|(?<!§)§+\s?))(?={_START})"
    rf"|{_SEE}(?:\s++|\s*+:\s++){_WORDS}(?={_START})|{any_of('references.by')}\s++{_WORDS}(?={_START}+\.\d))",
    re.IGNORECASE,
)
_BRACKET = re.compile(
    rf"\((?=(?:{_NUMBER})\.?(?:\s*(?:[,;/–-]|{_JOINED}\s)\s*(?:{_NUMBER})\.?)*\s*\))"
)
_DASH = r"\s*[-–—]\s*"
_RANGE = re.compile(
    rf"(?:{_DASH}(?=[A-Z]{{0,3}}\d+\.|\d)|\s*{any_of('references.until')}\s)\s*(?:{_PLACE}\s+|§+\s?)?(?={_START})",
    re.IGNORECASE,
)
_LAST = re.compile(r"\s*[-–—]\s*(\d{1,3})(?![\d.]*\.?\w)")
_LETTER_RANGE = re.compile(r"[-–—](?=[a-z](?!\w))")
_MORE = re.compile(
    rf"\.?\s*(?:,|/|;|(?:,\s*)?(?:{_JOINED})\s)\s*(?:{_SEE}\s+)?(?:{_PLACE}\s+|§+\s?)?(?={_START})",
    re.IGNORECASE,
)
_LABEL = re.compile(rf"(?<!\w)(?:(?i:{_LETTERED}))\s+(?:[IVXLC]{{1,7}}|[A-Z])(?![\w'’])")
_LONG = re.compile(
    rf"(?<![\w.,–-])(?=[A-Z]{{0,3}}\.?\d+\.(?:\d+\.\d|\d+[a-z](?!\w))|[A-Z]{{1,3}}\.\d+\.\d){_NUMBER}"
)
_VERSION = re.compile(
    rf"(?:\bv\.?|(?<!\w){any_of('labels.version', 'labels.edition', 'labels.as_of')}\w{{0,2}})\s*"
    rf"(?:\d[\d.]*(?:\s*,\s*(?:{_JOINED}\s+)?|\s+{_JOINED}\s+))*$",
    re.IGNORECASE,
)
_AFTER_NAME = re.compile(r"\s*(?:[).,;:]|$)")


class NumberToken(NamedTuple):
    """A number as printed: its offsets, its text as it is looked up, and whether the text says that
    it is one of a rule.

    ``sure`` numbers that nothing has are references without a target; others are only numbers. A
    ``label`` is one of words and a number, such as "Appendix II".
    """

    start: int
    end: int
    number: str
    kind: ReferenceKind
    sure: bool
    label: bool = False


def number_tokens(text: str) -> Iterator[NumberToken]:
    """The numbers in ``text`` that may be references: those a word announces, with those joined to
    them, then those in brackets, labels, and numbers of three parts or with a letter.
    """
    for cue in _CUE.finditer(text):
        yield from _joined_numbers(text, cue.end(), bool(cue["place"]))
    for bracket in _BRACKET.finditer(text):
        for token in _joined_numbers(text, bracket.end(), False):
            if "." in token.number or not token.number.isdigit():
                yield token._replace(sure=False)
    for label in _LABEL.finditer(text):
        yield NumberToken(
            *label.span(), label.group(), ReferenceKind.INLINE, sure=False, label=True
        )
    for long in _LONG.finditer(text):
        if text[: long.start()].strip() and not _VERSION.search(text, 0, long.start()):
            for token in _joined_numbers(text, long.start(), True):
                if token.kind is ReferenceKind.RANGE or _LONG.match(text, token.start):
                    yield token._replace(sure=False)


def _joined_numbers(text: str, at: int, place: bool) -> Iterator[NumberToken]:
    """The number at an offset and those joined to it by commas, words and dashes; ``place`` says
    that a word for a rule stands before.
    """
    ranged = False
    while (match := _ONE.match(text, at)) is not None:
        number, end = match.group(), match.end()
        last = _last_of_range(text, match)
        # "7.2.4-1" is option 1 of rule 7.2.4, and no range.
        following = (
            None if last or ("." in number and _LAST.match(text, end)) else _RANGE.match(text, end)
        )
        kind = ReferenceKind.RANGE if following or last or ranged else ReferenceKind.INLINE
        if place or "." in number or _AFTER_NAME.match(text, end):
            yield NumberToken(match.start(), end, number, kind, sure="." in number)
        if last:
            yield last
            end = last.end
        ranged = following is not None
        more = following or _MORE.match(text, end)
        if more is None:
            return
        at = more.end()


def _last_of_range(text: str, first: re.Match[str]) -> NumberToken | None:
    """The last number of a range that is printed by its last part alone: 603.7f for "603.7d-f",
    509.3 for "509.1-3".
    """
    number, at = first.group(), first.end()
    if number[-1:].isalpha() and (dash := _LETTER_RANGE.match(text, at)):
        return NumberToken(
            dash.end(),
            dash.end() + 1,
            number[:-1] + text[dash.end()],
            ReferenceKind.RANGE,
            sure=False,
        )
    around, _, part = number.rpartition(".")
    last = _LAST.match(text, at) if around and part.isdigit() else None
    if last is None or int(last[1]) <= int(part):
        return None
    return NumberToken(*last.span(1), f"{around}.{last[1]}", ReferenceKind.RANGE, sure=False)

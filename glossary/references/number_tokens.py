"""Finds printed numbers in a text that may be references: after "see", after a word for a rule, in brackets, or long enough to be one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from corpus.languages import any_of
from glossary.model import ReferenceKind

_SEE = any_of("references.see", "references.compare")
_PLACE = any_of("references.rule", "references.section", "labels.numbering")
_LETTERED = any_of("references.section", "labels.numbering", "sections.appendix")
_BETWEEN = any_of("references.between", "references.also", "sentences.all_articles", "references.entry", "sentences.joined_articles")
_JOINED = any_of("sentences.conjunctions", "sentences.alternatives", "sentences.further")
_NUMBER = r"(?:\d+(?:\.\d+)*(?:\.?[a-z]{1,2}(?![a-z\d]))?|[A-Z]?\d+(?:[a-z]\d*)+)(?:\s?\([a-z\d]{1,2}\)(?!\w))*(?![\w%]|[.,]\d)"
_ONE = re.compile(_NUMBER)
_CUE = re.compile(
    rf"(?P<place>(?<!\w)(?:{_SEE}[ \t\n]*:?\s*(?:{_BETWEEN}\s+)*)?(?:{_PLACE}\s+|§+\s?))(?=[A-Z]?\d)"
    rf"|(?<!\w){_SEE}\s*:?\s+(?:{_BETWEEN}\s+)*(?=[A-Z]?\d)|(?<!\w){any_of('references.by')}\s+(?:{_BETWEEN}\s+)*(?=\d+\.\d)",
    re.IGNORECASE,
)
_BRACKET = re.compile(rf"\((?=(?:{_NUMBER})\.?(?:\s*(?:[,;/–-]|{_JOINED}\s)\s*(?:{_NUMBER})\.?)*\s*\))")
_RANGE = re.compile(rf"\s*(?:[-–—]|{any_of('references.until')}\s)\s*(?:{_PLACE}\s+|§+\s?)?(?=\d)", re.IGNORECASE)
_LETTER_RANGE = re.compile(r"[-–—](?=[a-z](?!\w))")
_MORE = re.compile(rf"\.?\s*(?:,|/|;|(?:,\s*)?(?:{_JOINED})\s)\s*(?:{_SEE}\s+)?(?:{_PLACE}\s+|§+\s?)?(?=[A-Z]?\d)", re.IGNORECASE)
_LABEL = re.compile(rf"(?<!\w)(?:(?i:{_LETTERED}))\s+(?:[IVXLC]{{1,7}}|[A-Z])(?![\w'’])")
_LONG = re.compile(rf"(?<![\w.,–-])(?=\d+\.(?:\d+\.\d|\d+[a-z](?!\w))){_NUMBER}")
_VERSION = re.compile(rf"(?:\bv\.?|{any_of('labels.version', 'labels.edition', 'labels.as_of')})\s*$", re.IGNORECASE)
_AFTER_NAME = re.compile(r"\s*(?:[).,;:]|$)")


class NumberToken(NamedTuple):
    """A number as printed: its offsets, its text as it is looked up, and whether the text says that it is one of a rule.

    ``sure`` numbers that nothing has are references without a target; others are only numbers. A ``label`` is one of words
    and a number, such as "Appendix II".
    """

    start: int
    end: int
    number: str
    kind: ReferenceKind
    sure: bool
    label: bool = False


def number_tokens(text: str) -> Iterator[NumberToken]:
    """The numbers in ``text`` that may be references: those a word announces, with those joined to them, then those in brackets, labels,
    and numbers of three parts or with a letter."""
    for cue in _CUE.finditer(text):
        yield from _joined_numbers(text, cue.end(), bool(cue["place"]))
    for bracket in _BRACKET.finditer(text):
        for token in _joined_numbers(text, bracket.end(), False):
            if "." in token.number or not token.number.isdigit():
                yield token._replace(sure=False)
    for label in _LABEL.finditer(text):
        yield NumberToken(*label.span(), label.group(), ReferenceKind.INLINE, sure=False, label=True)
    for long in _LONG.finditer(text):
        if text[: long.start()].strip() and not _VERSION.search(text, 0, long.start()):
            for token in _joined_numbers(text, long.start(), True):
                yield token._replace(sure=False)


def _joined_numbers(text: str, at: int, place: bool) -> Iterator[NumberToken]:
    """The number at an offset and those joined to it by commas, words and dashes; ``place`` says that a word for a rule stands before."""
    ranged = False
    while (match := _ONE.match(text, at)) is not None:
        following = _RANGE.match(text, match.end())
        letters = _LETTER_RANGE.match(text, match.end()) if match.group()[-1:].isalpha() else None
        kind = ReferenceKind.RANGE if following or letters or ranged else ReferenceKind.INLINE
        if place or "." in match.group() or _AFTER_NAME.match(text, match.end()):
            yield NumberToken(match.start(), match.end(), match.group(), kind, sure="." in match.group())
        if letters:
            last = match.group()[:-1] + text[letters.end()]
            yield NumberToken(letters.end(), letters.end() + 1, last, ReferenceKind.RANGE, sure=False)
            following = None
        ranged = following is not None
        more = following or _MORE.match(text, letters.end() + 1 if letters else match.end())
        if more is None:
            return
        at = more.end()

"""Numbers printed at the beginning of a line: "1.", "702.2c", "§ 3", "Art. 5", "Rule 12", "IV.",
"A.", "(a)", and what follows what.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple

from corpus.languages import any_of

GAP = 3  # numbers that may be missing between two of a sequence


class NumberStyle(StrEnum):
    """How the last part of a number is printed; marks of a style of their own count from one within
    what they stand in.
    """

    DECIMAL = "decimal"  # 1. 1.2 702.2c 1a2) B1a)
    LABELLED = "labelled"  # § 3, Art. 5, Rule 12
    ROMAN = "roman"
    CAPITAL = "capital"
    LETTER = "letter"
    BRACKETED = "bracketed"  # (1) 1)


class PrintedNumber(NamedTuple):
    """A number: as ``printed``, its parts, and how many characters of the line it takes with what
    closes it.
    """

    printed: str
    parts: tuple[str, ...]
    style: NumberStyle
    length: int


_LABEL = any_of("labels.numbering", "sections.appendix", "references.rule", "references.section")
_BARE = re.compile(
    r"(\d{1,3})(?=\s+[^\W\d])(?!\s+\w+\.?\s+\d{4}\Z)"
)  # "1 Introduction", but not "2 May 2026"
_DECIMAL = re.compile(
    r"(\d{1,8}(?:\.\d{1,4}){0,7})(?:\.?([a-z]{1,2}))?(?:(\.\)?|:)(?=\s|\Z|[^\W\d])|(?=\s|\Z))"
)
_LETTERED = re.compile(
    r"([A-Z]{1,2}\d{0,2}(?:\.\d{1,3}){1,5}(?:\.[a-z])?)(?:[.:)]+(?=\s|\Z)|(?=\s|\Z))"
)  # A.1 CE1.2.3.b
_MIXED = re.compile(
    r"([A-Z]?\d{1,3}(?:\.\d{1,3}){0,5}(?:[a-z]{1,2}\d{1,3}){0,4}[a-z]{0,2})(?:\)|[.:](?=\s))"
)
_PART = re.compile(r"\d+|[A-Za-z]+")
_LABELLED = re.compile(
    rf"((?:§+\s?|(?i:{_LABEL})\s)(?:(\d{{1,4}})([a-z]?)|([IVXLC]{{1,7}}|[A-Z])))(?:[.:)–—-]+(?!\d)|(?=\s)|\Z)"
)
_ROMAN = re.compile(r"([IVXLC]{1,7})\.?[.)](?=\s)")
_CAPITAL = re.compile(r"([A-Z])[.)](?=\s)")
_LETTER = re.compile(r"\(([a-z])\)(?=\s)|([a-z])\.?[.)](?=\s)")
_BRACKETED = re.compile(r"\((\d{1,3})\)(?=\s)|(\d{1,3})\)(?=\s)")
_ROMAN_DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}


def parse_number(text: str, heading: bool = False) -> PrintedNumber | None:
    """The number that ``text`` begins with. A whole number alone needs a sign that closes it, but
    not in a ``heading``.
    """
    if heading and (match := _BARE.match(text)):
        return PrintedNumber(match[1], (match[1],), NumberStyle.DECIMAL, match.end())
    if match := _DECIMAL.match(text):
        digits, letter, close = match.groups()
        if "." not in digits and not close:
            return None
        parts = (*digits.split("."), letter) if letter else tuple(digits.split("."))
        return PrintedNumber(digits + (letter or ""), parts, NumberStyle.DECIMAL, match.end())
    if match := _LETTERED.match(text):
        return PrintedNumber(match[1], tuple(match[1].split(".")), NumberStyle.DECIMAL, match.end())
    if (match := _MIXED.match(text)) and len(parts := tuple(_PART.findall(match[1]))) > 1:
        return PrintedNumber(match[1], parts, NumberStyle.DECIMAL, match.end())
    if match := _LABELLED.match(text):
        value = match[2] or match[4]
        parts = (
            value
            if value.isdigit() or (len(value) == 1 and value not in "IVX")
            else str(roman(value)),
            *filter(None, [match[3]]),
        )
        return PrintedNumber(match[1], parts, NumberStyle.LABELLED, match.end())
    for pattern, style in (
        (_ROMAN, NumberStyle.ROMAN), (_CAPITAL, NumberStyle.CAPITAL), (_LETTER, NumberStyle.LETTER), (_BRACKETED, NumberStyle.BRACKETED),
    ):  # fmt: skip
        if match := pattern.match(text):
            printed = next(filter(None, match.groups()))
            return PrintedNumber(printed, (printed,), style, match.end())
    return None


def roman(text: str) -> int:
    """The value of a Roman number."""
    values = [_ROMAN_DIGITS.get(c, 0) for c in text.upper()]
    return sum(-a if a < b else a for a, b in zip(values, [*values[1:], 0], strict=True))


def ordinal(part: str, style: NumberStyle) -> int:
    """The value of one part of a number: 1 for "1", "a", "A" and "I"."""
    if part.isdigit():
        return int(part)
    if style is NumberStyle.ROMAN:
        return roman(part)
    return sum(ord(c) - 96 for c in part.lower()[-1:]) + 26 * (len(part) - 1)


def contains(outer: tuple[str, ...], inner: tuple[str, ...]) -> bool:
    """Whether the decimal number ``outer`` is around ``inner``: 1.2 around 1.2.1 and 1.2a, 1 around
    100, 11 around 111.
    """
    if len(inner) > len(outer) and inner[: len(outer)] == outer:
        return True
    return (
        len(outer) == 1
        and outer[0].isdigit()
        and inner[0].isdigit()
        and len(inner[0]) > len(outer[0])
        and inner[0].startswith(outer[0])
    )


def begins_within(outer: tuple[str, ...], inner: tuple[str, ...]) -> bool:
    """Whether ``inner`` is one of the first numbers within ``outer``: 1.2.1, 1.2a or 1.2.1.1 in
    1.2; 100 or 101 in 1; 111 in 11.
    """
    if not contains(outer, inner):
        return False
    rest = (
        inner[len(outer) :]
        if inner[: len(outer)] == outer
        else (inner[0][len(outer[0]) :], *inner[1:])
    )
    return all(ordinal(part, NumberStyle.DECIMAL) <= GAP for part in rest)


def follows(before: tuple[str, ...], after: tuple[str, ...], style: NumberStyle) -> bool:
    """Whether ``after`` is the next number, or one of the first within the next: 1.4, 2 or 2.1
    after 1.3. A few may be missing.
    """
    at = next((i for i, (a, b) in enumerate(zip(before, after, strict=False)) if a != b), None)
    if at is None or before[at].isdigit() != after[at].isdigit():
        return False
    step = ordinal(after[at], style) - ordinal(before[at], style)
    return 1 <= step <= GAP + 1 and all(ordinal(part, style) <= GAP for part in after[at + 1 :])

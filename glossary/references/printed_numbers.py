"""Normalise rule numbers for comparison: "§ 1 (3)" and "§ 1 Abs. 3" are both 1.3 after "§"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from corpus.formats.assembly import roman_value
from corpus.languages import any_of
from corpus.layouts.outline.printed_numbers import SUFFIXES
from glossary.normalization import fold

# "5 bis" is a rule between 5 and 6, in every language.
SUFFIX = rf"(?:\s?-?(?i:{'|'.join(SUFFIXES)})(?![\w-])(?!\s*+(?:§|\d)))"
_LABEL = re.compile(
    r"\s*+(?P<label>§+|[^\W\d_]+\.?(?=\s+(?:\d|[IVXLC]{1,7}(?!\w)|[A-Z](?!\w)))"
    r"|\w?[a-z]{2,}\.(?=\d)|[A-Z][a-z]{2,}(?=\d))\s*+"
)
_ROMAN = re.compile(r"[IVXLC]{2,7}|[IVX]")
_PART = re.compile(r"\d+|[a-z]+")
_LONGEST_RANGE = 60
_BRACKETED = re.compile(r"\s?\(([a-z\d]{1,4})\)")
_RULE = re.compile(rf"§+|{any_of('references.rule')}", re.IGNORECASE)
_PARTS = re.compile(any_of("references.parts"), re.IGNORECASE)
_APPENDIX = re.compile(any_of("sections.appendix", "references.appendices"), re.IGNORECASE)


Parts = tuple[str, ...]


class NumberKey(NamedTuple):
    """A normalised number: the `label_key` of the word before it, or "", and its parts in lower
    case.
    """

    label: str
    parts: Parts


def number_key(printed: str) -> NumberKey:
    """Return the key of a ``printed`` number: ("art", ("5", "bis")) for "Art. 5 bis". After a word,
    Roman numerals are numbers: "Part II".
    """
    label = _LABEL.match(printed)
    rest = (printed[label.end() :] if label else printed).strip(" .:)")
    parts: Parts = tuple(_PART.findall(rest.lower()))
    if label and _ROMAN.fullmatch(rest):
        parts = (str(roman_value(rest)),)
    return NumberKey(label_key(label["label"]) if label else "", parts)


def rule_and_marks(printed: str, label: str) -> tuple[Parts, Parts]:
    """Return the parts of a number ``printed`` after ``label``, and the parts in brackets after it:
    ("4", "2") and ("a",) for "4.2 (a)".
    """
    marks = tuple(mark.lower() for mark in _BRACKETED.findall(printed))
    return number_key(f"{label} {_BRACKETED.sub('', printed)}").parts, marks


def item_parts(item: str) -> Parts:
    """Return the parts of the number of a list ``item``: "3" and "a" for "3. a)"."""
    return tuple(part for mark in item.split() for part in number_key(mark).parts)


def numbers_between(first: str, last: str, label: str) -> Iterator[tuple[Parts, Parts]]:
    """Yield the numbers between two printed ones after ``label``, each as parts of the rule and
    marks inside it: 3.2 and 3.3 for "3.1" and "3.4".
    """
    rule, marks = rule_and_marks(first, label)
    (*around, step), (*same, end) = (*rule, *marks), sum(rule_and_marks(last, label), ())
    if around == same and step.isdigit() == end.isdigit():
        for each in range(ordinal(step) + 1, min(ordinal(end), ordinal(step) + _LONGEST_RANGE)):
            parts = (*around, str(each) if step.isdigit() else chr(each))
            yield parts[: len(rule)], parts[len(rule) :]


def ordinal(part: str) -> int:
    """Return the value of a numeric ``part`` of a number, or the code point of its first letter."""
    return int(part) if part.isdigit() else ord(part[0])


def label_key(word: str) -> str:
    """Return a common key for all forms of a word before numbers: "art" for "Articoli", "appendix"
    for all words for an appendix.
    """
    folded = fold(word).strip(". ")
    if _APPENDIX.fullmatch(word):
        return APPENDIX
    return folded[: 5 if folded.startswith("parag") else 3] if folded[:1] != "§" else "§"


APPENDIX = "appendix"


def names_any_rule(label: str) -> bool:
    """Return whether ``label`` means any rule ("rule", "§"), so that it can replace "Art."."""
    return _RULE.fullmatch(label) is not None


def names_part(label: str) -> bool:
    """Return whether ``label`` may also precede the number of a part or a list item."""
    return _PARTS.fullmatch(label) is not None

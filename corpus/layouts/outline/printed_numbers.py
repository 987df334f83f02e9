"""Parses numbers at the beginning of a line: "1.", "702.2c", "§ 3", "Art. 3-bis", "IV.", "(a)",
"aa)", "Chapter One", "Zweiter Teil".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

from corpus.formats.assembly import roman_value
from corpus.languages import LANGUAGES, any_of, capitals, get_language, letters

GAP = 3  # most numbers missing between two of a sequence

_ARTICLE = rf"(?:{any_of('labels.articles', 'references.rule')})"
_LABEL = any_of(
    "labels.numbering",
    "labels.articles",
    "sections.appendix",
    "references.rule",
    "references.section",
)
_COUNTED = any_of("labels.counted")
# Patterns for the words for 1, 2, 3 … in all languages; the last of each is no ordinal.
NUMBER_WORDS = tuple(
    tuple(words[at] for words in all_words if at < len(words))
    for all_words in [[get_language(code).labels.ordinals for code in LANGUAGES]]
    for at in range(max(map(len, all_words)))
)
_NUMBERS = tuple(map("|".join, NUMBER_WORDS))
# In order of their values: Art. 3-bis, Art. 3-ter.
SUFFIXES = ("bis", "ter", "quater", "quinquies", "sexies", "septies", "octies", "novies", "decies")
# "1 Introduction", but not "2 May 2026".
_BARE = re.compile(r"(\d{1,3})(?=\s+[^\W\d])(?!\s+\w+\.?\s+\d{4}\Z)")
_DECIMAL = re.compile(
    r"(\d{1,8}(?:\.\d{1,4}){0,7})(?:\.?([a-z]{1,2}))?(?:(\.\)?|:)(?=\s|\Z|[^\W\d])|(?=\s|\Z))"
)
_POINTED = re.compile(rf"\d{{1,8}}\.[a-z]\s\W{{0,3}}[{capitals()}]")  # "2.b Boats", not "2.b boat"
_INSERTED = re.compile(  # 5bis.a. 5-bis.1
    rf"(\d{{1,4}})[\s-]?({'|'.join(SUFFIXES)})\.(\d{{1,3}}|[a-z])(?:[.:)]+(?=\s|[^\W\d])|(?=\s))"
)
# "1 - Setup", "IV – Setup"
_DASHED = re.compile(r"(?:(\d{1,3})|([IVXLC]{1,7}))\.?\s[-–—](?=\s[^\W\d])")
# A.1 CE1.2.3.b
_LETTERED = re.compile(
    r"([A-Z]{1,2}\d{0,2}(?:\.\d{1,3}){1,5}(?:\.[a-z])?)(?:[.:)]+(?=\s|\Z)|(?=\s|\Z))"
)
_MIXED = re.compile(
    r"([A-Z]?\d{1,3}(?:\.\d{1,3}){0,5}(?:[a-z]{1,2}\d{1,3}){0,4}[a-z]{0,2})(?:\)|[.:](?=\s))"
)
_PART = re.compile(r"\d+|[A-Za-z]+")
_LABELLED = re.compile(
    rf"((?P<label>§+\s?|(?i:{_LABEL})(?:\s|(?<=\.)|(?<=[^\W\d_]{{3}})(?=\d))|R\s)"
    rf"(?:(?P<digits>\d{{1,4}})(?:(?P<letter>[a-z])|[\s-]?(?P<suffix>{'|'.join(SUFFIXES)})\b)?"
    r"|(?P<roman>[IVXLC]{1,7}|[A-Z])))"
    r"(?P<close>[.:)–—-]+(?!\d)|[°º](?:\s?[.:)–—-])?|(?=[\s(])|\Z)"
)
_ORDINAL = rf"(?i:{'|'.join(_NUMBERS)})"
# "Parte prima", "Chapter One", "Zweiter Teil", "2. Abschnitt"
_IN_WORDS = re.compile(
    rf"(?:(?P<label>(?i:{_LABEL}))\s+(?P<ordinal>{_ORDINAL})|(?P<before>{_ORDINAL})\s+"
    rf"(?P<after>(?i:{_LABEL}))|(?:(?P<digits>\d{{1,2}})\.|(?P<roman>[IVX]{{1,5}})\.?)\s?"
    rf"(?P<counted>(?i:{_COUNTED})))(?!\s?\d)(?P<close>\s?[.:)–—-]+|(?=\s)|\Z)"
)
# "Regel 7 gilt auch hier", but not "Art. 7 a) …"
_GOES_ON = re.compile(rf"\s*+(?![a-z]{{1,2}}\.?\)\s)[{letters()}]")
# Signs before a number: "🎲 Chapter 1"
_SYMBOLS = re.compile(r"(?:[\u2190-\u2bff\U0001f000-\U0001faff][\ufe0e\ufe0f\u200d]*+\s*+)++")
_KEYCAP = re.compile(r"(\d{1,2})\ufe0f?\u20e3")


class NumberStyle(Enum):
    """The print style of the last part of a number; list marks in their own style count from one
    within their parent.
    """

    DECIMAL = auto()  # 1. 1.2 702.2c 1a2) B1a)
    LABELLED = auto()  # § 3, Art. 5, Rule 12
    ROMAN = auto()
    CAPITAL = auto()
    LETTER = auto()
    DOUBLED = auto()  # aa) bb)
    SMALL_ROMAN = auto()
    BRACKETED = auto()  # (1) 1)


# A blank, or text right after a bracket: "(3)Who won", "a)the boat", but not "(s)he".
_BLANK = r"(?=\s|(?<=\))[„“«\"]?[^\W\d_])"
_BLANK_OR_CAPITAL = rf"(?=\s|[„“«\"]?[{capitals()}])"
_MARKS = (
    (NumberStyle.ROMAN, re.compile(r"([IVXLC]{1,7})\.?[.)](?=\s)")),
    (NumberStyle.CAPITAL, re.compile(r"([A-Z])[.)](?=\s)")),
    (NumberStyle.LETTER, re.compile(rf"\(([a-z])\){_BLANK_OR_CAPITAL}|([a-z])\.?[.)]{_BLANK}")),
    (
        NumberStyle.DOUBLED,
        re.compile(rf"\((([a-z])\2)\){_BLANK_OR_CAPITAL}|(([a-z])\4)\.?\){_BLANK}"),
    ),
    (
        NumberStyle.SMALL_ROMAN,
        re.compile(rf"\(([ivxlc]{{1,7}})\){_BLANK_OR_CAPITAL}|([ivxlc]{{1,7}})\.?\){_BLANK}"),
    ),
    (NumberStyle.BRACKETED, re.compile(rf"\((\d{{1,3}})\){_BLANK}|(\d{{1,3}})\){_BLANK}")),
)
_SMALL_ROMAN = re.compile(r"[ivxlc]+")


class PrintedNumber(NamedTuple):
    """A number as ``printed``, its parts, and its length in the line including closing punctuation.

    ``form`` distinguishes sequences of one style: the label of a labelled number, "(" or ")" of a
    mark ("(1)" and "1)"), "-" of "1 - Setup". ``is_chapter``: the label names a part of the
    document that contains articles or rules.
    """

    printed: str
    parts: tuple[str, ...]
    style: NumberStyle
    length: int
    form: str = ""
    is_chapter: bool = False

    @property
    def kind(self) -> tuple[NumberStyle, str]:
        """The key shared by all numbers of a sequence."""
        return self.style, self.form

    @property
    def mark(self) -> str:
        """The number of a list item with its punctuation: "(1)", "a)", "1."."""
        if self.form == "(":
            return f"({self.printed})"
        return f"{self.printed}{self.form.strip('-') or '.'}"

    @property
    def is_first(self) -> bool:
        """Whether this is the first number of its sequence."""
        return all(ordinal(part, self.style) <= 1 for part in self.parts)

    @property
    def is_whole(self) -> bool:
        """Whether the number has only one part."""
        return len(self.parts) == 1

    @property
    def is_plain(self) -> bool:
        """Whether this is a whole decimal number without a label: "1."."""
        return self.is_whole and self.style is NumberStyle.DECIMAL

    @property
    def depth(self) -> tuple[NumberStyle, str, int]:
        """The kind of the number and its count of parts."""
        return (*self.kind, 1 if self.style is NumberStyle.LABELLED else len(self.parts))

    def readings(self) -> Iterator[PrintedNumber]:
        """Yield the possible readings of the number, itself first: "C." may be a Roman number or a
        letter; "i)" and "ii)" may be letters or Roman numbers.
        """
        yield self
        if self.style is NumberStyle.ROMAN and len(self.printed) == 1:
            yield self._replace(style=NumberStyle.CAPITAL)
        letters = self.style in (NumberStyle.LETTER, NumberStyle.DOUBLED)
        if letters and _SMALL_ROMAN.fullmatch(self.printed):
            yield self._replace(style=NumberStyle.SMALL_ROMAN)

    def contains(self, inner: PrintedNumber) -> bool:
        """Return whether this number is a prefix of ``inner``: 1.2 of 1.2.1 and 1.2a, 1 of 100."""
        if NumberStyle.LABELLED is self.style is inner.style:
            return False
        first, parts = self.parts[0], inner.parts
        if len(parts) > len(self.parts) and parts[: len(self.parts)] == self.parts:
            return True
        digits = self.is_whole and first.isdigit() and parts[0].isdigit()
        return (
            digits
            and self.style is inner.style
            and parts[0] != first
            and parts[0].startswith(first)
        )

    def begins(self, inner: PrintedNumber) -> bool:
        """Return whether ``inner`` is one of the first numbers in this: 1.2.1 in 1.2, 100 in 1."""
        if not self.contains(inner):
            return False
        size, parts = len(self.parts), inner.parts
        same = parts[:size] == self.parts
        rest = parts[size:] if same else (parts[0][len(self.parts[0]) :], *parts[1:])
        return all(ordinal(part, NumberStyle.DECIMAL) <= GAP for part in rest)

    def precedes(self, after: PrintedNumber) -> bool:
        """Return whether ``after`` is the next number of its kind or one of the first within the
        next; a few numbers may be missing.

        1.4, 2 and 2.1 follow 1.3; § 5a follows § 5.
        """
        if self.kind != after.kind:
            return False
        if self.style is NumberStyle.LABELLED:
            one, other = self._order(), after._order()
            return one < other and other[0] - one[0] <= GAP + 1 and other[1] <= one[1] + GAP
        pairs = zip(self.parts, after.parts, strict=False)
        at = next((i for i, (one, other) in enumerate(pairs) if one != other), None)
        if at is None or self.parts[at].isdigit() != after.parts[at].isdigit():
            return False
        step = ordinal(after.parts[at], after.style) - ordinal(self.parts[at], after.style)
        inner = after.parts[at + 1 :]
        return 1 <= step <= GAP + 1 and all(ordinal(part, after.style) <= GAP for part in inner)

    def is_followed_by(self, after: PrintedNumber) -> bool:
        """Return whether ``after`` is the direct successor."""
        if self.kind != after.kind or self.parts[:-1] != after.parts[:-1]:
            return False
        return ordinal(self.parts[-1], self.style) + 1 == ordinal(after.parts[-1], self.style)

    def _order(self) -> tuple[int, int]:
        number, *suffix = self.parts
        return (
            int(number) if number.isdigit() else ordinal(number, self.style),
            ordinal(suffix[0], self.style) if suffix else 0,
        )


def parse_number(text: str, heading: bool = False) -> PrintedNumber | None:
    """Return the number at the beginning of ``text``, or None. A single whole number needs closing
    punctuation, except in a ``heading``.
    """
    if symbols := _SYMBOLS.match(text):
        found = parse_number(text[symbols.end() :], heading)
        return found and found._replace(length=found.length + symbols.end())
    if (match := _IN_WORDS.match(text)) and (found := _in_words(match, text)):
        return found
    if match := _DASHED.match(text):
        style = NumberStyle.DECIMAL if match[1] else NumberStyle.ROMAN
        printed = match[1] or match[2]
        return PrintedNumber(printed, (printed,), style, match.end(), "-")
    if match := (heading and _BARE.match(text)) or _KEYCAP.match(text):
        return PrintedNumber(match[1], (match[1],), NumberStyle.DECIMAL, match.end())
    if match := _DECIMAL.match(text):
        digits, letter, close = match.groups(default="")
        if "." not in digits and not close and not _POINTED.match(text):
            return None
        parts = (*digits.split("."), *filter(None, [letter]))
        return PrintedNumber(digits + letter, parts, NumberStyle.DECIMAL, match.end())
    if match := _INSERTED.match(text):
        printed = f"{match[1]}{match[2]}.{match[3]}"
        return PrintedNumber(printed, match.groups(), NumberStyle.DECIMAL, match.end())
    if match := _LETTERED.match(text):
        return PrintedNumber(match[1], tuple(match[1].split(".")), NumberStyle.DECIMAL, match.end())
    if (match := _MIXED.match(text)) and len(parts := tuple(_PART.findall(match[1]))) > 1:
        return PrintedNumber(match[1], parts, NumberStyle.DECIMAL, match.end())
    if match := _LABELLED.match(text):
        return _labelled(match, text)
    for style, pattern in _MARKS:
        if match := pattern.match(text):
            printed = next(filter(None, match.groups()))
            form = "(" if text[0] == "(" else match[0][-1]
            return PrintedNumber(printed, (printed,), style, match.end(), form)
    return None


def parse_label(text: str) -> PrintedNumber | None:
    """Return the labelled number at the beginning of ``text``, or None, even before a small letter,
    where it may be only cited: "§ 3 gilt auch hier".
    """
    return _label_at(match) if (match := _LABELLED.match(text)) else None


def _labelled(match: re.Match[str], text: str) -> PrintedNumber | None:
    goes_on = not match["close"] and _GOES_ON.match(text, match.end())
    return None if goes_on else _label_at(match)


def _label_at(match: re.Match[str]) -> PrintedNumber:
    value = match["digits"] or match["roman"]
    if not value.isdigit() and (len(value) > 1 or value in "IVX"):
        value = str(roman_value(value))
    parts = (value, *filter(None, [match["letter"] or match["suffix"]]))
    return _with_label(match[1], match["label"], parts, match.end())


def _in_words(match: re.Match[str], text: str) -> PrintedNumber | None:
    if not match["close"] and _GOES_ON.match(text, match.end()):
        return None
    if ordinal := match["ordinal"] or match["before"]:
        patterns = enumerate(_NUMBERS, 1)
        value = next(n for n, each in patterns if re.fullmatch(each, ordinal, re.IGNORECASE))
    else:
        value = int(match["digits"] or roman_value(match["roman"]))
    label = match["label"] or match["after"] or match["counted"]
    printed = text[: match.start("close")]
    return _with_label(printed, label, (str(value),), match.end())


def _with_label(printed: str, label: str, parts: tuple[str, ...], length: int) -> PrintedNumber:
    form = label.strip().rstrip(".").casefold()
    article = form[0] in "§r" or re.fullmatch(_ARTICLE, label.strip(), re.IGNORECASE)
    return PrintedNumber(
        printed,
        parts,
        NumberStyle.LABELLED,
        length,
        "§" if form[0] == "§" else form,
        not article,
    )


def ordinal(part: str, style: NumberStyle) -> int:
    """Return the value of one part of a number: 1 for "1", "a", "A", "I" and "aa", 2 for "bis"."""
    if part.isdigit():
        return int(part)
    if style in (NumberStyle.ROMAN, NumberStyle.SMALL_ROMAN):
        return roman_value(part)
    if style is NumberStyle.LABELLED and part in SUFFIXES:
        return SUFFIXES.index(part) + 2
    last = sum(ord(letter) - 96 for letter in part.lower()[-1:])
    return last if style is NumberStyle.DOUBLED else last + 26 * (len(part) - 1)

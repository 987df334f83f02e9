"""Finds the version and the date of effect that a document prints at its top, in its running heads
and at its end.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from corpus.dates import date_at_start, dates_in
from corpus.document import Document
from corpus.languages import FALLBACK, LANGUAGES, any_of, get_language

HEAD_LINES = 40  # lines with text at the top of a document, where its version and date are printed

_LONGEST = 300  # characters of such a line that are read
_TITLE_LINES = 12  # at the top, where a title may have its date
_LAST_LINES = 12  # of the text, where statutes say when they come into force
_PROSE = 90  # characters: a longer sentence is about another document, or the game
_ADOPTED = 90  # characters between a word like "adopted" and its date
_MOST = 100  # editions; a larger number counts copies, unless it is a year
_YEARS = range(1900, 2200)
_SIGNS = re.compile(r"<[^>]{0,100}>|!?\[[^\]]{0,100}\]\([^)]{0,200}\)|[*_#`]")

# A date is not a version number.
_DAY = (
    r"\d{1,2}(?:(?:er|st|nd|rd|th|\s?\.|º|°)?\s+|\.)(?:\w{2}\s+)?[^\W\d]{3,12},?\s+"
    r"(?:\w{2,3}\s+)?\d{4}"
)
_YEAR = r"(?:19|20)\d\d"
_SEPARATOR = r"(?:[/-]|\s?\.)\s?"
_WHOLE_DATE = (
    rf"{_DAY}|\d{{4}}-\d{{1,2}}-\d{{1,2}}"
    rf"|\d{{1,2}}{_SEPARATOR}\d{{1,2}}{_SEPARATOR}(?:\d{{4}}|\d\d)\b"
)
_DATE = (
    rf"{_WHOLE_DATE}"
    rf"|(?:\d{{1,2}}[./]|[^\W\d]{{3,10}}+\.?\s(?:\d{{1,2}},\s|del?\s)?){_YEAR}(?:[/–-]\d\d)?\b"
    rf"|{_YEAR}(?:\s?[/–-]\s?\d{{2,4}}\b)?"
)
_NUMBER = (
    rf"(?!{_DAY})({_YEAR}[/–-]\d{{2,4}}(?:-\d\d)?|\d{{1,2}}/(?:\d{{1,2}}/)?\d{{4}}"
    r"|\d+(?:\.\d+)*\w*)"
)
_COUNTED = r"[^\w\n]{1,12}(?:(?:n|nr|no|num)[.°º]\s?)?"  # between a label and its number
_EDITION = any_of("labels.edition", "labels.version")
_ORDINALS = {
    word[:-1]: str(number)
    for code in LANGUAGES
    for number, word in enumerate(get_language(code).numbers.ordinals, 1)
}
_WORDS_BETWEEN = r",?\s+(?:\w{4,20}\s+){0,2}"  # "2., erweiterte Auflage"
# Printed version numbers, the most reliable patterns first.
_VERSIONS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b{any_of('labels.version')}{_COUNTED}(?:v\.?)?{_NUMBER}",
        rf"\b(\d{{1,2}})(?:nd|rd|th|st|er?|re|ème|a|\.?[ªº]|\.){_WORDS_BETWEEN}{_EDITION}\b",
        rf"\b({'|'.join(_ORDINALS)})\w{{1,3}}{_WORDS_BETWEEN}{_EDITION}\b",
        rf"\b{any_of('labels.edition')}{_COUNTED}{_NUMBER}",
        rf"\b{any_of('labels.revision')}{_COUNTED}(?!{_DAY})(\d+(?:\.\d+)*\w*)"
        r"|\bv(?:ers?)?\.?\s?(\d+(?:\.\d+)+\w*|(?<!\d\s[vV]\s)\d{1,2}(?=\W*\Z))",
    )
)
_EDITIONS = _VERSIONS[1:4]  # their numbers may count copies
# A version that is only a date.
_DATED = tuple(
    re.compile(rf"\b{any_of(labels)}(?![^\W\d_])[^\w\n]{{0,5}}{between}({_DATE})", re.IGNORECASE)
    for labels, between in (
        ("labels.as_of", ""),
        ("labels.effective", ""),
        (
            "labels.adopted",
            # A date has a digit; this check avoids slow matching without one.
            rf"(?=\D{{0,{2 * _ADOPTED}}}+\d)(?:[^\d\n]|\bn[ro]?\.\s?\d{{1,4}}){{0,{_ADOPTED}}}?\b",
        ),
    )
)
# "Diese Satzung wurde am 3.6.2024 in Kiel beschlossen": in German the word follows the date.
_ADOPTED_BEHIND = re.compile(
    rf"\b({_DATE})[^\d\n]{{1,60}}?\b{any_of('labels.adopted')}(?![^\W\d_])", re.IGNORECASE
)
_ADOPTED_LINE = re.compile(  # at the end of statutes: "beschlossen am 3.6.2024"
    rf"\W*{any_of('labels.adopted')}\s(?:\w{{2,4}}\s){{0,2}}({_WHOLE_DATE})\W*", re.IGNORECASE
)
# "Sankt Augustin, 3.6.2024", "Veröffentlichung: 18.06.2014"
_DATE_LINE = re.compile(
    rf"\W*[^\W\d][\w .()/-]{{0,40}}(?::\s?|,\s(?:\w{{1,5}}\s)?)(?:{_DATE})\W*", re.IGNORECASE
)
_FURTHER_DATE = re.compile(
    rf"(?:[,;]|\s{any_of('sentences.conjunctions')})\s({_DATE})", re.IGNORECASE
)
_ANY_DATE = re.compile(rf"\b(?:{_DATE})", re.IGNORECASE)
_ONLY_DATED = re.compile(rf"\W*{any_of('labels.dated')}\s(?:{_DATE})\W*", re.IGNORECASE)
_ONLY_DATE = re.compile(rf"\W*({_DATE})\W*")
_DATED_NAME = re.compile(  # "Satzung vom 1. Mai 2024"
    rf"(?:.{{0,160}}?\s)?{any_of('labels.dated')}\s({_WHOLE_DATE})\W*", re.IGNORECASE
)
_OF = re.compile(rf"\s{any_of('labels.dated')}(?:\s(?:{_DATE}))?\W*\Z", re.IGNORECASE)
_REMARK = re.compile(rf"\([^()]{{0,60}}\)\W{{0,{_LONGEST}}}+\Z")
_LAWS = re.compile(rf"(?<!\w){any_of('labels.laws')}(?!\w)", re.IGNORECASE)
_NAMES = (  # of licences and programs
    r"GNU|[AL]?GPL|GFDL|Creative\s+Commons|CC[ -]?(?:BY|0)|Apache|Mozilla|[ME]?PL|BSD|OGL"
    r"|Word(?:Press)?|(?:Libre|Open)Office|(?:[A-Za-z]{0,3}La)?TeX|PDF|X?HTML|XML|Unicode|InDesign"
    r"|Acrobat|Pandoc|Python|Java|Windows|Android|iOS|macOS"
)
_CREDITS = re.compile(
    rf"\b(?:{_NAMES}|{any_of('labels.credits')})\b[^\d\n|;·]{{0,80}}\d[\d.]*\w*", re.IGNORECASE
)
_CREDITED = re.compile(
    rf"\W*+(?:©|\(c\)|copyright\b|(?:GNU|GPL|Creative\s+Commons|CC[ -]?(?:BY|0))(?![^\W\d])"
    rf"|{any_of('labels.authors')}(?!\w)"
    rf"|{any_of('labels.credits')}(?:\s?:|[^\n]{{0,40}}?\b(?:{_NAMES})(?!\w)))",
    re.IGNORECASE,
)
_OPEN_CREDITS = re.compile(rf"\b(?:{_NAMES})\b[^\d\n]{{0,40}}\Z")  # its version in the next line
_OTHERS = re.compile(rf"\b{any_of('labels.others')}(?!\w)", re.IGNORECASE)
_ITSELF = re.compile(rf"\W*{any_of('labels.itself')}\b", re.IGNORECASE)
# "(2) Diese Satzung tritt", "§ 16 Inkrafttreten: Die Satzung tritt"
_OWN = re.compile(
    rf"(?:\W*|[^\n]{{1,60}}?(?<=[\d.:)–-])\s)(?:{any_of('labels.itself')}\b"
    rf"|\w{{1,4}}\s\w*{any_of('documents.rules')}\s(?:\w{{1,3}}\s)?{any_of('labels.effective')})",
    re.IGNORECASE,
)
_FINITE = re.compile(rf"\b{any_of('sentences.finite_verbs')}\b")
_SENTENCE = re.compile(r"[.!?]\s+(?=[^\W\d_])")
_NAMED = re.compile(r"\s*[:–—-]\s*[^\W\d]{3}")  # "Version 2: For experts" is a way to play


_ADDRESS = re.compile(
    r"@|://|\bwww\.|\bTel(?:efono?)?\b[.:]|\b(?!19|20)\d{4,5}\s[^\W\d_]"
    r"|[^\W\d]{3}\s\d{1,3}\s?[a-z]?,\s"
)


class Printed(NamedTuple):
    """A printed ``value``, and the offset of its line."""

    value: str
    at: int


class _Line(NamedTuple):
    start: int
    text: str


def version(document: Document) -> Printed | None:
    """Return the version that ``document`` prints, or None if it prints none.

    It is the first number of a version or edition at the top, in running heads or at the end; if
    there is none, the date of the version. Versions of licences, programs and other documents are
    ignored.
    """
    places = (_head(document), _running_heads(document), _tail(document))
    for lines in places:
        if found := _numbered(lines):
            return found[0]
    dated = [line for line in (*places[0], *places[1]) if not _is_on_laws(document, line)]
    for pattern in _DATED:
        days = [
            Printed(_last_date(match), line.start)
            for line in dated
            for match in pattern.finditer(line.text)
        ]
        if days:
            return max(days, key=lambda printed: _day(printed.value))
    if adopted := _adopted(dated, places[2]):
        return max(adopted, key=lambda printed: _day(printed.value))
    for line, below in pairwise((*places[0][:_TITLE_LINES], _Line(0, ""))):
        name = f"{line.text} {below.text}" if _OF.search(line.text) else line.text
        if line in dated and (match := _DATED_NAME.fullmatch(name)):
            return Printed(match.group(1), line.start)
    for line in places[0][1:_TITLE_LINES]:  # below the title
        if (match := _ONLY_DATE.fullmatch(line.text)) and _day(match.group(1)):
            return Printed(match.group(1), line.start)
    return None


def _adopted(head: Sequence[_Line], tail: Sequence[_Line]) -> list[Printed]:
    """Return the dates of adoption of the document itself: dates in ``head`` before a word like
    "beschlossen", and lines in ``tail`` that consist of such a word and a date.
    """
    found = [
        Printed(match.group(1), line.start)
        for line in head
        if _ITSELF.match(line.text)
        for match in _ADOPTED_BEHIND.finditer(line.text)
    ]
    lines = ((line, _ADOPTED_LINE.fullmatch(line.text)) for line in tail)
    return found + [Printed(match.group(1), line.start) for line, match in lines if match]


def _last_date(match: re.Match[str]) -> str:
    """Return the last date of an enumeration that begins with ``match``: "9/9" in "amended on 1/5,
    7/8 and 9/9".
    """
    date, at = match.group(1), match.end(1)
    while further := _FURTHER_DATE.match(match.string, at):
        date, at = further.group(1), further.end(1)
    return date


def _day(printed: str) -> str:
    """Return the date ``printed`` in any language as ISO 8601, or "" if it is none."""
    return max(filter(None, (date_at_start(printed, code) for code in LANGUAGES)), default="")


def named_version(title: str) -> str:
    """Return the version number in ``title``, or "" if it has none."""
    found = _numbered([_line(0, title)])
    return found[0].value if found else ""


def _is_on_laws(document: Document, line: _Line) -> bool:
    """Return whether ``line`` is in a long paragraph that names a law before its first date."""
    blocks = document.blocks
    at = bisect_right(blocks, line.start, key=lambda block: block.span.start) - 1
    start, end = blocks[at].span if at >= 0 else (0, 0)
    if not line.start < end or end - start <= _PROSE:
        return False
    date = _ANY_DATE.search(line.text)
    above = document.text[max(start, line.start - _LONGEST) : line.start]
    return bool(date and _LAWS.search(f"{above} {line.text[: date.start()]}"))


def effective(document: Document, language: str) -> Printed | None:
    """Return the date of effect of ``document`` (in ``language``) in ISO 8601, or None if it states
    none.

    It is the date after words like "gültig ab", in the same line or the next; otherwise after words
    like "Stand"; otherwise beside the version; otherwise after words like "beschlossen". The first
    date counts, but after "Stand" and "beschlossen" the latest. At the end of the text only
    sentences about the document itself count.
    """
    head = [line for line in _head(document) if not _is_on_laws(document, line)]
    edges = _running_heads(document)
    own = [line for line in _tail(document) if _OWN.match(line.text)]
    if found := _labelled("labels.effective", (*head, *edges, *own), language):
        return found[0]
    if found := _labelled("labels.as_of", (*head, *edges), language):
        return max(found)
    for lines in (head, edges):
        if (numbered := _numbered(lines)) and (days := list(dates_in(numbered[1], language))):
            return Printed(days[0], numbered[0].at)
    adopted = [
        Printed(day, printed.at)
        for printed in _adopted(head, _tail(document))
        for day in dates_in(printed.value, language)
    ]
    return max(
        (*adopted, *_labelled("labels.adopted", (*head, *own), language, _ADOPTED)), default=None
    )


def is_address(text: str) -> bool:
    """Return whether the line ``text`` is part of an address, an e-mail or phone number."""
    return bool(_ADDRESS.search(text))


def is_imprint(text: str) -> bool:
    """Return whether the line ``text`` consists only of a version, a date, a licence or authors."""
    plain = _line(0, text).text
    if _CREDITED.match(plain) or _ONLY_DATED.fullmatch(plain):
        return True
    dated = any(pattern.match(plain) for pattern in _DATED)
    rest = _REMARK.sub("", plain) if dated else plain
    for pattern in (*_DATED, *_VERSIONS):
        rest = pattern.sub("", rest)
    if rest != plain:
        rest = re.sub(rf"\b(?:{_DATE})", "", rest)
    letters = sum(map(str.isalpha, rest))
    return rest != plain and letters <= max(3, sum(map(str.isalpha, plain)) // 5)


def is_dated(text: str) -> bool:
    """Return whether the line ``text`` consists only of a date after a place or a label."""
    return bool(_DATE_LINE.fullmatch(text) or _ONLY_DATED.fullmatch(text))


def undated(title: str) -> str:
    """Return ``title`` without a date at its end."""
    return _OF.sub("", title)


def _head(document: Document) -> list[_Line]:
    lines = document.body.lines[: HEAD_LINES * 10]
    return [line for each in lines if (line := _line(each.start, each.text)).text][:HEAD_LINES]


def _running_heads(document: Document) -> list[_Line]:
    if document.body is document:
        return []
    first = document.line_at(len(document.body.text)) - 1
    return [_line(each.start, each.text) for each in document.lines[first : first + HEAD_LINES]]


def _tail(document: Document) -> list[_Line]:
    lines = document.body.lines[HEAD_LINES:][-_LAST_LINES * 3 :]
    return [line for each in lines if (line := _line(each.start, each.text)).text][-_LAST_LINES:]


def _line(start: int, text: str) -> _Line:
    return _Line(start, " ".join(_SIGNS.sub("", text[:_LONGEST]).split()))


def _numbered(lines: Sequence[_Line]) -> tuple[Printed, str] | None:
    """Return the first version number in ``lines``, and the text of its line without licences."""
    plain = [_CREDITS.sub("|", line.text) for line in lines]
    open_credits = ["", *(_OPEN_CREDITS.search(line.text) for line in lines)]
    for pattern in _VERSIONS:
        for line, text, credited in zip(lines, plain, open_credits, strict=False):
            for match in pattern.finditer(text):
                if not (credited and match.start() < 3) and _is_own(text, match):
                    number = match[match.lastindex or 1]
                    return Printed(_ORDINALS.get(number.casefold(), number), line.start), text
    return None


def _is_own(text: str, match: re.Match[str]) -> bool:
    """Return whether its sentence shows ``match`` to be a version of the document itself."""
    first = max((end.end() for end in _SENTENCE.finditer(text, 0, match.start())), default=0)
    last = _SENTENCE.search(text, match.end())
    before, behind = text[first : match.start()], text[match.end() : last.start() if last else None]
    if _OTHERS.search(before):
        return False
    number = match[match.lastindex or 1]
    if number.isdigit() and int(number) > _MOST and int(number) not in _YEARS:
        return match.re not in _EDITIONS
    if not before.strip() and "." not in number and _NAMED.match(behind):
        return bool(re.match(_DATE, behind.lstrip(" :–—-")))
    if not before.strip() or _ITSELF.match(before):
        return True
    around = re.sub(_DATE, "", before + behind)
    return len(around) <= _PROSE and not _FINITE.search(around)


def _labelled(labels: str, lines: Sequence[_Line], language: str, reach: int = 0) -> list[Printed]:
    """Return the dates after words of the list ``labels`` ("labels.effective") in ``lines``,
    directly or within ``reach`` characters.
    """
    pattern, found = _label_pattern(labels, language), []
    for line, below in zip(lines, (*lines[1:], _Line(0, "")), strict=False):
        for match in pattern.finditer(line.text):
            behind = line.text[match.end() :]
            if reach:
                days = list(dates_in(behind[:reach], language))
            else:
                days = list(filter(None, [date_at_start(behind or below.text, language)]))
            found += [Printed(day, line.start) for day in days]
    return found


@cache
def _label_pattern(labels: str, language: str) -> re.Pattern[str]:
    words = "|".join(any_of(labels, language=each) for each in dict.fromkeys((language, FALLBACK)))
    return re.compile(rf"\b(?:{words})(?![^\W\d_])[\s:.,;(–-]*", re.IGNORECASE)

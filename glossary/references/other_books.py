"""Recognise references to other books: "Art. 12 des BGB", "§ 26 BGB", "Reglement der FIDE, Art.
4".
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from corpus.languages import any_of
from corpus.titles import key
from glossary.references.printed_numbers import label_key, names_any_rule

_ARTICLE = any_of("sentences.articles", "sentences.all_articles", "sentences.joined_articles")
_OF = rf"(?:(?i:{any_of('references.of')}|{_ARTICLE})\s++|{any_of('sentences.elisions')}['’])"
_OWN = rf"(?P<own>(?i:{any_of('references.own')})\s++)?"
_LAW = rf"(?i:{any_of('references.laws')})(?![\w-])"
_NOUN = rf"(?i:{any_of('references.books')})(?![\w-])|{_LAW}"
# BGB, VereinsG, FIDE-Regeln, D.Lgs., c.c.
_LETTERS = r"(?![IVXLC]+(?!\w))[A-ZÄÖÜ][\w]{0,20}[A-ZÄÖÜ]\w{0,20}"
_POINTS = r"[A-Za-z]\.\s?(?:[A-Za-z]{1,3}\.\s?){1,3}"
_SHORT = rf"(?:{_LETTERS}(?:-[\w-]{{1,30}})?|{_POINTS})(?![\w-])"
# ", comma secondo, lett. B)", ", primo comma", "° e 2°" after "commi 1"
_PART = rf"(?i:{any_of('references.parts')})"
_COUNTED = rf"(?i:{any_of('labels.ordinals')})\s{_PART}"
_JOINED = rf"(?i:{any_of('sentences.conjunctions')})"
_PARTS = (
    rf"[°º]?+(?:(?:,|\s{_JOINED})\s\d{{1,3}}[°º]){{0,3}}+"
    rf"(?:,?\s*+(?:{_PART}\s++\w{{1,12}}\)?[°º]?|{_COUNTED})(?!\w)){{0,3}}+"
)
# "ff.", or the full stop after an "f" read as a part: "§ 21 f. BGB"
_ON = rf"(?:(?<=\sf)\.|,?\s*+(?i:{any_of('references.following')})(?!\w))?+"
_BEHIND = re.compile(
    rf"{_PARTS}{_ON}\s*+,?\s*+(?P<of>(?:{_OF}){{1,2}})?{_OWN}"
    rf"(?:(?!{_ARTICLE}\s|\W)[\w-]{{1,30}}\s){{0,2}}?(?P<book>{_NOUN}|{_SHORT})"
)
_OF_YEAR = r"\s(?:n\.\s?)?\d{1,4}/\d{2,4}"  # "D.Lgs. 117/2017"
# ", ed in particolare gli"
_ABOVE_ALL = (
    rf",?\s++(?:{_JOINED}\s++)?(?i:{any_of('references.especially')})\s++"
    r"(?:[\w-]{1,12}(?:\s++|['’]\s?)){0,2}+"
)
_BEFORE = re.compile(
    rf"(?<![\w-]){_OWN}(?P<book>{_NOUN}|{_SHORT})"
    rf"(?:(?:\s{_OF}[\w-]{{1,30}}|{_OF_YEAR})?\s*+(?:,\s*+)?"
    rf"|(?:\s[\w-]{{1,30}}|{_OF_YEAR})?{_ABOVE_ALL})\Z"
)
# The same in a question, where "§ 2 der Satzung" always means the rulebook itself.
_ASKED_BEHIND = re.compile(
    rf"{_ON}\s*+,?\s*+(?P<of>(?:{_OF}){{1,2}})?(?:(?P<law>{_LAW})|(?P<book>(?:{_LETTERS}|{_POINTS})(?![\w-])))"
)
_ASKED_BEFORE = re.compile(
    rf"(?<![\w-])(?:(?P<law>{_LAW})|(?P<book>(?:{_LETTERS}|{_POINTS})(?![\w-])))\s*+(?:,\s*+)?\Z"
)
_FIGURES = re.compile(r"\d++")
_ARTICLES = ("§", "art", "parag")  # keys of labels that laws have
_LONGEST = 80  # most characters of the name of a book
_NOUN_LETTERS = 5  # least letters of a noun that may be part of a word in a title


def other_book(text: str, start: int, end: int, label: str, title: str) -> str | None:
    """Return the name of the other book to which the reference from ``start`` to ``end`` leads, or
    None if it leads to the document itself, called ``title``.

    A short name right after the number means a book only if ``label`` is "§" or "Art.".
    """
    around = (
        _BEHIND.match(text, end, end + _LONGEST),
        _BEFORE.search(text[max(0, start - _LONGEST) : start]),
    )
    for found in filter(None, around):
        book = found["book"]
        bare = "of" in found.groupdict() and not found["of"]
        if (
            found["own"]
            or _is_title(book, title)
            or (bare and names_any_rule(label) and not label.startswith("§"))
        ):
            continue
        if not (book.isupper() and label.isupper()):  # a sentence in capitals
            return book
    return None


def asks_other_book(text: str, start: int, end: int, label: str, titles: Iterable[str]) -> bool:
    """Return whether a question cites the number from ``start`` to ``end``, after ``label``, from a
    book other than ``titles``: "§ 2 BGB", "Regel 4 der FIDE".
    """
    article = label_key(label) in _ARTICLES if label else False
    figures = _FIGURES.search(text, start, end)
    first = figures.end() if figures else end
    for found in (
        _ASKED_BEHIND.match(text, end, end + _LONGEST),
        _ASKED_BEHIND.match(text, first, first + _LONGEST),  # "art. 5 c.c." has no letter c
        _ASKED_BEFORE.search(text[max(0, start - _LONGEST) : start]) if article else None,
    ):
        if found is None or not (article or found["law"] or found["of"]):
            continue
        book = found["law"] or found["book"]
        sentence = book.isupper() and label.isupper()  # in capitals
        if not sentence and not any(_is_title(book, title) for title in titles):
            return True
    return False


def _is_title(book: str, title: str) -> bool:
    """Return whether ``book`` is a word of ``title``, part of a word, or an abbreviation of it."""
    name, words = key(book), key(title).split()
    if book.isupper():
        return name in words or book == "".join(c for c in title if c.isupper())
    return name in words or (len(name) >= _NOUN_LETTERS and any(name[:-1] in w for w in words))

"""Tell references to other books: "Art. 12 des BGB", "§ 26 BGB", "Reglement der FIDE, Art. 4"."""

from __future__ import annotations

import re

from corpus.languages import any_of
from corpus.titles import key
from glossary.references.printed_numbers import names_any_rule

_ARTICLE = any_of("sentences.articles", "sentences.all_articles", "sentences.joined_articles")
_OF = rf"(?:(?i:{any_of('references.of')}|{_ARTICLE})\s++|{any_of('sentences.elisions')}['’])"
_OWN = rf"(?P<own>(?i:{any_of('references.own')})\s++)?"
_NOUN = rf"(?i:{any_of('references.books')})(?![\w-])"
# BGB, VereinsG, FIDE-Regeln, D.Lgs., c.c.
_SHORT = (
    r"(?:(?![IVXLC]+(?!\w))[A-ZÄÖÜ][\w]{0,20}[A-ZÄÖÜ]\w{0,20}(?:-[\w-]{1,30})?"
    r"|[A-Za-z]\.\s?(?:[A-Za-z]{1,3}\.\s?){1,3})(?![\w-])"
)
_BEHIND = re.compile(
    rf"\s*+(?:ff?\.\s*+)?,?\s*+(?P<of>(?:{_OF}){{1,2}})?{_OWN}"
    rf"(?:(?!{_ARTICLE}\s|\W)[\w-]{{1,30}}\s){{0,2}}?(?P<book>{_NOUN}|{_SHORT})"
)
_BEFORE = re.compile(
    rf"(?<![\w-]){_OWN}(?P<book>{_NOUN}|{_SHORT})(?:\s{_OF}[\w-]{{1,30}})?\s*+(?:,\s*+)?\Z"
)
_LONGEST = 80  # characters of the name of a book


def other_book(text: str, start: int, end: int, label: str, title: str) -> str | None:
    """Return the name of the book that a reference between two offsets is to; None if it is to the
    document itself, which is called ``title``.

    A short name right behind a number is one of a book only after "§" or "Art.".
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


def _is_title(book: str, title: str) -> bool:
    """Return whether ``book`` is a word of ``title``, the end of one, or short for it."""
    name = key(book)
    if any(name[:-1] in word for word in key(title).split()):
        return True
    return book.isupper() and book == "".join(c for c in title if c.isupper())

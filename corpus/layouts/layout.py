"""The interface of a layout: how to recognise and read it, and traits of its entries that other
modules need; also helpers shared by several layouts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from corpus.document import Document
from corpus.draft import DraftRulebook
from corpus.languages import any_of
from corpus.model import Corrections, Edition

SEE = rf"{any_of('references.see')}(?:\s+{any_of('references.also')})?"  # "siehe auch"


def in_capitals(text: str) -> bool:
    """Return whether ``text`` has letters and all of them are capitals."""
    letters = [letter for letter in text if letter.isalpha()]
    return bool(letters) and all(letter.isupper() or letter == "ß" for letter in letters)


class ReferenceStyle(StrEnum):
    """The way a layout prints references; `glossary.references` has one finder for each style."""

    SEE_LISTS = "see-lists"  # by name: "Siehe auch: Ziel, Zone" below an entry, "(vedi: Zona)"
    RULE_NUMBERS = "rule-numbers"  # by number: "siehe 4.2.1", "Abschnitt 8.10"
    SECTION_TITLES = "section-titles"  # by titles: a table of contents, "siehe „Sturm“"
    ANY = "any"  # every way: links, numbers, names, quoted titles
    NONE = "none"


@dataclass(frozen=True)
class Layout:
    """One way in which rulebooks are printed.

    ``score`` rates from 0.0 to 1.0 how much a document looks like this layout. ``read`` turns a
    document into a tree of draft entries; `corpus.read` checks it and adds ids, line numbers and
    texts. Of the edition, ``read`` may use only title and language.

    The other fields are traits, which other modules check instead of the layout's name.
    ``excerpt``: a document contains only one entry of a rulebook. ``numbered``: rules have
    consecutive hierarchical numbers ("4.2.1"), so that gaps and wrong numbers are errors.
    """

    name: str
    score: Callable[[Document], float]
    read: Callable[[Document, Edition, Corrections], DraftRulebook]
    references: ReferenceStyle = ReferenceStyle.SEE_LISTS
    excerpt: bool = False
    numbered: bool = False

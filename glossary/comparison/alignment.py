"""Which passages of two editions say the same: tied entries laid side by side, passage by passage, whatever their languages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from corpus.model import Passage
from glossary.comparison.likeness import Likeness, Tied, texts_of
from glossary.concepts import Concept
from glossary.model import Book
from glossary.name_finder import Vocabulary


class Counterparts(NamedTuple):
    """Two passages, by id, that say the same in two editions, and how alike they are (0 to 1)."""

    left: str
    right: str
    likeness: float


def counterparts(books: Sequence[Book], tied: Mapping[str, str], concepts: Sequence[Concept]) -> tuple[Counterparts, ...]:
    """The passages that correspond between the editions of one game, by entries ``tied`` to one concept.

    ``tied`` are concept ids by entry id, ``concepts`` those of the game; how passages of two tied entries are
    assigned, see `glossary.comparison.likeness`.
    """
    found = []
    for left, right in combinations(books, 2):
        pairs = tied_passages(left, right, tied)
        both = [[p for passages in texts_of(book).values() for p in passages] for book in (left, right)]
        likeness = Likeness(both[0], both[1], (vocabulary(left, concepts, tied), vocabulary(right, concepts, tied)), pairs)
        for here, there in pairs:
            found += [Counterparts(here[i].id, there[j].id, round(alike, 4)) for i, j, alike in likeness.assigned(here, there)]
    return tuple(found)


def vocabulary(book: Book, concepts: Sequence[Concept], tied: Mapping[str, str]) -> Vocabulary:
    """What concepts are called in ``book``, and the cards of its tied rulings and errata."""
    made = Vocabulary(concepts, book.edition.language, ordinary=True)
    for entry in book.entries:
        if entry.card and entry.id in tied:
            # Rulings and errata of a card are two concepts; a text that names it means the card.
            made.add(tied[entry.id].rpartition("/")[2].removesuffix(f"-{entry.kind.value}"), entry.card)
    return made


def tied_passages(left: Book, right: Book, tied: Mapping[str, str]) -> list[Tied]:
    """The passages of each concept that both books have, those of several entries together, in the order of ``left``."""
    by_concept: list[dict[str, list[Passage]]] = []
    for book in (left, right):
        texts = texts_of(book)
        found: dict[str, list[Passage]] = defaultdict(list)
        for entry in book.entries:
            if entry.id in tied:
                found[tied[entry.id]] += texts.get(entry.id, ())
        by_concept.append(found)
    here, there = by_concept
    return [(passages, there[concept]) for concept, passages in here.items() if passages and there.get(concept)]

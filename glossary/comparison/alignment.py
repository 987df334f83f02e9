"""Which passages of two editions say the same: tied entries laid side by side, passage by passage, whatever their languages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from corpus.model import Passage
from glossary.comparison.passage_similarity import PassageSimilarity, TiedPassages, ruling_passages
from glossary.concepts import Concept
from glossary.model import RulebookView
from glossary.name_finder import NameFinder


class PassageCounterparts(NamedTuple):
    """Two passages, by id, that say the same in two editions, and how alike they are (0 to 1)."""

    left: str
    right: str
    similarity: float


def align_passages(
    rulebooks: Sequence[RulebookView], tied: Mapping[str, str], concepts: Sequence[Concept]
) -> tuple[PassageCounterparts, ...]:
    """The passages that correspond between the editions of one game, by entries ``tied`` to one concept.

    ``tied`` are concept ids by entry id, ``concepts`` those of the game; how passages of two tied entries are
    assigned, see `glossary.comparison.passage_similarity`.
    """
    found = []
    for left, right in combinations(rulebooks, 2):
        pairs = tied_passages(left, right, tied)
        both = [[p for passages in ruling_passages(rulebook).values() for p in passages] for rulebook in (left, right)]
        similarity = PassageSimilarity(
            both[0], both[1], (edition_name_finder(left, concepts, tied), edition_name_finder(right, concepts, tied)), pairs
        )
        for here, there in pairs:
            found += [PassageCounterparts(here[i].id, there[j].id, round(score, 4)) for i, j, score in similarity.counterparts(here, there)]
    return tuple(found)


def edition_name_finder(rulebook: RulebookView, concepts: Sequence[Concept], tied: Mapping[str, str]) -> NameFinder:
    """What concepts are called in ``rulebook``, and the cards of its tied rulings and errata."""
    finder = NameFinder(concepts, rulebook.edition.language, ordinary=True)
    for entry in rulebook.entries:
        if entry.card and entry.id in tied:
            # Rulings and errata of a card are two concepts; a text that names it means the card.
            finder.add(tied[entry.id].rpartition("/")[2].removesuffix(f"-{entry.kind.value}"), entry.card)
    return finder


def tied_passages(left: RulebookView, right: RulebookView, tied: Mapping[str, str]) -> list[TiedPassages]:
    """The passages of each concept that both books have, those of several entries together, in the order of ``left``."""
    by_concept: list[dict[str, list[Passage]]] = []
    for rulebook in (left, right):
        texts = ruling_passages(rulebook)
        found: dict[str, list[Passage]] = defaultdict(list)
        for entry in rulebook.entries:
            if entry.id in tied:
                found[tied[entry.id]] += texts.get(entry.id, ())
        by_concept.append(found)
    here, there = by_concept
    return [(passages, there[concept]) for concept, passages in here.items() if passages and there.get(concept)]

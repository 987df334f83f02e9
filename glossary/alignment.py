"""Which passages of two editions say the same: tied entries laid side by side, passage by passage, whatever their languages."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

from corpus.model import Entry, Rulebook
from glossary.likeness import Likeness, texts_of
from glossary.recognition import Mention, Recogniser


class Counterparts(NamedTuple):
    """Two passages, by id, that say the same in two editions, and how alike they are (0 to about 1.3)."""

    left: str
    right: str
    likeness: float


def counterparts(rulebooks: Sequence[Rulebook], tied: Mapping[str, str], recogniser: Recogniser) -> tuple[Counterparts, ...]:
    """The passages that correspond between the editions of one game, by entries ``tied`` to one concept.

    ``tied`` are concept ids by entry id; see `glossary.likeness` for how passages of two tied entries are assigned.
    """
    texts = {r.edition.id: texts_of(r) for r in rulebooks}
    known: dict[str, tuple[Mention, ...]] = {}
    found = []
    for left, right in combinations(rulebooks, 2):
        both = [[p for passages in texts[r.edition.id].values() for p in passages] for r in (left, right)]
        likeness = Likeness(both[0], both[1], (left.edition.language, right.edition.language), recogniser, known)
        for one, other in _entry_pairs(left, right, tied):
            here, there = texts[left.edition.id].get(one, []), texts[right.edition.id].get(other, [])
            found += [Counterparts(here[i].id, there[j].id, round(alike, 4)) for i, j, alike in likeness.assigned(here, there)]
    return tuple(found)


def _entry_pairs(left: Rulebook, right: Rulebook, tied: Mapping[str, str]) -> list[tuple[str, str]]:
    """Entries of two rulebooks that correspond, by id."""
    by_concept: dict[str, list[Entry]] = defaultdict(list)
    for entry in right.entries:
        if entry.id in tied:
            by_concept[tied[entry.id]].append(entry)
    return [(e.id, other.id) for e in left.entries if e.id in tied for other in by_concept[tied[e.id]]]

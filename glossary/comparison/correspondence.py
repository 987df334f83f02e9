"""Which entries of two editions correspond: by concept, in versions of one language also by number, heading and content."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from corpus.layouts import LAYOUTS
from corpus.model import Entry, Kind, Passage
from corpus.titles import key
from glossary.comparison.passage_similarity import PassageSimilarity
from glossary.matching.assignment import best_assignment
from glossary.model import RulebookView

MIN_RENAMED_SIMILARITY = 0.6  # likeness of content that makes an entry the same under another heading, within one language

PassagesByEntry = tuple[Mapping[str, list[Passage]], Mapping[str, list[Passage]]]
"""The passages of each entry that can settle something, by its id, left and right."""


class EntryGroup(NamedTuple):
    """Entries that correspond, left and right, and their concept; one side may have none."""

    concept: str | None
    left: list[Entry]
    right: list[Entry]

    @property
    def sides(self) -> tuple[list[Entry], list[Entry]]:
        """Left and right."""
        return self.left, self.right


def group_entries(
    left: RulebookView,
    right: RulebookView,
    tied: Mapping[str, str],
    topics: Mapping[str, str],
    texts: PassagesByEntry,
    similarity: PassageSimilarity,
) -> list[EntryGroup]:
    """Every entry of either book in one group, in the order of ``left``; what only ``right`` has stands behind its neighbour there.

    ``tied`` are concepts and ``topics`` what else entries share, by entry id. A part of an entry goes with the whole where
    the other edition has it in the text of the whole. Of an edition that is an excerpt, what it does not have is left out.
    """
    groups = _group_by_name(left, right, tied, topics, similarity.same_language)
    if similarity.same_language:
        groups = _join_renamed(groups, texts, similarity)
    groups = _join_parts(groups, texts, similarity)
    for side, rulebook in enumerate((left, right)):
        if LAYOUTS[rulebook.edition.layout].excerpt:
            groups = [group for group in groups if group.sides[side]]
    return groups


def _group_by_name(
    left: RulebookView, right: RulebookView, tied: Mapping[str, str], topics: Mapping[str, str], same_language: bool
) -> list[EntryGroup]:
    def name(entry: Entry) -> tuple[str, ...]:
        if entry.id in tied:
            return ("concept", tied[entry.id])
        if entry.id in topics:
            return ("topic", topics[entry.id])
        if same_language or entry.kind is Kind.RULE:
            return (entry.kind, entry.number or "", entry.product or "", key(entry.title) or entry.title)
        return ("alone", entry.id)

    groups: dict[tuple[str, ...], EntryGroup] = {}
    for entry in left.entries:
        groups.setdefault(name(entry), EntryGroup(tied.get(entry.id), [], [])).left.append(entry)
    order = list(groups)
    after: tuple[str, ...] | None = None
    for entry in right.entries:
        called = name(entry)
        if called not in groups:
            groups[called] = EntryGroup(tied.get(entry.id), [], [])
            order.insert(order.index(after) + 1 if after else 0, called)
        groups[called].right.append(entry)
        after = called
    return [groups[called] for called in order]


def _join_renamed(groups: list[EntryGroup], texts: PassagesByEntry, similarity: PassageSimilarity) -> list[EntryGroup]:
    """``groups`` with entries that only one side has put together where their passages are alike."""
    gone = [g for g in groups if not g.right and _passages_of(g, 0, texts)]
    new = [g for g in groups if not g.left and _passages_of(g, 1, texts)]
    if not gone or not new:
        return groups
    alike = np.zeros((len(gone), len(new)))
    for i, one in enumerate(gone):
        for j, other in enumerate(new):
            content = similarity.similarity(_passages_of(one, 0, texts), _passages_of(other, 1, texts))
            alike[i, j] = (content.max(axis=1).mean() + content.max(axis=0).mean()) / 2
    joined: dict[int, EntryGroup] = {}
    for i, j in best_assignment(alike):
        if alike[i, j] >= MIN_RENAMED_SIMILARITY and {e.kind for e in gone[i].left} == {e.kind for e in new[j].right}:
            joined[id(gone[i])] = EntryGroup(gone[i].concept or new[j].concept, gone[i].left, new[j].right)
            joined[id(new[j])] = EntryGroup(None, [], [])
    return [group for group in (joined.get(id(group), group) for group in groups) if group.left or group.right]


def _passages_of(group: EntryGroup, side: int, texts: PassagesByEntry) -> list[Passage]:
    """The passages of one side of ``group``."""
    return [p for e in group.sides[side] for p in texts[side].get(e.id, ())]


def _join_parts(groups: list[EntryGroup], texts: PassagesByEntry, similarity: PassageSimilarity) -> list[EntryGroup]:
    """``groups`` with the parts of an entry put together with it where the other edition has them in the text of the whole."""

    at = {(side, entry.id): n for n, group in enumerate(groups) for side in (0, 1) for entry in group.sides[side]}
    into: dict[int, int] = {}
    for n, group in enumerate(groups):
        for side in (0, 1):
            around = [at[side, e.parent] for e in group.sides[side] if e.kind is Kind.SUBSECTION and e.parent]
            if around and (own := _passages_of(group, side, texts)):
                alone, whole = (
                    similarity.mean_coverage(side, own, _passages_of(groups[other], 1 - side, texts)) for other in (n, around[0])
                )
                if whole > alone:
                    into[n] = around[0]
    for n in into:
        whole = n
        while whole in into:
            whole = into[whole]
        for mine, its in zip(groups[whole].sides, groups[n].sides, strict=True):
            mine.extend(its)
    return [group for n, group in enumerate(groups) if n not in into]

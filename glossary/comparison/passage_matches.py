"""Match the passages of two versions of a rulebook, also reworded or moved ones."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from rapidfuzz.distance import Indel

from corpus.model import Entry, Kind, Passage
from glossary.comparison.model import EditionComparison
from glossary.comparison.rewording import Rewording, SubstanceChange
from glossary.matching.likeness import greedy_assignment
from glossary.query_variants import (
    fingerprint,
)

MIN_REWORDED = 0.4  # share of common words in reworded passages of corresponding entries
MIN_ELSEWHERE = 0.6  # the same under different entries
_FEW = 6  # words; a shorter passage is not looked for under other entries


@dataclass(frozen=True)
class PassageMatch:
    """Passages of the old version and their counterparts in the new one; several on a side if the
    other version combines them.

    ``likeness`` is the share of words in common, 1.0 if only line breaks, punctuation or case
    differ; 0.0 if a side is empty. ``rewordings`` are the words that changed; ``renamed`` says that
    the new version replaces all of them throughout; ``substance`` lists what else may change the
    rule.
    """

    left: tuple[Passage, ...]
    right: tuple[Passage, ...]
    likeness: float
    rewordings: tuple[Rewording, ...] = ()
    renamed: bool = False
    substance: tuple[SubstanceChange, ...] = ()

    @property
    def texts(self) -> tuple[str, str]:
        """The text of each side, for readers."""
        old, new = (" ".join(p.display for p in side) for side in (self.left, self.right))
        return old, new

    @property
    def same_words(self) -> bool:
        """Whether both sides have the same words."""
        return self.likeness == 1.0


def word_similarity(one: str, other: str) -> float:
    """Return twice the length of the longest common subsequence of words, divided by the number of
    words of both texts.
    """
    return float(Indel.normalized_similarity(_words(one), _words(other)))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def match_passages(
    left: Iterable[Passage], right: Iterable[Passage], comparison: EditionComparison
) -> list[PassageMatch]:
    """Match all passages of both sides, each in one match, in the order of the new ones; removed
    passages come last.

    The rows of ``comparison`` tell which passages of corresponding entries may be the same.
    """
    old, new = {p.id: p for p in left}, {p.id: p for p in right}  # that are still to be matched
    order = {id: place for place, id in enumerate(new)}
    found: list[PassageMatch] = []

    def match(here: Sequence[Passage], there: Sequence[Passage], likeness: float) -> None:
        found.append(PassageMatch(tuple(here), tuple(there), likeness))
        for passage in here:
            del old[passage.id]
        for passage in there:
            del new[passage.id]

    group = {
        entry.id: place
        for place, pair in enumerate(comparison.pairs)
        for entry in (*pair.left, *pair.right)
    }
    said = _without_own_numbers((*old.values(), *new.values()), comparison)
    for within in (True, False):  # the same words in order, at first in corresponding entries
        waiting: dict[tuple[int, str], deque[Passage]] = defaultdict(deque)
        for passage in old.values():
            place = group[passage.entry] if within else 0
            waiting[place, fingerprint(said[passage.id])].append(passage)
        for passage in list(new.values()):
            place = group[passage.entry] if within else 0
            if same := waiting.get((place, fingerprint(said[passage.id]))):
                match([same.popleft()], [passage], 1.0)
    elsewhere = list(_alike_elsewhere(list(old.values()), list(new.values()), said))
    most = {p.id: likeness for *sides, likeness in elsewhere for p in sides}
    for pair in comparison.pairs:
        bare = all(map(is_bare_number, (*pair.left, *pair.right)))
        for row in pair.rows:
            here = [p for p in row.left if p.id in old]
            there = [p for p in row.right if p.id in new]
            if here and there:
                texts = [" ".join(said[p.id] for p in side) for side in (here, there)]
                likeness = word_similarity(*texts)
                # That a rule has the number of another says little: rules before it may be new.
                better = bare and max(most.get(p.id, 0.0) for p in (*here, *there)) > likeness
                if likeness >= MIN_REWORDED and not better:
                    match(here, there, likeness)
    for one, other, likeness in elsewhere:
        if one.id in old and other.id in new:
            match([one], [other], likeness)
    found.sort(key=lambda m: order[m.right[0].id])
    found += [PassageMatch((), (passage,), 0.0) for passage in new.values()]
    return found + [PassageMatch((passage,), (), 0.0) for passage in old.values()]


def is_bare_number(entry: Entry) -> bool:
    """Return whether the heading of the rule ``entry`` is only its number."""
    return entry.kind is Kind.RULE and (not entry.heading_spans or entry.heading == entry.number)


def _without_own_numbers(
    passages: Iterable[Passage], comparison: EditionComparison
) -> dict[str, str]:
    """Return the texts of ``passages`` by id, without the rule number at their start."""
    entries = (e for pair in comparison.pairs for e in (*pair.left, *pair.right))
    numbers = {entry.id: entry.number for entry in entries if is_bare_number(entry)}
    return {
        p.id: p.text.lstrip(" *_§").removeprefix(numbers.get(p.entry) or "").lstrip(".) \t\n")
        if p.ordinal == 0
        else p.text
        for p in passages
    }


def _alike_elsewhere(
    left: Sequence[Passage], right: Sequence[Passage], said: Mapping[str, str]
) -> Iterator[tuple[Passage, Passage, float]]:
    """Yield the most similar passages under any entry, with their similarity, best first; ``said``
    are the texts by passage id.
    """
    # Slow to load, and answering does without.
    from sklearn.feature_extraction.text import TfidfVectorizer

    here, there = ([p for p in side if len(_words(said[p.id])) >= _FEW] for side in (left, right))
    if not here or not there:
        return
    vectors = TfidfVectorizer(analyzer=_words, sublinear_tf=True).fit_transform(
        [said[p.id] for p in (*here, *there)]
    )
    near = (vectors[: len(here)] @ vectors[len(here) :].T).tocoo()
    alike = {
        (i, j): word_similarity(said[here[i].id], said[there[j].id])
        for i, j, value in zip(near.row, near.col, near.data, strict=True)
        if value >= MIN_ELSEWHERE / 2
    }
    ranked = sorted(alike, key=lambda ij: (-alike[ij], here[ij[0]].spans, there[ij[1]].spans))
    for i, j in greedy_assignment(pair for pair in ranked if alike[pair] >= MIN_ELSEWHERE):
        yield here[i], there[j], alike[i, j]

"""Which passage of a rulebook is which in its next version: by their words first, wherever they stand, then by how alike they are."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from rapidfuzz.distance import Indel

from corpus.model import Passage
from glossary.matching.assignment import greedy_assignment
from glossary.phrasings import fingerprint

MIN_REWORDED = 0.4  # share of words that two passages of corresponding entries have in common, at least, to be one reworded
MIN_ELSEWHERE = 0.6  # the same where they stand under different entries

_FEW = 6  # words; a shorter passage is not looked for under other entries


@dataclass(frozen=True)
class PassageMatch:
    """A passage of the old version and what it is in the new one; several on a side where the other has them in one.

    ``likeness`` is the share of words in common, 1.0 where only lines, signs or capitals differ; 0.0 where a side is empty.
    """

    left: tuple[Passage, ...]
    right: tuple[Passage, ...]
    likeness: float

    @property
    def same_words(self) -> bool:
        """Whether both sides have the same words."""
        return self.likeness == 1.0


class _PassageRow(Protocol):
    @property
    def left(self) -> tuple[Passage, ...]: ...

    @property
    def right(self) -> tuple[Passage, ...]: ...


def word_similarity(one: str, other: str) -> float:
    """Twice the number of words in their longest common subsequence, divided by the number of words of both texts."""
    return float(Indel.normalized_similarity(_words(one), _words(other)))


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def match_passages(
    left: Sequence[Passage], right: Sequence[Passage], group: Mapping[str, int], rows: Sequence[_PassageRow]
) -> tuple[PassageMatch, ...]:
    """Every passage of either side in one `PassageMatch`, in the order of the new ones, those that are gone behind.

    ``group`` says by entry id which entries correspond, ``rows`` which passages within these may.
    """
    return tuple(_PassageMatcher(left, right, group).match(rows))


class _PassageMatcher:
    """The passages that are still to be matched, and those that are."""

    def __init__(self, left: Sequence[Passage], right: Sequence[Passage], group: Mapping[str, int]):
        self._left, self._right = {p.id: p for p in left}, {p.id: p for p in right}
        self._order = {p.id: i for i, p in enumerate(right)}
        self._group = group
        self._found: list[PassageMatch] = []

    def match(self, rows: Sequence[_PassageRow]) -> Iterator[PassageMatch]:
        """All of them."""
        self._match_same_words(within=True)
        self._match_same_words(within=False)
        for row in rows:
            here, there = ([p for p in side if p.id in unmatched] for side, unmatched in ((row.left, self._left), (row.right, self._right)))
            if here and there:
                self._add(here, there, word_similarity(_joined(here), _joined(there)), MIN_REWORDED)
        self._match_similar()
        self._found.sort(key=lambda m: self._order[m.right[0].id])
        yield from self._found
        yield from (PassageMatch((), (p,), 0.0) for p in self._right.values())
        yield from (PassageMatch((p,), (), 0.0) for p in self._left.values())

    def _add(self, here: Sequence[Passage], there: Sequence[Passage], alike: float, least: float) -> None:
        if alike >= least:
            self._found.append(PassageMatch(tuple(here), tuple(there), alike))
            for passage in here:
                del self._left[passage.id]
            for passage in there:
                del self._right[passage.id]

    def _match_same_words(self, within: bool) -> None:
        """Match passages of the same words in order, at first only ``within`` entries that correspond."""
        waiting: dict[tuple[int, str], deque[Passage]] = defaultdict(deque)
        for passage in self._left.values():
            waiting[self._group[passage.entry] if within else 0, fingerprint(passage.text)].append(passage)
        for passage in list(self._right.values()):
            if same := waiting.get((self._group[passage.entry] if within else 0, fingerprint(passage.text))):
                self._add([same.popleft()], [passage], 1.0, 1.0)

    def _match_similar(self) -> None:
        """Match what is left with what it is most like under any entry, the most alike first."""
        from sklearn.feature_extraction.text import TfidfVectorizer  # slow to load, and answering does without

        here, there = ([p for p in side.values() if len(_words(p.text)) >= _FEW] for side in (self._left, self._right))
        if not here or not there:
            return
        vectors = TfidfVectorizer(analyzer=_words, sublinear_tf=True).fit_transform([p.text for p in (*here, *there)])
        near = (vectors[: len(here)] @ vectors[len(here) :].T).tocoo()
        pairs = [(here[i], there[j]) for i, j, value in zip(near.row, near.col, near.data, strict=True) if value >= MIN_ELSEWHERE / 2]
        alike = {(a.id, b.id): word_similarity(a.text, b.text) for a, b in pairs}
        found = [(a, b) for a, b in pairs if alike[a.id, b.id] >= MIN_ELSEWHERE]
        found.sort(key=lambda pair: (-alike[pair[0].id, pair[1].id], pair[0].spans, pair[1].spans))
        for one, other in greedy_assignment((a.id, b.id) for a, b in found):
            self._add([self._left[one]], [self._right[other]], alike[one, other], MIN_ELSEWHERE)


def _joined(passages: Sequence[Passage]) -> str:
    return " ".join(p.text for p in passages)

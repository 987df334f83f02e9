"""Align the passages of two entries by their smallest units: paragraphs and list items of every
depth. Also finds passages whose counterpart is in another entry.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpus.model import Passage
from glossary.comparison.sentence_alignment import SentenceAligner
from glossary.comparison.sentence_text import SentencesOf
from glossary.longest_increasing import out_of_order
from glossary.matching.likeness import best_assignment, nearness

ALIKE = 0.34  # likeness of two units that correspond, at least
BETWEEN = 0.22  # the same for units between the same neighbours
PLACE = 0.15  # weight of the same place within the entry in addition to the same content
COVERED = 0.55  # share of a further unit that its counterpart covers, at least
GAIN = 0.08  # by how much a further unit raises the coverage
SHARE = 0.25  # of a passage's words that are in further units, if no other unit corresponds
WITHIN = 0.5  # likeness to one sentence of a longer unit
LESS = 0.2  # by how much less the counterpart of the longer unit covers
ELSEWHERE = 0.63  # likeness to a unit of another entry that says the same
ELSEWHERE_TOO = 0.45  # the same if other units of the two entries say the same
UNEVEN = 2.0  # ratio of their lengths, at most
FEWEST = 6  # words of a unit that is looked for in other entries, or out of order in its own


class _Unit(NamedTuple):
    """A paragraph or list item; ``number`` counts the units of an edition."""

    number: int
    passage: str
    texts: tuple[str, ...]

    @property
    def length(self) -> int:
        return sum(len(text.split()) for text in self.texts)

    def repeats(self, other: _Unit) -> bool:
        """Return whether the unit has the words of ``other``, except for a leading label."""
        texts = " ".join(self.texts), " ".join(other.texts)
        longer, shorter = sorted(texts, key=len, reverse=True)
        return longer == shorter or longer.endswith(f": {shorter}")


class BulletAlignment:
    """The units (paragraphs and list items) of two editions, compared by the word translations that
    ``aligner`` has learned.
    """

    def __init__(self, sentences: tuple[SentencesOf, SentencesOf], aligner: SentenceAligner):
        self._aligner = aligner
        self._units: list[dict[str, list[_Unit]]] = []
        for side in sentences:
            units: dict[str, list[_Unit]] = {}
            number = 0
            for passage, own in side.items():
                paragraphs: dict[int, list[str]] = defaultdict(list)
                for sentence in own:
                    paragraphs[sentence.paragraph].append(sentence.text)
                units[passage] = []
                for texts in paragraphs.values():
                    units[passage].append(_Unit(number, passage, tuple(texts)))
                    number += 1
            self._units.append(units)
        self._all = [[unit for own in side.values() for unit in own] for side in self._units]
        self._forth, self._back = aligner.coverage(
            *([unit.texts for unit in side] for side in self._all)
        )
        self._linked: tuple[set[int], set[int]] = (set(), set())  # units with a counterpart
        self._alike: NDArray[np.float64] = np.sqrt(self._forth * self._back)

    def counterparts(
        self, here: Sequence[Passage], there: Sequence[Passage]
    ) -> Iterator[tuple[int, int]]:
        """Yield the pairs of passages of two entries whose units correspond, as indices into
        ``here`` and ``there``.
        """
        left, right = (
            [u for p in side for u in self._units[n][p.id]] for n, side in ((0, here), (1, there))
        )
        if not left or not right:
            return
        place = np.ix_([u.number for u in left], [u.number for u in right])
        alike, forth, back = self._alike[place], self._forth[place], self._back[place]
        places = [np.arange(len(side)) / max(len(side) - 1, 1) for side in (left, right)]
        near = nearness(places[0], places[1])
        pairs = [(i, j) for i, j in best_assignment(alike + PLACE * near) if alike[i, j] >= ALIKE]
        # A unit away from the other units of its passage needs more evidence.
        best: dict[str, float] = {}
        for i, j in pairs:
            for id in (left[i].passage, right[j].passage):
                best[id] = max(best.get(id, 0.0), alike[i, j])
        weak = [
            (i, j)
            for i, j in pairs
            if alike[i, j] < min(ELSEWHERE_TOO, max(best[left[i].passage], best[right[j].passage]))
        ]
        pairs = [pair for pair in pairs if pair not in weak]
        pairs += _between(pairs, alike, avoid=weak)
        taken = {i for i, _ in pairs}, {j for _, j in pairs}
        # A repeated unit is paired with its surest counterpart only.
        pairs += [
            (i, j)
            for i, j in weak
            if not (i in taken[0] or _again(left, i, taken[0]))
            and not (j in taken[1] or _again(right, j, taken[1]))
        ]
        pairs = _without_strays(pairs, left, right)
        partner = dict(pairs), {j: i for i, j in pairs}
        further = []
        for i in set(range(len(left))) - partner[0].keys():
            j = int(forth[i].argmax())
            again = _again(left, i, partner[0])
            if again:
                further.append((i, partner[0][again[0]]))
            elif forth[i, j] >= COVERED and self._adds(left, right, i, j, partner[1].get(j)):
                further.append((i, j))
        for j in set(range(len(right))) - partner[1].keys():
            i = int(back[:, j].argmax())
            again = _again(right, j, partner[1])
            if again:
                further.append((partner[1][again[0]], j))
            elif back[i, j] >= COVERED and self._adds(left, right, i, j, None, partner[0].get(i)):
                further.append((i, j))
        further = _without_scraps(pairs, further, left, right)
        further += self._within((left, right), (pairs, further))
        self._linked[0].update(left[i].number for i, _ in (*pairs, *further))
        self._linked[1].update(right[j].number for _, j in (*pairs, *further))
        numbers = [{p.id: n for n, p in enumerate(side)} for side in (here, there)]
        for i, j in (*pairs, *further):
            yield numbers[0][left[i].passage], numbers[1][right[j].passage]

    def _within(
        self,
        units: tuple[Sequence[_Unit], Sequence[_Unit]],
        known: tuple[Sequence[tuple[int, int]], Sequence[tuple[int, int]]],
    ) -> list[tuple[int, int]]:
        """Return further pairs for units whose passage has no counterpart yet: the unit says the
        same as one sentence of a longer unit, and the known partners of that unit do not say it.
        """
        found = []
        linked = [{units[n][pair[n]].passage for each in known for pair in each} for n in (0, 1)]
        for side in (0, 1):
            alone = [
                n
                for n, unit in enumerate(units[side])
                if unit.passage not in linked[side] and unit.length >= FEWEST
            ]
            for other, several in enumerate(units[1 - side]):
                partners = [pair[side] for pair in known[0] if pair[1 - side] == other]
                if not alone or not partners or len(several.texts) == 1:
                    continue
                own = [units[side][n].texts for n in (*alone, *partners)]
                sentences = [[text] for text in several.texts]
                if side == 0:
                    forth, back = self._aligner.coverage(own, sentences)
                else:
                    back, forth = (each.T for each in self._aligner.coverage(sentences, own))
                alike = np.sqrt(forth * back)
                covers, said = back[: len(alone)], back[len(alone) :].max(axis=0)
                for n, likeness, cover in zip(alone, alike, covers, strict=False):
                    best = int(likeness.argmax())
                    if likeness[best] >= WITHIN and cover[best] >= said[best] + LESS:
                        found.append((n, other) if side == 0 else (other, n))
        return found

    def _adds(
        self,
        left: Sequence[_Unit],
        right: Sequence[_Unit],
        i: int,
        j: int,
        beside_left: int | None,
        beside_right: int | None = None,
    ) -> bool:
        """Return whether unit ``i`` or ``j`` covers something of its counterpart that the unit
        beside it lacks.
        """
        if beside_left is not None:
            both = (*left[i].texts, *left[beside_left].texts)
            _, back = self._aligner.coverage([both, left[beside_left].texts], [right[j].texts])
            return bool(back[0, 0] >= back[1, 0] + GAIN)
        if beside_right is not None:
            both = (*right[j].texts, *right[beside_right].texts)
            forth, _ = self._aligner.coverage([left[i].texts], [both, right[beside_right].texts])
            return bool(forth[0, 0] >= forth[0, 1] + GAIN)
        return True

    def elsewhere(self) -> list[tuple[str, str]]:
        """Return pairs of passage ids, left and right, that say the same in different entries: the
        most similar units among those without a counterpart in their own entries.
        """
        left, right = (
            [u for u in units if u.number not in linked and u.length >= FEWEST]
            for units, linked in zip(self._all, self._linked, strict=True)
        )
        if not left or not right:
            return []
        alike = self._alike[np.ix_([u.number for u in left], [u.number for u in right])]
        found = []
        for i, j in enumerate(alike.argmax(axis=1)):
            lengths = sorted((left[i].length, right[j].length))
            if alike[:, j].argmax() == i and lengths[1] <= UNEVEN * lengths[0]:
                found.append((float(alike[i, j]), left[i].passage, right[j].passage))
        # A neighbour of a unit that surely moved has most likely moved with it.
        sure = {(_entry(one), _entry(other)) for value, one, other in found if value >= ELSEWHERE}
        return [
            (one, other)
            for value, one, other in found
            if value >= ELSEWHERE_TOO and (_entry(one), _entry(other)) in sure
        ]


def _again(units: Sequence[_Unit], n: int, others: Iterable[int]) -> list[int]:
    """Return the indices in ``others`` whose unit repeats the ``n``-th of ``units``."""
    return [k for k in others if units[k].repeats(units[n])]


def _without_strays(
    pairs: Sequence[tuple[int, int]], left: Sequence[_Unit], right: Sequence[_Unit]
) -> list[tuple[int, int]]:
    """Drop pairs of short units that are out of order with the longer pairs, unless their passages
    share a longer pair: many short units are alike by chance.
    """
    longer = [(i, j) for i, j in pairs if min(left[i].length, right[j].length) >= FEWEST]
    longer.sort()
    moved = out_of_order([j for _, j in longer])
    order = [pair for n, pair in enumerate(longer) if n not in moved]
    together = {(left[i].passage, right[j].passage) for i, j in longer}
    return [
        (i, j)
        for i, j in pairs
        if (i, j) in longer
        or (left[i].passage, right[j].passage) in together
        or all((a < i) == (b < j) for a, b in order)
    ]


def _without_scraps(
    pairs: Iterable[tuple[int, int]],
    further: Sequence[tuple[int, int]],
    left: Sequence[_Unit],
    right: Sequence[_Unit],
) -> list[tuple[int, int]]:
    """Drop ``further`` pairs whose units are only a small part of a long passage, if no other pair
    brings this passage into the row.
    """
    scraps = []
    for side, units in enumerate((left, right)):
        words: Counter[str] = Counter()
        for unit in units:
            words[unit.passage] += unit.length
        known = {units[pair[side]].passage for pair in pairs}
        shared: Counter[str] = Counter()
        for n in {pair[side] for pair in further}:
            shared[units[n].passage] += units[n].length
        scraps.append({id for id in shared.keys() - known if shared[id] < SHARE * words[id]})
    return [
        (i, j)
        for i, j in further
        if left[i].passage not in scraps[0] and right[j].passage not in scraps[1]
    ]


def _between(
    pairs: Sequence[tuple[int, int]],
    alike: NDArray[np.float64],
    avoid: Collection[tuple[int, int]],
) -> list[tuple[int, int]]:
    """Return further pairs, with less similarity, whose units are between the same ``pairs`` on
    both sides; leave out the pairs to ``avoid``.
    """
    rest = [
        sorted(set(range(n)) - {pair[side] for pair in pairs}) for side, n in enumerate(alike.shape)
    ]
    if not all(rest):
        return []
    same = np.array([[all((a < i) == (b < j) for a, b in pairs) for j in rest[1]] for i in rest[0]])
    found = [
        (rest[0][i], rest[1][j])
        for i, j in best_assignment(np.where(same, alike[np.ix_(*rest)], 0.0))
        if same[i, j]
    ]
    return [pair for pair in found if alike[pair] >= BETWEEN and pair not in avoid]


def _entry(passage: str) -> str:
    """Return the entry id of a passage id."""
    return passage.partition("#")[0]

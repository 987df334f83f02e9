"""Phrasings whose passage was renumbered, reworded, moved, divided or joined, tied to what became
of it.

Evidence is how much of the old passage's letters a new one has, estimated from a sketch of hashes
and weighted by rarity (containment: Broder 1997, "On the resemblance and containment of
documents"), and the place: phrasings stand in a file in the order of their passages, so that
neighbours that are tied say where to look.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from corpus import letter_runs
from corpus.model import Passage
from glossary.query_variants.model import AlignmentEvidence, PassageAlignment, PassageVariants
from glossary.query_variants.wording import SKETCH as WORDING_SKETCH
from glossary.query_variants.wording import content, letter_run_hashes

ROUNDS = (
    (0.75, 0),
    (0.5, 0),
    (0.25, 1),
    (0.25, 1),
    (0.1, 2),
)  # least likeness, and least nearness, of passages tied one to one
NEARNESS = 0.15  # of likeness that each step of nearness is worth
WINDOW = 12  # passages between those that tied neighbours have, at most, to be near
BESIDE = 3  # passages before or behind that of a tied neighbour
GAP = 6  # the same where nothing but the place speaks for a tie
LENGTH = 0.5  # of the longer text that the shorter has where nothing but the place speaks for a tie
PART = 0.5  # of a part's text that has to be from the divided passage
PARTS = 2  # hashes that a part has to have; as many passages may be between parts
JOINED = 0.6  # of a passage that another has to have that begins with another one
OWN = 0.7  # of these hashes that the other's own phrasings must not have
COMMON = (
    100  # passages that have a run, at most, for it to tell them apart; of more it would take long
)
SKETCH = 8  # hashes in the sketch with figures that files without wording have

_MOST = 16**letter_runs.DIGITS


class _Sample(NamedTuple):
    """The smallest ``hashes`` of an old passage; ``complete`` where it has no others."""

    hashes: tuple[int, ...]
    complete: bool

    @classmethod
    def of(cls, phrasings: PassageVariants) -> _Sample:
        hashes = _sketch(phrasings)
        return cls(hashes, len(hashes) < (WORDING_SKETCH if phrasings.wording else SKETCH))

    @property
    def runs(self) -> float:
        """How many the passage has, where there are others estimated by how close these are
        together.
        """
        return (
            len(self.hashes)
            if self.complete
            else (len(self.hashes) - 1) * _MOST / (self.hashes[-1] + 1)
        )

    def within(self, ascending: Sequence[int]) -> int:
        """How many of the ``ascending`` hashes of a new passage are as small as these."""
        return len(ascending) if self.complete else bisect_right(ascending, self.hashes[-1])


class _Likeness(NamedTuple):
    """How much of an old passage a new one has, and how much of the new one is from the old, both
    estimated, 0.0 to 1.0.
    """

    share: float
    covered: float


class VariantRelocator:
    """Ties ``phrasings`` that have no passage to ``passages`` that have none, both in document
    order.

    ``tied`` are the ties that there are, by the position of the passage; more are added to it.
    """

    def __init__(
        self,
        phrasings: Sequence[PassageVariants],
        passages: Sequence[Passage],
        tied: dict[int, list[PassageAlignment]],
    ):
        self._phrasings = phrasings
        self._passages = passages
        self._tied = tied
        order = {each.fingerprint: n for n, each in enumerate(phrasings)}
        self._places: dict[int, list[int]] = defaultdict(
            list
        )  # of passages, by the position of their phrasings
        for at, ties in tied.items():
            for tie in ties:
                self._places[order[tie.phrasings.fingerprint]].append(at)
        self._lost = [
            n for n, each in enumerate(phrasings) if n not in self._places and _sketch(each)
        ]
        self._bare = [at for at in range(len(passages)) if at not in tied]

    def relocate(self) -> None:
        """Add the ties that are found."""
        self._tie_same_content()
        if not self._lost or not self._bare:
            return
        for least, nearness in ROUNDS:
            self._tie_alike(least, nearness)
        self._tie_gaps()
        self._tie_parts()
        self._tie_joined()

    def _open(self) -> tuple[list[int], list[int]]:
        """The phrasings and the passages that are still without the other."""
        return [n for n in self._lost if n not in self._places], [
            at for at in self._bare if at not in self._tied
        ]

    def _tie(self, n: int, at: int, evidence: AlignmentEvidence) -> None:
        share = (
            1.0
            if evidence is AlignmentEvidence.CONTENT
            else self._alike.get((n, at), _Likeness(0.0, 0.0)).share
        )
        self._tied.setdefault(at, []).append(
            PassageAlignment(self._phrasings[n], evidence, round(share, 3))
        )
        self._places[n].append(at)

    def _tie_same_content(self) -> None:
        """A sentence printed twice shares its phrasings; where several differ in nothing but their
        numbers, each has its own in order.
        """
        waiting: dict[str, list[int]] = defaultdict(list)
        for n, each in enumerate(self._phrasings):
            if each.wording and each.wording.sketch:
                waiting[each.wording.content].append(n)
        for at in self._bare if waiting else ():
            if same := waiting.get(content(self._passages[at].text)):
                self._tie(
                    next((n for n in same if n not in self._places), same[-1]),
                    at,
                    AlignmentEvidence.CONTENT,
                )

    @cached_property
    def _hashes(self) -> Mapping[bool, Mapping[int, frozenset[int]]]:
        """The hashes of the passages that had no phrasings, by position: of runs of letters, and
        (False) of letters and figures.
        """
        texts = {at: self._passages[at].text for at in self._bare}
        old = any(not self._phrasings[n].wording for n in self._lost)
        with_figures = (
            {
                at: frozenset(letter_runs.runs(letter_runs.letters(text)))
                for at, text in texts.items()
            }
            if old
            else {}
        )
        return {
            True: {at: letter_run_hashes(text) for at, text in texts.items()},
            False: with_figures,
        }

    def _of(self, n: int) -> Mapping[int, frozenset[int]]:
        return self._hashes[self._phrasings[n].wording is not None]

    @cached_property
    def _alike(self) -> Mapping[tuple[int, int], _Likeness]:
        """How alike each old passage and each new one are that have something in common."""
        found = {}
        for hashes in self._hashes.values():
            seen = Counter(run for runs in hashes.values() for run in runs)
            places: dict[int, list[int]] = defaultdict(list)
            lost = [n for n in self._lost if self._of(n) is hashes]
            wanted = {
                run for n in lost for run in _sketch(self._phrasings[n]) if seen[run] <= COMMON
            }
            for at, runs in hashes.items():
                for run in wanted & runs:
                    places[run].append(at)
            weight = {
                run: math.log((len(self._passages) + 2) / (seen[run] + 0.5)) for run in wanted
            }
            ascending = {at: sorted(runs) for at, runs in hashes.items()}
            for n in lost:
                for at, likeness in _likenesses(
                    _Sample.of(self._phrasings[n]), places, weight, ascending
                ):
                    found[n, at] = likeness
        return found

    def _tie_alike(self, least: float, nearness: int) -> None:
        """Tie one to one what is alike, the most alike first."""
        lost, bare = map(set, self._open())
        windows = self._windows(lost)
        found = []
        for (n, at), likeness in self._alike.items():
            if n in lost and at in bare:
                near = self._nearness(n, at, windows[n])
                value = (
                    likeness.share
                    if near
                    else likeness.share * min(1.0, 0.3 + 1.4 * likeness.covered)
                )
                if near >= nearness and value >= least:
                    found.append((-value - NEARNESS * near, n, at))
        for _, n, at in sorted(found):
            if n in lost and at in bare:
                self._tie(n, at, AlignmentEvidence.SKETCH)
                lost.remove(n)
                bare.remove(at)

    def _windows(self, lost: set[int]) -> Mapping[int, tuple[int, int]]:
        """For each of ``lost`` the passages of the phrasings before and behind it that have one
        passage; the ends where there is none.
        """
        anchors = sorted((n, places[0]) for n, places in self._places.items() if len(places) == 1)
        before = [n for n, _ in anchors]
        found = {}
        for n in lost:
            last, following = bisect_left(before, n) - 1, bisect_right(before, n)
            end = anchors[following][1] if following < len(anchors) else len(self._passages)
            found[n] = (anchors[last][1] if last >= 0 else -1, end)
        return found

    def _nearness(self, n: int, at: int, window: tuple[int, int]) -> int:
        """2 where passage ``at`` is between those of the neighbours, 1 beside one of them or under
        the heading that phrasings ``n`` had.

        One more where it is also the same passage of the heading.
        """
        start, end = window
        if start < at < end and end - start <= WINDOW:
            return 2 + int(self._phrasings[n].at == self._passages[at].id.partition("/")[2])
        return int(
            min(abs(at - start), abs(at - end)) <= BESIDE
            or self._same_heading(n, at, numbered=False)
        )

    def _same_heading(self, n: int, at: int, numbered: bool) -> bool:
        """Whether passage ``at`` is under the heading that phrasings ``n`` had; of a number alone,
        what ``numbered`` says.
        """
        was, now = (
            _letters_of(slug)
            for slug in (self._phrasings[n].at, self._passages[at].id.partition("/")[2])
        )
        return was == now and (bool(was) or numbered)

    def _tie_gaps(self) -> None:
        """Where a single old passage and a single new one are left between the same neighbours,
        they are taken for one.
        """
        lost, bare = self._open()
        gaps: dict[tuple[int, int], list[int]] = defaultdict(list)
        for n, window in self._windows(set(lost)).items():
            gaps[window].append(n)
        for (start, end), old in gaps.items():
            new = [at for at in bare if start < at < end]
            if (
                len(old) == len(new) == 1
                and end - start <= GAP
                and self._same_heading(old[0], new[0], numbered=True)
            ):
                lengths = sorted(
                    (_Sample.of(self._phrasings[old[0]]).runs, len(self._of(old[0])[new[0]]))
                )
                if lengths[0] >= LENGTH * lengths[1]:
                    self._tie(old[0], new[0], AlignmentEvidence.PLACE)

    def _tie_parts(self) -> None:
        """What a divided passage has in others beside the one that it is tied to."""
        bare = set(self._open()[1])
        for n in (n for n in self._lost if n in self._places):
            home, hashes = self._places[n][0], self._of(n)
            rest = [run for run in _sketch(self._phrasings[n]) if run not in hashes.get(home, ())]
            for at in range(home - PARTS, home + PARTS + 1):
                likeness = self._alike.get((n, at))
                if (
                    at in bare
                    and likeness
                    and likeness.covered >= PART
                    and sum(run in hashes[at] for run in rest) >= PARTS
                ):
                    self._tie(n, at, AlignmentEvidence.SKETCH)
                    bare.remove(at)

    def _tie_joined(self) -> None:
        """What is now printed in one with a passage that has phrasings."""
        lost = set(self._open()[0])
        windows = self._windows(lost)
        joined: dict[int, list[tuple[float, int]]] = defaultdict(list)
        for (n, at), likeness in self._alike.items():
            if n in lost and at in self._tied and likeness.share >= JOINED:
                joined[n].append(
                    (likeness.share + NEARNESS * self._nearness(n, at, windows[n]), at)
                )
        for n in sorted(joined):
            _, at = max(joined[n])
            mine = self._of(n)[at].intersection(_sketch(self._phrasings[n]))
            taken = {run for tie in self._tied[at] for run in _sketch(tie.phrasings)}
            if len(mine - taken) >= OWN * len(mine):
                self._tie(n, at, AlignmentEvidence.SKETCH)


def _sketch(phrasings: PassageVariants) -> tuple[int, ...]:
    return phrasings.wording.sketch if phrasings.wording else phrasings.sketch


def _likenesses(
    sample: _Sample,
    places: Mapping[int, Sequence[int]],
    weight: Mapping[int, float],
    ascending: Mapping[int, Sequence[int]],
) -> Iterator[tuple[int, _Likeness]]:
    """How alike the passage of ``sample`` and each of those are that have some of it, by their
    position.
    """
    shares: dict[int, float] = defaultdict(float)
    both: Counter[int] = Counter()
    for run in sample.hashes:
        for at in places.get(run, ()):
            shares[at] += weight[run]
            both[at] += 1
    total = sum(weight.get(run, 0.0) for run in sample.hashes)
    for at, share in shares.items():
        yield at, _Likeness(share / total, both[at] / sample.within(ascending[at]))


def _letters_of(slug: str) -> str:
    return "".join(c for c in slug.partition("#")[0] if c.isalpha())

"""Align query variants with the passages of a rulebook, also if a passage was renumbered, reworded,
moved, split or merged.

Evidence is how much of the old passage's letters a new one contains, estimated from a sketch of
hashes and weighted by rarity (containment: Broder 1997, "On the resemblance and containment of
documents"), and the place: variants are in a file in the order of their passages, so that aligned
neighbours show where to look.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import NamedTuple

from corpus import letter_runs
from corpus.model import Passage, Role
from glossary.query_variants.model import (
    AlignmentEvidence,
    AttachedVariants,
    PassageAlignment,
    PassageVariants,
)
from glossary.query_variants.wording import SKETCH, content, fingerprint, letter_run_hashes

# Rounds of one-to-one alignment: least likeness, least nearness.
ROUNDS = ((0.75, 0), (0.5, 0), (0.25, 1), (0.25, 1), (0.1, 2))
NEARNESS = 0.15  # likeness that each step of nearness is worth
WINDOW = 12  # passages between those of aligned neighbours, at most, to be near
BESIDE = 3  # passages before or after that of an aligned neighbour
GAP = 6  # as WINDOW, if the place is the only evidence
LENGTH = 0.5  # ratio of the shorter to the longer text, if the place is the only evidence
PART = 0.5  # share of a part's text that is from the split passage
PARTS = 2  # hashes of the split passage in a part; also passages from its first part, at most
JOINED = 0.6  # share of a passage that the passage it was merged into has
OWN = 0.7  # share of these hashes that the other variants of that passage lack
COMMON = 100  # passages with a shingle, at most, for it to tell them apart; more would be slow

_HASHES = 16**letter_runs.DIGITS


def attach_query_variants(
    variants: Iterable[PassageVariants], passages: Iterable[Passage]
) -> AttachedVariants:
    """Align ``variants`` with ``passages``, both in document order.

    First they are aligned by fingerprint; a sentence printed twice shares its variants. Remaining
    variants are aligned with remaining passages that their old passages may have become.
    """
    known = {each.fingerprint: each for each in variants}
    texts = [passage for passage in passages if passage.role is Role.TEXT]
    aligned: dict[int, list[PassageAlignment]] = {}
    for at, passage in enumerate(texts):
        if own := known.get(fingerprint(passage.text)):
            aligned[at] = [PassageAlignment(own, AlignmentEvidence.WORDS, 1.0)]
    _Relocator(tuple(known.values()), texts, aligned).relocate()
    found: dict[str, PassageVariants] = {}
    for at in sorted(aligned):
        for alignment in aligned[at]:
            id = texts[at].id
            found[id] = found[id].added(alignment.variants) if id in found else alignment.variants
    used = {each.variants.fingerprint for several in aligned.values() for each in several}
    return AttachedVariants(
        found,
        tuple(passage for at, passage in enumerate(texts) if at not in aligned),
        tuple(each for mark, each in known.items() if mark not in used),
        {texts[at].id: tuple(several) for at, several in aligned.items()},
    )


class _Likeness(NamedTuple):
    """How much of an old passage a new one contains, and how much of the new one the old one covers
    (``covered``), both estimated, 0.0 to 1.0.
    """

    share: float
    covered: float


class _Relocator:
    """Aligns ``variants`` without a passage with ``passages`` without variants.

    Both are identified by index: ``n`` for variants, ``at`` for a passage. Results are added to
    ``aligned``.
    """

    def __init__(
        self,
        variants: Sequence[PassageVariants],
        passages: Sequence[Passage],
        aligned: dict[int, list[PassageAlignment]],
    ):
        self._variants = variants
        self._passages = passages
        self._aligned = aligned
        order = {each.fingerprint: n for n, each in enumerate(variants)}
        self._places: dict[int, list[int]] = defaultdict(list)  # passages by their variants
        for at, alignments in aligned.items():
            for alignment in alignments:
                self._places[order[alignment.variants.fingerprint]].append(at)
        self._sketches = [each.wording.sketch if each.wording else () for each in variants]
        self._lost = [n for n, has in enumerate(self._sketches) if has and n not in self._places]
        self._bare = [at for at in range(len(passages)) if at not in aligned]

    def relocate(self) -> None:
        self._align_same_content()
        if self._lost and self._bare:
            for least, nearness in ROUNDS:
                self._align_alike(least, nearness)
            self._align_gaps()
            self._align_parts()
            self._align_joined()

    def _open(self) -> tuple[set[int], set[int]]:
        """Return the variants and the passages that are not aligned yet."""
        return (
            {n for n in self._lost if n not in self._places},
            {at for at in self._bare if at not in self._aligned},
        )

    def _align(self, n: int, at: int, evidence: AlignmentEvidence) -> None:
        share = 1.0
        if evidence is not AlignmentEvidence.CONTENT:
            share = self._alike[n, at].share if (n, at) in self._alike else 0.0
        alignment = PassageAlignment(self._variants[n], evidence, round(share, 3))
        self._aligned.setdefault(at, []).append(alignment)
        self._places[n].append(at)

    def _align_same_content(self) -> None:
        """Align texts that differ only in rule numbers. If several passages do, each gets its own
        variants in order; a sentence printed twice shares them.
        """
        waiting: dict[str, list[int]] = defaultdict(list)
        for n, each in enumerate(self._variants):
            if each.wording and each.wording.sketch:
                waiting[each.wording.content].append(n)
        for at in self._bare if waiting else ():
            if same := waiting.get(content(self._passages[at].text)):
                first = next((n for n in same if n not in self._places), same[-1])
                self._align(first, at, AlignmentEvidence.CONTENT)

    @cached_property
    def _hashes(self) -> Mapping[int, frozenset[int]]:
        """The shingle hashes of the passages that had no variants."""
        return {at: letter_run_hashes(self._passages[at].text) for at in self._bare}

    @cached_property
    def _alike(self) -> Mapping[tuple[int, int], _Likeness]:
        """The similarity of each old passage and each new one with a shingle in common."""
        seen = Counter(shingle for hashes in self._hashes.values() for shingle in hashes)
        wanted = {each for n in self._lost for each in self._sketches[n] if seen[each] <= COMMON}
        places: dict[int, list[int]] = defaultdict(list)
        for at, hashes in self._hashes.items():
            for shingle in wanted & hashes:
                places[shingle].append(at)
        weight = {
            shingle: math.log((len(self._passages) + 2) / (seen[shingle] + 0.5))
            for shingle in wanted
        }
        ascending = {at: sorted(hashes) for at, hashes in self._hashes.items()}
        found = {}
        for n in self._lost:
            sketch = self._sketches[n]
            shares: dict[int, float] = defaultdict(float)
            both: Counter[int] = Counter()
            for shingle in sketch:
                for at in places.get(shingle, ()):
                    shares[at] += weight[shingle]
                    both[at] += 1
            total = sum(weight.get(shingle, 0.0) for shingle in sketch)
            for at, share in shares.items():
                # A sketch has only the smallest hashes: compare as small ones of the passage.
                comparable = len(ascending[at])
                if len(sketch) == SKETCH:
                    comparable = bisect_right(ascending[at], sketch[-1])
                found[n, at] = _Likeness(share / total, both[at] / comparable)
        return found

    def _align_alike(self, least: float, nearness: int) -> None:
        """Align similar passages one to one, the most similar first."""
        lost, bare = self._open()
        windows = self._windows(lost)
        found = []
        for (n, at), likeness in self._alike.items():
            if n in lost and at in bare:
                near = self._nearness(n, at, windows[n])
                value = likeness.share
                if not near:
                    value *= min(1.0, 0.3 + 1.4 * likeness.covered)
                if near >= nearness and value >= least:
                    found.append((-value - NEARNESS * near, n, at))
        for _, n, at in sorted(found):
            if n in lost and at in bare:
                self._align(n, at, AlignmentEvidence.SKETCH)
                lost.remove(n)
                bare.remove(at)

    def _windows(self, lost: set[int]) -> Mapping[int, tuple[int, int]]:
        """Return for each of ``lost`` the passages of the nearest variants before and after it that
        have exactly one passage, or the ends of the document.
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
        """Return how near passage ``at`` is to where the variants ``n`` were.

        3: between the passages of their neighbours, and at the old place under the heading; 2:
        elsewhere between them; 1: near one of them, or under the old heading; 0: elsewhere.
        """
        start, end = window
        if start < at < end and end - start <= WINDOW:
            return 2 + int(self._variants[n].at == self._passages[at].id.partition("/")[2])
        return int(
            min(abs(at - start), abs(at - end)) <= BESIDE
            or self._same_heading(n, at, numbered=False)
        )

    def _same_heading(self, n: int, at: int, numbered: bool) -> bool:
        """Return whether passage ``at`` is under the old heading of the variants ``n``. For
        headings that are only numbers, return ``numbered``.
        """
        was, now = (
            "".join(filter(str.isalpha, slug.partition("#")[0]))
            for slug in (self._variants[n].at, self._passages[at].id.partition("/")[2])
        )
        return was == now and (bool(was) or numbered)

    def _align_gaps(self) -> None:
        """Align an old and a new passage if nothing else is left between the same neighbours."""
        lost, bare = self._open()
        gaps: dict[tuple[int, int], list[int]] = defaultdict(list)
        for n, window in self._windows(lost).items():
            gaps[window].append(n)
        for (start, end), old in gaps.items():
            new = [at for at in bare if start < at < end]
            if len(old) != 1 or len(new) != 1 or end - start > GAP:
                continue
            n, at = old[0], new[0]
            sketch = self._sketches[n]
            # How close together its smallest hashes are tells how many a long passage has.
            old_length: float = len(sketch)
            if len(sketch) == SKETCH:
                old_length = (len(sketch) - 1) * _HASHES / (sketch[-1] + 1)
            shorter, longer = sorted((old_length, len(self._hashes[at])))
            if shorter >= LENGTH * longer and self._same_heading(n, at, numbered=True):
                self._align(n, at, AlignmentEvidence.PLACE)

    def _align_parts(self) -> None:
        """Align the other parts of a split passage, which are next to the part already aligned."""
        bare = self._open()[1]
        for n in (n for n in self._lost if n in self._places):
            home = self._places[n][0]
            rest = [each for each in self._sketches[n] if each not in self._hashes.get(home, ())]
            for at in range(home - PARTS, home + PARTS + 1):
                likeness = self._alike.get((n, at))
                if (
                    at in bare
                    and likeness
                    and likeness.covered >= PART
                    and sum(each in self._hashes[at] for each in rest) >= PARTS
                ):
                    self._align(n, at, AlignmentEvidence.SKETCH)
                    bare.remove(at)

    def _align_joined(self) -> None:
        """Align variants whose passage was merged into one that already has variants."""
        lost = self._open()[0]
        windows = self._windows(lost)
        joined: dict[int, list[tuple[float, int]]] = defaultdict(list)
        for (n, at), likeness in self._alike.items():
            if n in lost and at in self._aligned and likeness.share >= JOINED:
                value = likeness.share + NEARNESS * self._nearness(n, at, windows[n])
                joined[n].append((value, at))
        order = {each.fingerprint: n for n, each in enumerate(self._variants)}
        for n in sorted(joined):
            _, at = max(joined[n])
            mine = self._hashes[at].intersection(self._sketches[n])
            taken = {
                shingle
                for alignment in self._aligned[at]
                for shingle in self._sketches[order[alignment.variants.fingerprint]]
            }
            if len(mine - taken) >= OWN * len(mine):
                self._align(n, at, AlignmentEvidence.SKETCH)

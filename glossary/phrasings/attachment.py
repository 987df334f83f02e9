"""Phrasings tied to the passages of a rulebook."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from corpus import letter_runs
from corpus.model import Passage, Role
from glossary.phrasings.model import AttachedPhrasings, PassagePhrasings, fingerprint

SKETCH = 8  # hashes in the sketch of a passage
LEAST = 2  # hashes of a sketch that a passage must have; one where the rest of it stands in the same entry
SHARE = 3 / 8  # of a sketch that a passage in another entry must have


def attach_phrasings(phrasings: Iterable[PassagePhrasings], passages: Iterable[Passage]) -> AttachedPhrasings:
    """Tie ``phrasings`` to ``passages`` by fingerprint; a sentence printed twice shares its phrasings.

    Those left over are tied by their sketches to the passages left over that their text is divided among or joined with.
    """
    known = {p.fingerprint: p for p in phrasings}
    found: dict[str, PassagePhrasings] = {}
    unphrased = []
    used = set()
    for passage in passages:
        if passage.role is not Role.TEXT:
            continue
        mark = fingerprint(passage.text)
        if mark in known:
            found[passage.id] = known[mark]
            used.add(mark)
        else:
            unphrased.append(passage)
    for own, passage in _by_sketch([p for mark, p in known.items() if mark not in used], unphrased):
        found[passage.id] = found[passage.id].added(own) if passage.id in found else own
        used.add(own.fingerprint)
    missing = tuple(passage for passage in unphrased if passage.id not in found)
    return AttachedPhrasings(found, missing, tuple(p for mark, p in known.items() if mark not in used))


def _by_sketch(phrasings: Sequence[PassagePhrasings], passages: Sequence[Passage]) -> Iterator[tuple[PassagePhrasings, Passage]]:
    """``phrasings`` with each of the ``passages`` that a part of their text stands in."""
    wanted = {run for each in phrasings for run in each.sketch}
    places: dict[int, list[int]] = defaultdict(list)
    for at, passage in enumerate(passages if wanted else ()):
        for run in wanted.intersection(letter_runs.runs(letter_runs.letters(passage.text))):
            places[run].append(at)
    homes: dict[str, set[int]] = defaultdict(set)
    for at, passage in enumerate(passages):
        homes[passage.entry.partition("/")[2]].add(at)
    for each in phrasings:
        for at in _parts(each.sketch, places, homes[each.at.partition("#")[0]]):
            yield each, passages[at]


def _parts(sketch: Sequence[int], places: dict[int, list[int]], home: set[int]) -> Iterator[int]:
    """The passages that ``sketch`` is divided among, the one with most of it first; passages at ``home`` need less of it than others."""
    left = set(sketch)
    least, least_at_home = max(LEAST, SHARE * len(sketch)), LEAST
    while left:
        shares = Counter(at for run in left for at in places.get(run, ()))
        enough = [at for at, share in shares.items() if share >= (least_at_home if at in home else least)]
        if not enough:
            return
        best = max(enough, key=lambda at: (shares[at], at in home, -at))
        yield best
        left -= {run for run in left if best in places.get(run, ())}
        least, least_at_home = LEAST, 1

"""Find words that a new version replaces throughout, such as a renamed term: report one change with
all its places.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from corpus.model import Entry
from glossary.comparison.passage_matches import PassageMatch
from glossary.comparison.rewording import Rewording, reworded_runs, stems

PLACES = 3  # passages in which words are replaced, at least, if they are in no renamed heading
LONGEST = 3  # words of a term
SHORTEST = 4  # letters
STILL_USED = 0.25  # uses that are left of a renamed word, at most, per replaced one
ENDING = 3  # letters by which forms of one word differ


class Renaming(NamedTuple):
    """Words that a new version replaces: ``left`` by ``right``, both as printed, in ``places``.

    ``entries`` are the old and the new entry whose heading is renamed, if any.
    """

    left: str
    right: str
    entries: tuple[Entry, ...]
    places: tuple[PassageMatch, ...]


class Renamings:
    """Finds the renamings between two versions in ``language``; ``headed`` are pairs of entries
    whose heading has changed.
    """

    def __init__(
        self,
        matches: Sequence[PassageMatch],
        headed: Iterable[tuple[Entry, Entry]],
        language: str,
    ):
        self._language = language
        self._runs = {
            n: reworded_runs(*match.texts)
            for n, match in enumerate(matches)
            if match.left and match.right and not match.same_words
        }
        self._names: dict[tuple[str, str], tuple[str, str]] = {}  # as printed, by their stems
        entries: dict[tuple[str, str], tuple[Entry, Entry]] = {}
        for old, new in headed:
            for run in reworded_runs(old.title, new.title):
                key = self._key(run)
                words = [word for side in key for word in side.split()]
                if all(key) and key[0] != key[1] and all(map(str.isalpha, words)):
                    self._names[key] = _printed(run)
                    entries.setdefault(key, (old, new))
        self._names |= dict(self._replaced(matches))
        self._by_place = {n: self._of(runs) for n, runs in self._runs.items()}
        self.all = tuple(
            Renaming(
                *self._names[key],
                entries.get(key, ()),
                tuple(matches[n] for n, found in self._by_place.items() if key in found),
            )
            for key in self._names
            if any(key in found for found in self._by_place.values())
        )

    def runs(self, place: int) -> tuple[list[Rewording], frozenset[Rewording]]:
        """Return the rewordings in the match at index ``place``, and those of them that are part of
        a renaming.
        """
        runs = self._runs.get(place, [])
        renamed = {run for run in runs if any(self._key(run)) and self._renaming(run)}
        if renamed:  # an article goes with its noun
            renamed.update(run for run in runs if all(run) and not any(self._key(run)))
        return runs, frozenset(renamed)

    def _key(self, run: Rewording) -> tuple[str, str]:
        old, new = (" ".join(stems(side, self._language)) for side in run)
        return old, new

    def _replaced(
        self, matches: Sequence[PassageMatch]
    ) -> Iterator[tuple[tuple[str, str], tuple[str, str]]]:
        """Yield words that are replaced in the same way in several passages and hardly used any
        more: their stems, and as printed.
        """
        places: dict[tuple[str, str], set[int]] = defaultdict(set)
        printed: dict[tuple[str, str], Counter[tuple[str, str]]] = defaultdict(Counter)
        for n, runs in self._runs.items():
            for run in runs:
                key = self._key(run)
                if all(key) and not self._renaming(run):
                    places[key].add(n)
                    printed[key][_printed(run)] += 1
        often = [key for key, found in places.items() if len(found) >= PLACES]
        if not often:
            return
        now = Counter(
            stem
            for match in matches
            for passage in match.right
            for stem in stems([passage.display], self._language)
        )
        for old, new in often:
            words = old.split()
            is_term = len(words) <= LONGEST and all(
                len(word) >= SHORTEST and word.isalpha() for word in (*words, *new.split())
            )
            still = min(now[word] for word in words)
            if is_term and still <= STILL_USED * len(places[old, new]):
                yield (old, new), printed[old, new].most_common(1)[0][0]

    def _of(self, runs: Iterable[Rewording]) -> set[tuple[str, str]]:
        return {key for run in runs if (key := self._renaming(run))}

    def _renaming(self, run: Rewording) -> tuple[str, str] | None:
        """Return the renaming that ``run`` is an instance of, also within compounds."""
        old, new = self._key(run)
        for was, now in self._names:
            before, found, behind = old.partition(was)
            other, also, rest = new.partition(now)
            if (
                found
                and also
                and before == other
                and (behind == rest or max(len(behind), len(rest)) <= ENDING)
            ):
                return was, now
        return None


def _printed(run: Rewording) -> tuple[str, str]:
    old, new = (" ".join(word.strip('()[].,;:„“»«"') for word in side) for side in run)
    return old, new

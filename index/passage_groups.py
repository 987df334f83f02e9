"""Groups of passages with the same words: which of them are one hit, which of a group is quoted,
and where an exception stands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from corpus.model import Edition
from corpus.versions import version_key
from index.library.passage_lookup import PassageLookup
from index.ranking.passage_features import PassageFeatures

DUPLICATES_WITHIN = 120  # passages further down that are searched for the same words; with 2,000 no answer was another
_EXCEPTION_WITHIN = 10  # passages among which an exception to the first may be


class PassageGroups:
    """Groups the passages of some ``editions`` that have the same words. Passages are numbers, as
    in `index.search`.
    """

    def __init__(
        self, lookup: PassageLookup, features: PassageFeatures, editions: Sequence[Edition]
    ):
        self._lookup, self._features = lookup, features
        self._versions = {edition.id: version_key(edition.version) for edition in editions}

    def first(
        self,
        ranked: NDArray[np.int64],
        count: int,
        per_game: int | None = None,
        per_language: int | None = None,
    ) -> list[list[int]]:
        """The first ``count`` groups of the passages ``ranked``, the best first, an exception right
        behind its rule.

        At most ``per_game`` of them are quoted from one game, ``per_language`` in one language.
        """
        if per_game is None and per_language is None:
            return self._exception_second(
                self._with_same_words(ranked, max(count, _EXCEPTION_WITHIN))
            )[:count]
        return list(
            islice(
                self._shared_out(
                    self._exception_second(self._with_same_words(ranked, len(ranked))),
                    per_game,
                    per_language,
                ),
                count,
            )
        )

    def _shared_out(
        self, groups: Sequence[list[int]], per_game: int | None, per_language: int | None
    ) -> Iterator[list[int]]:
        """Those of ``groups`` that neither their game nor their language has had its share of."""
        games: Counter[str] = Counter()
        languages: Counter[str] = Counter()
        for group in groups:
            edition = self._lookup.edition(self.quoted(group))
            if games[edition.game] == per_game or languages[edition.language] == per_language:
                continue
            games[edition.game] += 1
            languages[edition.language] += 1
            yield group

    def quoted(self, group: Sequence[int]) -> int:
        """The passage to quote of a ``group``: that of the newest version where all are versions of
        one rulebook.
        """
        if len(group) == 1:
            return group[0]
        editions = {number: self._lookup.edition(number) for number in group}
        versions_of_one = (
            len({(e.game, e.language) for e in editions.values()}) == 1
            and len({e.id for e in editions.values()}) > 1
        )
        return (
            max(group, key=lambda number: (self._versions[editions[number].id], -number))
            if versions_of_one
            else group[0]
        )

    def _with_same_words(self, ranked: NDArray[np.int64], count: int) -> list[list[int]]:
        """The first ``count`` groups; groups and their passages are in the order of ``ranked``."""
        originals = self._features.first_with_same_words[ranked].tolist()
        groups: dict[int, list[int]] = {
            original: [] for original in islice(dict.fromkeys(originals), count)
        }
        for number, original in [
            pair for pair in zip(ranked.tolist(), originals, strict=True) if pair[1] in groups
        ]:
            groups[original].append(number)
        return list(groups.values())

    def _exception_second(self, groups: list[list[int]]) -> list[list[int]]:
        """``groups``, with the first of the best ten that is an exception in the same entry as the
        first group moved right behind it.
        """
        first = [group[0] for group in groups[:_EXCEPTION_WITHIN]]
        entries, exceptions = (
            self._lookup.entries[first].tolist(),
            self._features.exceptions[first].tolist(),
        )
        for place in range(1, len(first)):
            if exceptions[place] and entries[place] == entries[0]:
                return [groups[0], groups[place], *groups[1:place], *groups[place + 1 :]]
        return groups

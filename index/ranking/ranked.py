"""Passages scored for a question, grouped if they have the same words, and merged if a text asks
several questions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpus.model import DocumentKind, Edition, version_key
from index.library.passage_lookup import PassageLookup
from index.questions.prepared import PreparedQuestion, SearchScope
from index.ranking.passage_features import PassageFeatures
from index.ranking.signals import Signals
from index.ranking.verdict import Likelihoods, is_answered

# Greatest confidence in an answer to a question for a document that the library lacks
WITHOUT_DOCUMENT = 0.25
DUPLICATES_WITHIN = 120  # further passages that are searched for duplicates
_EXCEPTION_WITHIN = 10  # best passages that are searched for an exception to the first


class ScoredPassages(NamedTuple):
    """The passages of a ``scope`` with their signals and scores, shape (len(scope.numbers),) each.

    ``unshifted`` are the scores before the boosts for documents, versions and languages.
    """

    prepared: PreparedQuestion
    scope: SearchScope
    signals: Signals
    unshifted: NDArray[np.float64]
    scores: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RankedPassages:
    """The passages found for one question.

    Attributes:
        groups: Groups of passages by number, the best first, up to ``wanted`` + 1.
        scores: The scores of the passages of the ``scope``, shape (len(scope.numbers),).
        features: The features that the ``verdict`` is based on.
        about_rules: Whether the question is about the game's rules.
        leans: Whether it was asked with the context that it depends on.
        lacking: The kinds of documents that it asks for and that the library lacks.
        missing_rule: The number of a rule that it asks for and that does not exist, or "".
        other_game: The name of the game that it is about, if no rulebook searched is for it.
    """

    prepared: PreparedQuestion
    scope: SearchScope
    scores: NDArray[np.float64]
    groups: list[list[int]]
    wanted: int
    verdict: Likelihoods
    features: Mapping[str, float]
    about_rules: bool
    leans: bool = False
    lacking: tuple[DocumentKind, ...] = ()
    missing_rule: str = ""
    other_game: str = ""

    @property
    def confidence(self) -> float:
        """The probability that the first passage settles the question."""
        return min(self.verdict.first, WITHOUT_DOCUMENT) if self.lacking else self.verdict.first

    @property
    def answered(self) -> bool:
        """Whether one of the first three passages likely settles the question."""
        return not self.lacking and is_answered(self.verdict)


def parts_among_first(
    whole: RankedPassages, parts: Sequence[RankedPassages], compares: bool
) -> list[list[int]]:
    """Merge the groups for the ``whole`` text and for the questions in it, ``parts``: the best of
    the whole, the best of each part, then the rest. If it ``compares`` two things, the best of each
    part come first.

    The best group of a part that depends on another question is not moved: its meaning is less
    certain.
    """
    groups = whole.groups
    wanted: list[list[int]] = []
    best = 0 if compares else 1
    head = {group[0] for group in groups[: 1 + len(parts)]} if best else set()
    for part in parts:
        known = next((group for group in groups if part.groups[0][0] in group), part.groups[0])
        if (
            not part.leans
            and known[0] not in head
            and known not in wanted
            and np.isin(known, whole.scope.numbers).all()
        ):
            wanted.append(known)
    rest = (group for group in groups[best:] if group not in wanted)
    return [*groups[:best], *wanted, *rest]


class PassageGroups:
    """Groups passages with the same words; passages are given by number."""

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
        """Return the first ``count`` groups of the passages ``ranked``, the best first; an
        exception to the first passage comes second.

        At most ``per_game`` groups are quoted from one game, ``per_language`` in one language.
        """
        shared = per_game is not None or per_language is not None
        searched = len(ranked) if shared else max(count, _EXCEPTION_WITHIN)
        groups = self._exception_second(self._with_same_words(ranked, searched))
        return list(
            islice(self._shared_out(groups, per_game, per_language) if shared else groups, count)
        )

    def _shared_out(
        self, groups: Sequence[list[int]], per_game: int | None, per_language: int | None
    ) -> Iterator[list[int]]:
        games: Counter[str] = Counter()
        languages: Counter[str] = Counter()
        for group in groups:
            edition = self._lookup.edition(self.quoted(group))
            if games[edition.game] != per_game and languages[edition.language] != per_language:
                games[edition.game] += 1
                languages[edition.language] += 1
                yield group

    def quoted(self, group: Sequence[int]) -> int:
        """Return the passage of a ``group`` to quote: from the newest version if all are from
        versions of one rulebook, otherwise the first.
        """
        if len(group) == 1:
            return group[0]
        editions = {number: self._lookup.edition(number) for number in group}
        rulebooks = {(each.game, each.language) for each in editions.values()}
        if len(rulebooks) > 1 or len({each.id for each in editions.values()}) == 1:
            return group[0]
        return max(group, key=lambda number: (self._versions[editions[number].id], -number))

    def _with_same_words(self, ranked: NDArray[np.int64], count: int) -> list[list[int]]:
        """Return the first ``count`` groups of passages with the same words, in the order of
        ``ranked``.
        """
        originals = self._features.first_with_same_words[ranked].tolist()
        groups: dict[int, list[int]] = {
            original: [] for original in islice(dict.fromkeys(originals), count)
        }
        for number, original in zip(ranked.tolist(), originals, strict=True):
            if original in groups:
                groups[original].append(number)
        return list(groups.values())

    def _exception_second(self, groups: list[list[int]]) -> list[list[int]]:
        """Return ``groups`` with the best exception from the entry of the first passage, if it is
        among the best ten, moved to the second place.
        """
        first = [group[0] for group in groups[:_EXCEPTION_WITHIN]]
        entries = self._lookup.entries[first].tolist()
        exceptions = self._features.exceptions[first].tolist()
        for place in range(1, len(first)):
            if exceptions[place] and entries[place] == entries[0]:
                return [groups[0], groups[place], *groups[1:place], *groups[place + 1 :]]
        return groups

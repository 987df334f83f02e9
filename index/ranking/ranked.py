"""Passages scored and grouped for a question: groups of passages with the same words, and texts
with several questions.
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

# The most confidence in an answer to what a document that is not here would settle
WITHOUT_DOCUMENT = 0.25
DUPLICATES_WITHIN = 120  # passages further down that are searched for the same words
_EXCEPTION_WITHIN = 10  # passages among which an exception to the first may be


class ScoredPassages(NamedTuple):
    """The passages of a ``scope`` with their signals and scores, shape (len(scope.numbers),) each.

    ``unshifted`` are the scores before some documents, versions and languages are moved to the
    front or the end.
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
        groups: Groups of passages by number, the best first, one more than ``wanted``.
        scores: The scores of the passages of the ``scope``, shape (len(scope.numbers),).
        features: The features that the ``verdict`` is based on.
        about_rules: Whether the question is about the game's rules.
        leans: Whether it was asked with the context that it depends on.
        lacking: The kinds of documents that it asks for and that are not here.
        missing_rule: The number of a rule that does not exist.
        other_game: The name of the game that it is about, where no rulebook searched is for it.
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
        """How sure the first passage settles the question."""
        return min(self.verdict.first, WITHOUT_DOCUMENT) if self.lacking else self.verdict.first

    @property
    def answered(self) -> bool:
        """Whether one of the first three passages is likely to settle the question."""
        return not self.lacking and is_answered(self.verdict)


def parts_among_first(
    whole: RankedPassages, parts: Sequence[RankedPassages], compares: bool
) -> list[list[int]]:
    """Return the groups of the ``whole`` text: its best, then the best of each of its questions,
    then the rest. If it ``compares`` two things, the best of each come first.

    The best group of a question that depends on another one is not moved: it is less certain what
    such a question asks.
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
    """Groups passages of some ``editions``, given by number, that have the same words."""

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
        """Return the first ``count`` groups of the passages ``ranked``, the best first, an
        exception directly after its rule.

        At most ``per_game`` of them are quoted from one game, ``per_language`` in one language.
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
        """Return the passage of a ``group`` to quote: the one of the newest version if all are
        versions of one rulebook.
        """
        if len(group) == 1:
            return group[0]
        editions = {number: self._lookup.edition(number) for number in group}
        rulebooks = {(each.game, each.language) for each in editions.values()}
        if len(rulebooks) > 1 or len({each.id for each in editions.values()}) == 1:
            return group[0]
        return max(group, key=lambda number: (self._versions[editions[number].id], -number))

    def _with_same_words(self, ranked: NDArray[np.int64], count: int) -> list[list[int]]:
        """Return the first ``count`` groups; groups and their passages are in the order of
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
        """Return ``groups`` with one moved directly after the first group: the first of the best
        ten that is an exception in the same entry.
        """
        first = [group[0] for group in groups[:_EXCEPTION_WITHIN]]
        entries = self._lookup.entries[first].tolist()
        exceptions = self._features.exceptions[first].tolist()
        for place in range(1, len(first)):
            if exceptions[place] and entries[place] == entries[0]:
                return [groups[0], groups[place], *groups[1:place], *groups[place + 1 :]]
        return groups

"""Several questions in one text: what is searched for each, and how their passages come among the
first of the whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from corpus.model import DocumentKind
from index.model import Query
from index.questions.prepared import PreparedQuestion, SearchScope
from index.ranking.document_matter import WITHOUT_DOCUMENT
from index.ranking.verdict import Likelihoods, is_answered

PART_PASSAGES = 3  # passages for each of several questions


@dataclass(frozen=True, slots=True)
class RankedPassages:
    """What was found for one question: ``groups`` of passages with the same words, by number, the
    best first; one more than is ``wanted``.

    ``scores`` are those of the passages of the ``scope``, shape (len(scope.numbers),); ``features``
    are what the ``verdict`` is made of. ``about_rules`` says whether it is about the game's rules,
    ``leans`` that it was asked with what was said before it, ``lacking`` the kinds of documents
    that it asks for and that are not here, ``missing_rule`` the number of a rule that it asks for
    and that is not.
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

    @property
    def confidence(self) -> float:
        """How sure the first passage settles it; at most `WITHOUT_DOCUMENT` where a document that
        is not here would have to.
        """
        return min(self.verdict.first, WITHOUT_DOCUMENT) if self.lacking else self.verdict.first

    @property
    def answered(self) -> bool:
        """Whether one of the first three passages is likely to settle it."""
        return not self.lacking and is_answered(self.verdict)


def part_queries(query: Query, prepared: PreparedQuestion) -> list[tuple[Query, Query | None]]:
    """Two queries for each of the questions in ``query``: with what it leans on, and alone, None
    where it leans on nothing.
    """
    found = []
    for part in prepared.parsed.parts:
        searched = replace(
            query, question=part.searched, language=prepared.language, k=PART_PASSAGES, offset=0
        )
        found.append(
            (
                searched,
                replace(searched, question=part.alone) if part.alone != part.searched else None,
            )
        )
    return found


def parts_among_first(whole: RankedPassages, parts: Sequence[RankedPassages]) -> list[list[int]]:
    """The groups of the ``whole`` text: its best first, and then the best of each of its questions,
    ``parts``.

    Those of a question that leans on another one stay where they are: what it asks for is less
    certain. In practice questions that keeps all passages that are right among the first five.
    """
    groups = whole.groups
    wanted: list[list[int]] = []
    head = {group[0] for group in groups[: 1 + len(parts)]}
    for part in parts:
        known = next((group for group in groups if part.groups[0][0] in group), part.groups[0])
        if (
            not part.leans
            and known[0] not in head
            and known not in wanted
            and np.isin(known, whole.scope.numbers).all()
        ):
            wanted.append(known)
    return [*groups[:1], *wanted, *(group for group in groups[1:] if group not in wanted)]

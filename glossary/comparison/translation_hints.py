"""What differs between passages and their translation: numbers, symbols, names, terms, conditions, the sure ones first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from corpus.model import Passage
from glossary.comparison.condition_hints import ConditionComparison
from glossary.comparison.differences import DifferenceKind, HintEvidence, JoinedPassages, PassageDifference, evidence_in
from glossary.comparison.false_friends import FalseFriend, FalseFriends
from glossary.comparison.numbers import NumberRole, read_numbers, unmatched_numbers
from glossary.comparison.passage_similarity import PassageSimilarity
from glossary.comparison.term_hints import FacingRow, TermComparison, TermHint
from glossary.concepts import Concept
from glossary.normalization import is_symbol

_T = TypeVar("_T")
_Sides = tuple[Sequence[_T], Sequence[_T]]


class TranslationHints:
    """Says of ``rows`` of two editions in two languages in what their sides differ, with what is usual in all of them in mind."""

    def __init__(self, similarity: PassageSimilarity, concepts: Sequence[Concept], rows: Sequence[FacingRow]):
        self._similarity = similarity
        self._terms = TermComparison(similarity, concepts, rows)
        self._false_friends = FalseFriends(similarity, concepts, self._terms)
        self._counts: dict[tuple[int, str], Counter[str]] = {}
        self._passages = tuple({p.id: p for row in rows for p in (*row.passages[side], *row.around[side])} for side in (0, 1))
        self._conditions = ConditionComparison(similarity.languages, rows)

    def differences(self, row: FacingRow) -> list[PassageDifference]:
        """In what the sides of ``row`` differ: what is likely by kind, then what is doubtful."""
        found = [*self._numbers(row), *self._symbols(row), *self._named(row), *self._of_terms(row), *self._of_conditions(row)]
        return sorted(found, key=lambda difference: difference.doubtful)

    def _numbers(self, row: FacingRow) -> Iterator[PassageDifference]:
        joined = JoinedPassages(row.passages[0]), JoinedPassages(row.passages[1])
        left, right = self._similarity.languages
        unmatched = unmatched_numbers(
            joined[0].text,
            left,
            joined[1].text,
            right,
            lambda side, use: self._stands_nearby(side, joined[side].evidence(use.value, use.span), row),
        )
        for doubtful, sides in ((False, unmatched.likely), (True, unmatched.doubtful)):
            evidence = _on_both(sides, lambda side, use: joined[side].evidence(use.value, use.span))
            yield from _difference(DifferenceKind.NUMBERS, evidence, doubtful)

    def _stands_nearby(self, side: int, number: HintEvidence, row: FacingRow) -> bool:
        """Whether the other edition has a number of ``side`` in another passage: of these entries, or one more like its passage."""
        own, other = (sum(self._numbers_of(n, p)[number.value] for p in (*row.passages[n], *row.around[n])) for n in (side, 1 - side))
        if other >= own:
            return True
        passage = next(p for p in row.passages[side] if p.id == number.passage)
        better = self._similarity.more_alike(side, passage, row.passages[1 - side])
        return any(
            self._numbers_of(1 - side, self._passages[1 - side][id])[number.value] for id in better if id in self._passages[1 - side]
        )

    def _numbers_of(self, side: int, passage: Passage) -> Counter[str]:
        if (side, passage.id) not in self._counts:
            uses = read_numbers(passage.display, self._similarity.languages[side])
            self._counts[side, passage.id] = Counter(use.value for use in uses if use.role is not NumberRole.FAINT)
        return self._counts[side, passage.id]

    def _symbols(self, row: FacingRow) -> Iterator[PassageDifference]:
        signs = [Counter(sign for p in side for sign in p.display if is_symbol(sign)) for side in row.passages]
        only = tuple((signs[0] - signs[1]).elements()), tuple((signs[1] - signs[0]).elements())
        if any(only):
            yield PassageDifference(DifferenceKind.SYMBOLS, *only)

    def _named(self, row: FacingRow) -> Iterator[PassageDifference]:
        left, right = row.passages
        only = self._similarity.unmatched_names(0, left, right), self._similarity.unmatched_names(1, right, left)
        if any(only):
            yield PassageDifference(DifferenceKind.NAMES, *only)

    def _of_terms(self, row: FacingRow) -> Iterator[PassageDifference]:
        hints = self._terms.hints(row)
        friends = [{each.hint.concept: each for each in self._friends(row, side)} for side in (0, 1)]
        for side in (0, 1):
            likely = {hint.concept for hint in hints.likely[side]}
            for friend in friends[side].values():
                yield _false_friend(side, friend, friend.hint.concept not in likely)
        for doubtful, sides in ((False, hints.likely), (True, hints.doubtful)):
            left, right = ([hint for hint in sides[side] if hint.concept not in friends[side]] for side in (0, 1))
            evidence = _on_both((left, right), lambda side, hint: _term_evidence(hint))
            yield from _difference(DifferenceKind.TERMS, evidence, doubtful, in_order=True)

    def _friends(self, row: FacingRow, side: int) -> Iterator[FalseFriend]:
        return self._false_friends.find(row, side, self._terms.unnamed(row, side))

    def _of_conditions(self, row: FacingRow) -> Iterator[PassageDifference]:
        joined = JoinedPassages(row.passages[0]), JoinedPassages(row.passages[1])
        hints = self._conditions.hints(row)
        for doubtful, sides in ((False, hints.likely), (True, hints.doubtful)):
            evidence = _on_both(sides, lambda side, use: joined[side].evidence(use.meaning, use.span))
            yield from _difference(DifferenceKind.CONDITIONS, evidence, doubtful, in_order=True)


def _on_both(sides: _Sides[_T], make: Callable[[int, _T], HintEvidence]) -> tuple[tuple[HintEvidence, ...], tuple[HintEvidence, ...]]:
    left, right = (tuple(make(side, each) for each in sides[side]) for side in (0, 1))
    return left, right


def _difference(
    kind: DifferenceKind, evidence: tuple[tuple[HintEvidence, ...], tuple[HintEvidence, ...]], doubtful: bool, in_order: bool = False
) -> Iterator[PassageDifference]:
    """The difference that ``evidence`` tells of, if any; ``in_order`` names each value once, by the alphabet."""
    if any(evidence):
        left, right = (_values(side, in_order) for side in evidence)
        yield PassageDifference(kind, left, right, doubtful, evidence)


def _values(evidence: Iterable[HintEvidence], in_order: bool) -> tuple[str, ...]:
    values = [each.value for each in evidence]
    return tuple(sorted(set(values)) if in_order else values)


def _term_evidence(hint: TermHint) -> HintEvidence:
    return evidence_in(hint.passage, hint.concept, hint.use.span)


def _false_friend(side: int, friend: FalseFriend, doubtful: bool) -> PassageDifference:
    own, other = _term_evidence(friend.hint), evidence_in(friend.passage, friend.meant or friend.hint.concept, friend.span)
    values = (friend.hint.concept,), (friend.meant,) if friend.meant else ()
    evidence = (own,), (other,)
    if side:
        return PassageDifference(DifferenceKind.FALSE_FRIENDS, values[1], values[0], doubtful, (evidence[1], evidence[0]))
    return PassageDifference(DifferenceKind.FALSE_FRIENDS, values[0], values[1], doubtful, evidence)

"""Where among what a system found the right passage and the right place stand, and what many such ranks amount to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tests.bench.questions import Question
from tests.bench.systems import Text

DEPTHS = (1, 5, 10)


@dataclass(frozen=True)
class Ranks:
    """The ranks, from 1, at which one question was settled; None where that is not among the first ten.

    ``passage`` counts passages, ``place`` distinct entries.
    """

    passage: int | None
    place: int | None


@dataclass(frozen=True)
class Quality:
    """Recall at `DEPTHS` and mean reciprocal rank over ``count`` questions, for passages and for places."""

    count: int
    passage: tuple[float, ...]
    place: tuple[float, ...]


def right(questions: Iterable[Question], texts: Sequence[Text]) -> dict[Question, frozenset[int]]:
    """For each question that has an answer, the numbers of the texts of its document that hold a quote of it.

    How either is broken into lines does not matter. A quote that no single text holds leaves a question without a right one.
    """
    evidence = [_squeezed(text.evidence) for text in texts]
    found = {}
    for question in questions:
        quotes = [_squeezed(quote) for quote in question.quotes]
        here = (n for n, text in enumerate(texts) if text.document == question.document)
        if quotes:
            found[question] = frozenset(n for n in here if any(quote in evidence[n] for quote in quotes))
    return found


def ranks(found: Sequence[int], right: frozenset[int], texts: Sequence[Text]) -> Ranks:
    """How far down ``found``, text numbers with the best first, the first right text and the first entry with a right one are."""
    places = list(dict.fromkeys(texts[number].entry for number in found))
    entries = {texts[number].entry for number in right}
    return Ranks(_first(found, right), _first(places, entries))


def quality(measured: Sequence[Ranks]) -> Quality:
    """What ``measured`` amounts to; all 0.0 for no questions."""
    return Quality(len(measured), _shares([m.passage for m in measured]), _shares([m.place for m in measured]))


def _first(found: Iterable[object], wanted: Iterable[object]) -> int | None:
    wanted = set(wanted)
    return next((rank for rank, one in enumerate(found, 1) if rank <= DEPTHS[-1] and one in wanted), None)


def _shares(ranks: Sequence[int | None]) -> tuple[float, ...]:
    count = max(len(ranks), 1)
    recalls = [sum(rank is not None and rank <= depth for rank in ranks) / count for depth in DEPTHS]
    return (*recalls, sum(1 / rank for rank in ranks if rank) / count)


def _squeezed(text: str) -> str:
    return " ".join(text.split())

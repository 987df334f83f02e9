"""Where rulings and texts of cards stand among the passages of rulebooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from corpus.rulings.model import Authority, Ruling
from index.layers.layer_search import MatchedCard
from index.layers.passages import CardPassage, texts_in
from index.layers.ruling_probability import LEAST

_FIRST = 0.4  # probability from which on an official ruling stands before a rulebook, and another one before one that does not answer
_SETTLING = 0.75  # from which on it counts as one on the very question
_PREFERRED = 0.1  # by how much a ruling in the preferred language may be less probable than one that it comes before
_MOST_RULINGS = 3
_MOST_CARDS, _MOST_TEXTS = 2, 4  # cards whose texts are shown, and texts in all
_BEHIND_RULINGS = 1  # passages of the rulebook before rulings that do not come first
_BEHIND_UNLIKELY = 3  # the same before rulings that are less probable than `_FIRST`
_BEHIND_NAMED, _BEHIND_FITTING = 1, 2  # the same before texts of cards that are named, or only fit
_AUTHORITIES = tuple(Authority)


class PlacedRuling(NamedTuple):
    """A ruling behind so many passages of the rulebook; the rest is as in
    `index.model.RulingHit`.
    """

    ruling: Ruling
    probability: float
    behind: int
    settles: bool = False
    older: bool = False
    other_card: bool = False


class PlacedCardText(NamedTuple):
    """A text of a card behind so many passages of the rulebook."""

    quoted: CardPassage
    certainty: float
    behind: int


def place_rulings(
    likely: Iterable[tuple[Ruling, float]],
    find: Callable[[str], Ruling | None],
    is_older: Callable[[Ruling], bool],
    answered: bool,
    only_cards: bool = False,
    is_printed: Callable[[Ruling], bool] = lambda ruling: False,
    prefer: str | None = None,
) -> list[PlacedRuling]:
    """The ``likely`` rulings, each with the probability that it answers, in their order.

    An official one on the very question comes first. Where the rulebook has ``answered``, those of
    others come behind its first passage, as does an official one that ``is_older`` than what a
    rulebook says now; those less probable than `_FIRST` come behind three. Never does one of the
    house come before an official one. What is superseded stands right behind what supersedes it,
    which ``find`` finds by id. None is on the very question where that has ``only_cards``, or where
    the rulebook prints a nearer ruling (``is_printed``). Of rulings about as probable, those in the
    language ``prefer`` come first.
    """
    holding, replaced = _by_holding(likely, find)
    shown = [each for each in holding if each[1] >= _least(each[0], holding)]
    context = _Placing(is_older, is_printed, answered, only_cards)
    placed = [context.placed(ruling, probability) for ruling, probability in shown[:_MOST_RULINGS]]
    last = max((each.behind for each in placed if each.ruling.authority.official), default=0)
    placed = [
        each if each.ruling.authority.official else each._replace(behind=max(each.behind, last))
        for each in placed
    ]

    def order(each: PlacedRuling) -> tuple[int, int, float]:
        preferred = _PREFERRED * (each.ruling.answer.language == prefer)
        return each.behind, _rank(each.ruling.authority), -each.probability - preferred

    placed.sort(key=order)
    return [
        each
        for first in placed
        for each in (
            first,
            *(
                PlacedRuling(old, first.probability, first.behind)
                for old in replaced.get(first.ruling.id, ())
            ),
        )
    ]


def place_others(
    likely: Iterable[tuple[Ruling, float]],
    find: Callable[[str], Ruling | None],
    placed: Sequence[PlacedRuling],
    passages: int,
) -> list[PlacedRuling]:
    """The ``likely`` rulings on single cards that the question does not name, behind all
    ``passages`` of the rulebook, in their order.

    They settle nothing. Those ``placed`` elsewhere and those that are superseded are left out; the
    rest is as in `place_rulings`.
    """
    shown = {each.ruling.id for each in placed}
    others = [
        (ruling, probability)
        for ruling, probability in _by_holding(likely, find)[0]
        if ruling.id not in shown
    ]
    return [
        PlacedRuling(ruling, probability, passages, other_card=True)
        for ruling, probability in others[:_MOST_RULINGS]
    ]


def _rank(authority: Authority) -> int:
    """What rulings at one place stand in the order of: all official ones are the same, others go by
    who has ruled.
    """
    return 0 if authority.official else _AUTHORITIES.index(authority)


def _least(ruling: Ruling, holding: Sequence[tuple[Ruling, float]]) -> float:
    """The probability from which on ``ruling`` is shown.

    Else a ruling of higher authority on something else would stand before the one that was made for
    the question.
    """
    rank = _rank(ruling.authority)
    below = max(
        (probability for other, probability in holding if _rank(other.authority) > rank),
        default=0.0,
    )
    return next((bar for bar in (_SETTLING, _FIRST) if below >= bar), LEAST)


def _by_holding(
    likely: Iterable[tuple[Ruling, float]], find: Callable[[str], Ruling | None]
) -> tuple[list[tuple[Ruling, float]], dict[str, list[Ruling]]]:
    """The rulings that hold, the most probable first, and those superseded by each, by id, each
    before what it has itself superseded.

    One that holds is as probable as those in whose place it is.
    """
    holding: dict[str, tuple[Ruling, float]] = {}
    replaced: dict[str, list[tuple[int, Ruling]]] = {}
    for ruling, probability in sorted(likely, key=lambda each: -each[1]):
        last, steps = ruling, 0
        while (
            last.superseded_by
            and (newer := find(last.superseded_by))
            and (newer.authority.official or not last.authority.official)
        ):
            last, steps = newer, steps + 1
        if steps and probability >= LEAST:
            replaced.setdefault(last.id, []).append((steps, ruling))
        if probability > holding.get(last.id, (last, 0.0))[1]:
            holding[last.id] = (last, probability)
    ordered = {
        id: [ruling for _, ruling in sorted(some, key=lambda each: each[0])]
        for id, some in replaced.items()
    }
    return sorted(holding.values(), key=lambda each: -each[1]), ordered


class _Placing(NamedTuple):
    """What rulings are placed by: see `place_rulings`."""

    is_older: Callable[[Ruling], bool]
    is_printed: Callable[[Ruling], bool]
    answered: bool
    only_cards: bool

    def placed(self, ruling: Ruling, probability: float) -> PlacedRuling:
        """``ruling`` behind so many passages of the rulebook."""
        if ruling.superseded_by or self.only_cards:
            return PlacedRuling(ruling, probability, _BEHIND_RULINGS)
        if probability < _FIRST:
            return PlacedRuling(ruling, probability, _BEHIND_UNLIKELY)
        sure = ruling.authority.official and not (self.answered and self.is_printed(ruling))
        older = sure and self.is_older(ruling)
        behind = 0 if not older and (sure or not self.answered) else _BEHIND_RULINGS
        return PlacedRuling(
            ruling, probability, behind, sure and not older and probability >= _SETTLING, older
        )


def place_cards(
    matches: Sequence[MatchedCard], language: str, only_cards: bool, as_of: str | None = None
) -> list[PlacedCardText]:
    """The texts of the cards of ``matches`` in ``language``, in their order: of each card those of
    its errata, then the printed ones.

    Where ``only_cards`` are asked for, they come first. Errata later than the day ``as_of`` are
    left out.
    """
    found: list[PlacedCardText] = []
    for match in sorted(matches, key=lambda match: -match.certainty)[:_MOST_CARDS]:
        behind = (0 if only_cards else _BEHIND_NAMED) if match.named else _BEHIND_FITTING
        found += [
            PlacedCardText(text, match.certainty, behind)
            for text in texts_in(match.card, language, as_of)
        ]
    return found[:_MOST_TEXTS]

"""Where rulings and texts of cards stand among the passages of rulebooks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from corpus.rulings.model import Authority, Ruling
from index.layers.layer_search import MatchedCard
from index.layers.passages import CardPassage, card_passages
from index.layers.ruling_probability import LEAST

_FIRST = 0.5  # probability from which on a ruling stands before the rulebook
_SETTLING = 0.8  # from which on it counts as one on the very question
_MOST_RULINGS = 3
_MOST_CARDS, _MOST_TEXTS = 2, 4  # cards whose texts are shown, and texts in all
_BEHIND_RULINGS = 1  # passages of the rulebook before rulings that do not come first
_BEHIND_NAMED, _BEHIND_FITTING = 1, 2  # the same before texts of cards that are named, or only fit
_AUTHORITIES = tuple(Authority)


class PlacedRuling(NamedTuple):
    """A ruling behind so many passages of the rulebook; the rest is as in `index.model.RulingHit`."""

    ruling: Ruling
    probability: float
    behind: int
    settles: bool = False
    older: bool = False


class PlacedCardText(NamedTuple):
    """A text of a card behind so many passages of the rulebook."""

    quoted: CardPassage
    certainty: float
    behind: int


def place_rulings(
    likely: Iterable[tuple[Ruling, float]], find: Callable[[str], Ruling | None], is_older: Callable[[Ruling], bool], answered: bool
) -> list[PlacedRuling]:
    """The ``likely`` rulings, each with the probability that it answers, in their order.

    An official one on the very question comes first. Where the rulebook has ``answered``, those of others come behind its first passage,
    as does an official one that ``is_older`` than the passage which settles the point now; never does one of the house come before
    an official one. What is superseded stands right behind what supersedes it, which ``find`` finds by id.
    """
    holding, replaced = _by_holding(likely, find)
    shown = [(ruling, probability) for ruling, probability in holding if probability >= LEAST]
    if any(not ruling.authority.official and probability >= _FIRST for ruling, probability in shown):
        # Else an official ruling on something else would stand before the one that was made for the question.
        shown = [each for each in shown if not each[0].authority.official or each[1] >= _FIRST]
    placed = [_placed(ruling, probability, is_older, answered) for ruling, probability in shown[:_MOST_RULINGS]]
    last = max((each.behind for each in placed if each.ruling.authority.official), default=0)
    placed = [each if each.ruling.authority.official else each._replace(behind=max(each.behind, last)) for each in placed]
    placed.sort(key=lambda each: (each.behind, _AUTHORITIES.index(each.ruling.authority), -each.probability))
    return [
        each
        for first in placed
        for each in (first, *(PlacedRuling(old, first.probability, first.behind) for old in replaced.get(first.ruling.id, ())))
    ]


def _by_holding(
    likely: Iterable[tuple[Ruling, float]], find: Callable[[str], Ruling | None]
) -> tuple[list[tuple[Ruling, float]], dict[str, list[Ruling]]]:
    """The rulings that hold, the most probable first, and those superseded by each, by id; one in its place is as probable as it was."""
    holding: dict[str, tuple[Ruling, float]] = {}
    replaced: dict[str, list[Ruling]] = {}
    for ruling, probability in sorted(likely, key=lambda each: -each[1]):
        last = ruling
        while last.superseded_by and (newer := find(last.superseded_by)):
            last = newer
        if last is not ruling and probability >= LEAST:
            replaced.setdefault(last.id, []).append(ruling)
        if probability > holding.get(last.id, (last, 0.0))[1]:
            holding[last.id] = (last, probability)
    return sorted(holding.values(), key=lambda each: -each[1]), replaced


def _placed(ruling: Ruling, probability: float, is_older: Callable[[Ruling], bool], answered: bool) -> PlacedRuling:
    if probability < _FIRST or ruling.superseded_by:
        return PlacedRuling(ruling, probability, _BEHIND_RULINGS)
    if not ruling.authority.official:
        return PlacedRuling(ruling, probability, _BEHIND_RULINGS if answered else 0)
    older = is_older(ruling)
    return PlacedRuling(ruling, probability, _BEHIND_RULINGS if older else 0, settles=not older and probability >= _SETTLING, older=older)


def place_cards(matches: Sequence[MatchedCard], language: str, only_cards: bool) -> list[PlacedCardText]:
    """The texts of the cards of ``matches`` in ``language``, in their order: of each card those of its errata, then the printed ones.

    Where ``only_cards`` are asked for, they come first.
    """
    found: list[PlacedCardText] = []
    for match in sorted(matches, key=lambda match: -match.certainty)[:_MOST_CARDS]:
        behind = (0 if only_cards else _BEHIND_NAMED) if match.named else _BEHIND_FITTING
        found += [PlacedCardText(text, match.certainty, behind) for text in _texts_in(match, language)]
    return found[:_MOST_TEXTS]


def _texts_in(match: MatchedCard, language: str) -> list[CardPassage]:
    """The rules texts of a card in ``language``, else in English, else in any; all that hold of its errata before them."""
    texts = [text for text in card_passages(match.card) if not text.replaced]
    languages = {text.text.quoted.language for text in texts if text.erratum is None}
    wanted = next((code for code in (language, "en") if code in languages), next(iter(languages), ""))
    errata = [text for text in texts if text.erratum is not None]
    return [*errata, *(text for text in texts if text.erratum is None and text.text.quoted.language == wanted)]

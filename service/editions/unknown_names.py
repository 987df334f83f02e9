"""Cards and rules that rulings name and that are not loaded, with what they may be meant for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from rapidfuzz import fuzz, process

from corpus.cards.model import Card
from corpus.rulings import Ruling
from glossary.check.outdated_rulings import RuleVersions
from index.cards.name_forms import card_names, compared_words

_LEAST_ALIKE = 70  # of 100: similarity of a name that may be meant


class UnknownName(NamedTuple):
    """A ``name`` in ``ruling`` that nothing here has, the ``nearest`` that something has, "" for none, and ``why`` it is told."""

    ruling: Ruling
    name: str
    nearest: str
    why: str


def unknown_cards(rulings: Iterable[Ruling], cards: Sequence[Card]) -> Iterator[UnknownName]:
    """The cards named in ``rulings``, by id, code or whole name in any language, that are not among ``cards``; none without any cards."""
    if not cards:
        return
    codes = {code for card in cards for code in _codes(card)}
    names = {compared_words(name.text): name.text for card in cards for name in card_names(card)}
    texts = list(dict.fromkeys(names.values()))
    for ruling in rulings:
        for card in ruling.cards:
            if card not in codes and compared_words(card) not in names:
                nearest = _nearest(card, texts)
                yield UnknownName(ruling, card, nearest, f"no loaded card is called {card!r}{_meant(nearest)}")


def unknown_rules(rulings: Iterable[Ruling], versions: RuleVersions) -> Iterator[UnknownName]:
    """The rules that ``rulings`` rest on, by entry or number, and that no edition in ``versions`` has or has had."""
    known: list[str] = []
    for ruling, basis in versions.unresolved(rulings):
        known = known or list(dict.fromkeys(versions.rules()))
        nearest = _nearest(basis.rule, known) if basis.entry else ""
        what = "entry" if basis.entry else "rule with the number"
        yield UnknownName(ruling, basis.rule, nearest, f"no edition here has the {what} {basis.rule!r} that it rests on{_meant(nearest)}")


def _codes(card: Card) -> Iterator[str]:
    yield from (card.id, card.slug)
    yield from (printing.code for printing in card.printings)
    yield from (face.code for face in card.faces if face.code)


def _nearest(name: str, known: Sequence[str]) -> str:
    found = process.extractOne(name, known, scorer=fuzz.ratio, processor=str.casefold, score_cutoff=_LEAST_ALIKE)
    return found[0] if found else ""


def _meant(nearest: str) -> str:
    return f"; is {nearest!r} meant?" if nearest else ""

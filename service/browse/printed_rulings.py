"""Ties cards of a database to what rulebooks print of them: rulings and errata, by name and number."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from corpus.cards.model import Card
from corpus.model import Entry
from glossary.card_name_forms import names_of
from service.browse.cards import CardCatalogue, CardView, card_catalogue
from service.core.snapshot import Snapshot


class PrintedRulings:
    """The cards of a ``snapshot`` that its rulebooks have rulings or errata for."""

    def __init__(self, snapshot: Snapshot, catalogue: CardCatalogue):
        self._cards = snapshot.index.cards
        self._views: dict[tuple[str, tuple[str, ...]], list[CardView]] = defaultdict(list)
        for view in catalogue.by_id.values():
            for name in _whole_names(view):
                self._views[view.game, name].append(view)

    def cards(self, view: CardView) -> tuple[Card, ...]:
        """The cards of the database that are ``view``: those of its name, of these those with its number if any has it."""
        if not any(entry.card for entry in view.entries):
            return ()
        named = {card.id: card for name in _whole_names(view) for card in self._cards.called(view.game, " ".join(name))}
        numbered = [card for card in named.values() if any(p.number in view.numbers for p in card.printings)]
        return tuple(numbered or named.values())

    def views(self, card: Card) -> list[CardView]:
        """What rulebooks print of ``card``, each once."""
        names = {name for face in card.faces for text in face.names.values() for name, whole in names_of(text) if whole}
        found = {view.id: view for name in sorted(names) for view in self._views.get((card.game, name), ())}
        return [view for view in found.values() if any(each.id == card.id for each in self.cards(view))]


def printed_rulings(snapshot: Snapshot) -> PrintedRulings:
    """Return what ties cards to rulebooks in ``snapshot``, worked out once."""
    return snapshot.cache.get(("printed rulings",), lambda: PrintedRulings(snapshot, card_catalogue(snapshot)))


def entries_of(views: Sequence[CardView]) -> list[Entry]:
    """The rulings and errata of ``views``, errata first."""
    return [*(entry for view in views for entry in view.errata), *(entry for view in views for entry in view.rulings)]


def _whole_names(view: CardView) -> set[tuple[str, ...]]:
    return {name for text in view.names for name, whole in names_of(text) if whole}

"""Cards that rulebooks rule on as readers see them: names in their language first, products tidy; and what is loaded of each game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from corpus.model import Entry
from corpus.titles import key, title
from glossary.concepts.product_names import product_spellings
from service.browse.cards import CardCatalogue, CardView, ProductView, by_name, card_catalogue, printed_names, printed_numbers
from service.core.snapshot import Snapshot


@dataclass(frozen=True)
class GameCards:
    """What is loaded of the cards of a ``game``: how many its database has, on how many its rulebooks rule, and rulings beside these.

    ``products`` are those of its rulebooks' rulings and errata.
    """

    game: str
    in_database: int
    ruled: int
    rulings: int
    products: tuple[ProductView, ...]


class ProductTitles:
    """The tidy names of the products of ``catalogue``: in title case where they are printed in capitals, misprints apart."""

    def __init__(self, catalogue: CardCatalogue):
        self._catalogue = catalogue
        printed: dict[tuple[str, str, str], Counter[str]] = {}
        for card in catalogue.by_id.values():
            for entry in card.entries:
                if entry.product:
                    printed.setdefault(self._key(card, entry), Counter())[entry.product] += 1
        self._titles = {key: _title(*key, counts) for key, counts in printed.items()}

    def of(self, entry: Entry) -> str:
        """The name of the product of ``entry`` in its language; "" where it names none."""
        card = self._catalogue.by_entry.get(entry.id)
        return self._titles.get(self._key(card, entry), "") if card and entry.product else entry.product or ""

    def of_all(self, entries: Iterable[Entry]) -> tuple[str, ...]:
        """The names of the products of ``entries``, each once."""
        return tuple({key(name): name for entry in entries if (name := self.of(entry))}.values())

    def _key(self, card: CardView, entry: Entry) -> tuple[str, str, str]:
        return card.game, card.product, self._catalogue.library.edition[entry.edition].language


def _title(game: str, product: str, language: str, printed: Counter[str]) -> str:
    """The name of a ``product`` that is ``printed`` so often in each spelling: what its game's file has first, else the usual one."""
    known = product_spellings(game).get(product, {}).get(language, [])
    confirmed = known and {key(name) for name in known} & {key(name) for name in printed}
    return title(known[0] if confirmed else printed.most_common(1)[0][0], {})


class ShownCards:
    """The cards of ``catalogue`` for readers of ``language``."""

    def __init__(self, catalogue: CardCatalogue, titles: ProductTitles, language: str):
        self._catalogue, self._titles, self._language = catalogue, titles, language

    def card(self, view: CardView) -> CardView:
        """``view`` with what is printed in the readers' language first, and its products by their tidy names."""
        entries = self._sorted(view.entries)
        products = self._titles.of_all(entries)
        return replace(view, names=printed_names(entries), numbers=printed_numbers(entries), products=products)

    def product(self, view: ProductView) -> ProductView:
        """``view`` with its names and cards as `card` has them."""
        names = self._titles.of_all(self._sorted(entry for card in view.cards for entry in card.entries)) if view.names else ()
        return replace(view, names=names, cards=tuple(map(self.card, view.cards)))

    def products(self, game: str) -> tuple[ProductView, ...]:
        """The products of ``game``, by the names that are shown."""
        return tuple(sorted((self.product(each) for each in self._catalogue.products if each.game == game), key=by_name))

    def _sorted(self, entries: Iterable[Entry]) -> list[Entry]:
        editions = self._catalogue.library.edition
        return sorted(entries, key=lambda entry: editions[entry.edition].language != self._language)


def product_titles(snapshot: Snapshot) -> ProductTitles:
    """Return the tidy names of the products in ``snapshot``, made once."""
    return snapshot.cache.get(("product titles",), lambda: ProductTitles(card_catalogue(snapshot)))


def shown_cards(snapshot: Snapshot, language: str) -> ShownCards:
    """Return the cards that the rulebooks of ``snapshot`` rule on, for readers of ``language``."""
    return ShownCards(card_catalogue(snapshot), product_titles(snapshot), language)


def cards_of_games(snapshot: Snapshot, shown: ShownCards, games: Iterable[str]) -> list[GameCards]:
    """Return what is loaded of the cards of each of ``games``."""
    found = []
    for game in games:
        products = shown.products(game)
        ruled = sum(any(entry.card for entry in card.entries) for product in products for card in product.cards)
        in_database, rulings = len(snapshot.index.cards.of_game(game)), len(snapshot.index.rulings.of_game(game))
        found.append(GameCards(game, in_database, ruled, rulings, products))
    return found

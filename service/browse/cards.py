"""Cards: the rulings and errata of rulebooks by card, linked to the cards of databases."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from corpus.cards.model import Card
from corpus.model import Entry, Kind, version_key
from corpus.titles import key, slug, title
from glossary.card_names import STAGES, names_of
from glossary.concepts import load_concepts
from glossary.concepts.product_names import product_spellings
from index.analysis import plain
from index.cards.card_store import CardStore
from index.cards.rule_links import CardRule, RuleLinker
from index.library.library import Library
from service.browse.lookup import CARD_KINDS, EntryNameIndex, sort_key
from service.core.snapshot import Snapshot

_KIND_IN_CONCEPT = re.compile(r"-(?:ruling|erratum)(?:-\d+)?$")
_IN_BRACKETS = re.compile(r"(?:(?<!\s)\s+)?\([^()\d]*\d[^()]*\)$")  # product and number
NO_SINGLE_CARD = "~"  # the product of rulings and errata that are about no single card
_SHORTEST = 4  # letters of a name that is looked for in running text


@dataclass(frozen=True)
class CardView:
    """A card, or another heading that rulings are under, with its ``entries``, the newest edition
    first, errata before rulings.

    ``id`` is its permanent address, beginning with the game. ``names``, ``numbers`` and
    ``products`` are as printed, each once; ``product`` is the id of its product, empty if none is
    printed.
    """

    id: str
    game: str
    entries: tuple[Entry, ...]
    names: tuple[str, ...]
    numbers: tuple[str, ...]
    products: tuple[str, ...]
    product: str

    @property
    def errata(self) -> tuple[Entry, ...]:
        """Its errata, the newest edition first."""
        return tuple(entry for entry in self.entries if entry.kind is Kind.ERRATUM)

    @property
    def rulings(self) -> tuple[Entry, ...]:
        """Its rulings, the newest edition first."""
        return tuple(entry for entry in self.entries if entry.kind is Kind.RULING)

    @property
    def is_card(self) -> bool:
        """Whether any of its entries is about a single card."""
        return any(entry.card for entry in self.entries)


@dataclass(frozen=True)
class ProductView:
    """A product of a game with its cards in order of numbers, and its printed ``names``."""

    id: str
    game: str
    names: tuple[str, ...]
    cards: tuple[CardView, ...]


class CardCatalogue:
    """The cards on which the rulebooks of ``library`` have rulings, linked to the cards of
    a ``database`` by name and number.
    """

    def __init__(self, library: Library, database: CardStore | None = None):
        self.library = library
        self._database = database
        gathered: dict[str, list[Entry]] = defaultdict(list)
        for entry in self._card_entries():
            gathered[_card_id(library, entry)].append(entry)
        found = [_card(library, id, entries) for id, entries in gathered.items()]
        # Cards with a concept know the id of their product; other cards with the same printed
        # product name get it from them.
        known = {
            (card.game, plain(name)): card.product
            for card in found
            if card.product not in map(slug, card.products)
            for name in card.products
        }
        self.by_id: dict[str, CardView] = {}
        for card in found:
            products = (known.get((card.game, plain(name))) for name in card.products)
            self.by_id[card.id] = replace(card, product=next(filter(None, products), card.product))
        self.by_entry = {e.id: card for card in self.by_id.values() for e in card.entries}

    def _card_entries(self) -> list[Entry]:
        return [entry for entry in self.library.entries if entry.kind in CARD_KINDS]

    @cached_property
    def products(self) -> tuple[ProductView, ...]:
        """The products of all games, by game and name. Last in each game are the cards without a
        product, then the entries on no single card.
        """
        gathered: dict[tuple[str, str], list[CardView]] = defaultdict(list)
        for card in self.by_id.values():
            gathered[card.game, card.product if card.is_card else NO_SINGLE_CARD].append(card)

        def by_number(card: CardView) -> tuple[object, ...]:
            number, name = next(iter(card.numbers), ""), card.names[0]
            return not card.numbers, sort_key(number), sort_key(name)

        found = []
        for (game, id), cards in gathered.items():
            names = (name for card in cards for name in card.products if id != NO_SINGLE_CARD)
            ordered = tuple(sorted(cards, key=by_number))
            found.append(ProductView(id, game, _unique(names), ordered))
        return tuple(sorted(found, key=_by_name))

    def find(
        self, names: EntryNameIndex, text: str, product: str | None = None, game: str | None = None
    ) -> list[CardView]:
        """Return the cards that ``text`` names by number, name, both ("Lighthouse 12"), or
        product; the first of these with a result counts.
        """
        words = text.split()
        numbered = any(sign.isdigit() for sign in text)
        tries: list[tuple[str | None, str | None, str | None]]  # name, number, product
        tries = [(None, text.strip("()#"), product)] if numbered else []
        tries.append((text, None, product))
        if len(words) > 1 and any(sign.isdigit() for sign in words[-1]):  # "Lighthouse 12"
            tries.append((" ".join(words[:-1]), words[-1].strip("()#"), product))
        if not product:
            tries.append((None, None, text))
        if not text:
            tries = [(None, None, product)]
        for wanted in tries:
            if found := names.rulings(*wanted, game):
                return list({self.by_entry[e.id].id: self.by_entry[e.id] for e in found}.values())
        return []

    def mentioning(self, card: CardView) -> tuple[Entry, ...]:
        """Return the rulings and errata of other cards of the game whose text names ``card``, in
        printed order.
        """
        names = {plain(STAGES.sub("", name)) for name in card.names if card.is_card}
        sought = [f" {name} " for name in names if len(name) >= _SHORTEST]
        return tuple(
            entry
            for entry, text in self._texts[card.game]
            if self.by_entry[entry.id] is not card and any(name in text for name in sought)
        )

    @cached_property
    def _texts(self) -> dict[str, list[tuple[Entry, str]]]:
        """The rulings and errata of each game, with their words in the form used to compare
        names.
        """
        texts: dict[str, list[tuple[Entry, str]]] = defaultdict(list)
        for entry in self._card_entries():
            shown = " ".join(p.display for p in self.library.passages_of.get(entry.id, ()))
            texts[self.library.edition[entry.edition].game].append((entry, f" {plain(shown)} "))
        return texts

    def cards(self, view: CardView) -> tuple[Card, ...]:
        """Return the cards of the database with the name of ``view``; only those that also have its
        number, if there are any.
        """
        if self._database is None or not view.is_card:
            return ()
        named = {
            card.id: card
            for name in _whole_names(view.names)
            for card in self._database.called(view.game, " ".join(name))
        }
        numbered = [
            card for card in named.values() if any(p.number in view.numbers for p in card.printings)
        ]
        return tuple(numbered or named.values())

    def views(self, card: Card) -> list[CardView]:
        """Return the views of the database's ``card`` in rulebooks, each once."""
        names = _whole_names(text for face in card.faces for text in face.names.values())
        views = (view for name in names for view in self._by_name.get((card.game, name), ()))
        found = {view.id: view for view in views}.values()
        return [view for view in found if any(each.id == card.id for each in self.cards(view))]

    @cached_property
    def _by_name(self) -> dict[tuple[str, tuple[str, ...]], list[CardView]]:
        found: dict[tuple[str, tuple[str, ...]], list[CardView]] = defaultdict(list)
        for view in self.by_id.values():
            for name in _whole_names(view.names):
                found[view.game, name].append(view)
        return found

    def product_title(self, entry: Entry) -> str:
        """Return the corrected name of the product of ``entry`` in its language, "" for none."""
        card = self.by_entry.get(entry.id)
        if card is None or not entry.product:
            return entry.product or ""
        return self._product_titles.get(self._product_key(card, entry), "")

    @cached_property
    def _product_titles(self) -> dict[tuple[str, str, str], str]:
        """The names of products by game, product and language: without misprints, and in title case
        if printed in capitals.

        Of several spellings, the first in the file of the game counts, else the most frequent one.
        """
        printed: dict[tuple[str, str, str], Counter[str]] = defaultdict(Counter)
        for card in self.by_id.values():
            for entry in card.entries:
                if entry.product:
                    printed[self._product_key(card, entry)][entry.product] += 1
        titles = {}
        for (game, product, language), counts in printed.items():
            known = product_spellings(game).get(product, {}).get(language, [])
            confirmed = not set(map(key, known)).isdisjoint(map(key, counts))
            name = known[0] if confirmed else counts.most_common(1)[0][0]
            titles[game, product, language] = title(name, {})
        return titles

    def _product_key(self, card: CardView, entry: Entry) -> tuple[str, str, str]:
        return card.game, card.product, self.library.edition[entry.edition].language

    def shown(self, view: CardView, language: str) -> CardView:
        """Return ``view`` with texts in the ``language`` of readers first, and its products by
        their corrected names.
        """
        entries = self._in_order_for(language, view.entries)
        return replace(
            view,
            names=_printed_names(entries),
            numbers=_unique(entry.number for entry in entries),
            products=self._titles_of(entries),
        )

    def shown_product(self, view: ProductView, language: str) -> ProductView:
        """Return ``view`` with names in ``language`` first, and its cards as from `shown`."""
        every = (entry for card in view.cards for entry in card.entries)
        names = self._titles_of(self._in_order_for(language, every)) if view.names else ()
        cards = tuple(self.shown(card, language) for card in view.cards)
        return replace(view, names=names, cards=cards)

    def shown_products(self, game: str, language: str) -> list[ProductView]:
        """Return the products of ``game``, by the names that are shown."""
        own = (self.shown_product(each, language) for each in self.products if each.game == game)
        return sorted(own, key=_by_name)

    def _in_order_for(self, language: str, entries: Iterable[Entry]) -> list[Entry]:
        edition = self.library.edition
        return sorted(entries, key=lambda entry: edition[entry.edition].language != language)

    def _titles_of(self, entries: Iterable[Entry]) -> tuple[str, ...]:
        titles = filter(None, map(self.product_title, entries))
        return tuple({key(name): name for name in titles}.values())


def card_catalogue(snapshot: Snapshot) -> CardCatalogue:
    """Return the catalogue of cards in a ``snapshot``, created once."""
    return snapshot.cache.get(
        ("cards",), lambda: CardCatalogue(snapshot.library, snapshot.index.cards)
    )


def _card_id(library: Library, entry: Entry) -> str:
    """Return the id of the card that ``entry`` is about, such as "my-game/lighthouse": from its
    concept, which all editions share, else from the printed name.
    """
    game = library.edition[entry.edition].game
    concept = library.concepts.get(entry.id, "").partition("/")[2]
    if concept.startswith("card-") and _KIND_IN_CONCEPT.search(concept):
        return f"{game}/{_KIND_IN_CONCEPT.sub('', concept).removeprefix('card-')}"
    name = None if entry.number and entry.product else entry.card or entry.title
    printed = " ".join(filter(None, (entry.number, entry.product, name)))
    return f"{game}/{slug(printed) or 'card'}"


def _card(library: Library, id: str, entries: Sequence[Entry]) -> CardView:
    """Return the card with this id from its entries."""
    ranked = sorted(entries, key=lambda e: (e.edition, e.kind is not Kind.ERRATUM))
    # The newest version first.
    ranked.sort(key=lambda e: version_key(library.edition[e.edition].version), reverse=True)
    numbers = _unique(entry.number for entry in ranked)
    products = _unique(entry.product for entry in ranked)
    game, _, stem = id.partition("/")
    product = ""
    if products:
        starts = (f"{number}-" for number in map(slug, numbers))
        own = next((stem.removeprefix(start) for start in starts if stem.startswith(start)), "")
        product = own or slug(products[0])
    return CardView(id, game, tuple(ranked), _printed_names(ranked), numbers, products, product)


def _printed_names(entries: Iterable[Entry]) -> tuple[str, ...]:
    return _unique(_IN_BRACKETS.sub("", entry.title) for entry in entries)


def _unique(names: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, names)))


def _by_name(product: ProductView) -> tuple[object, ...]:
    """Return a sort key by game and name; cards without a product come last, after them entries on
    no single card.
    """
    rank = 2 if product.id == NO_SINGLE_CARD else 1 if not product.id else 0
    return product.game, rank, sort_key(next(iter(product.names), ""))


def _whole_names(texts: Iterable[str]) -> list[tuple[str, ...]]:
    return sorted({name for text in texts for name, whole in names_of(text) if whole})


def card_rules(snapshot: Snapshot, card: Card, language: str) -> list[CardRule]:
    """Return the rules that ``card`` mentions; see `RuleLinker.rules`."""
    return rule_linker(snapshot, card.game).rules(card, language)


def rule_linker(snapshot: Snapshot, game: str) -> RuleLinker:
    """Return the linker of cards and rulings of ``game`` to rules, created once."""
    return snapshot.cache.get(
        ("card rules", game),
        lambda: RuleLinker(snapshot.library, game, load_concepts(game), snapshot.index.cards),
    )


def find_card(snapshot: Snapshot, game: str, slug: str) -> Card | None:
    """Return the card at an address, by slug, id or the code of a printing, including addresses
    under a former name; None if there is none.
    """
    cards = snapshot.index.cards
    if (found := cards.get(game, slug)) is not None:
        return found
    rest = slug
    while "-" in rest:  # an address ends in the id of the card
        rest = rest.partition("-")[2]
        if (found := cards.get(game, rest)) is not None and found.slug.endswith(f"-{rest}"):
            return found
    return None


def named_card(snapshot: Snapshot, game: str, name: str) -> Card | None:
    """Return the card that a ruling calls by ``name``: its id, its code or a unique name; None if
    there is none.
    """
    cards = snapshot.index.cards
    if (found := cards.get(game, name)) is not None:
        return found
    called = cards.called(game, name)
    return called[0] if len(called) == 1 else None

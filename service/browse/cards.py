"""Cards: the rulings and errata of every edition gathered by the card that they are about, and the products that cards come in."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from corpus.model import Entry, Kind
from corpus.titles import slug
from corpus.versions import version_key
from index.analysis import plain
from index.library.library import Library
from service.browse.collation import sort_key
from service.browse.lookup import CARD_KINDS, NameIndex
from service.core.snapshot import Snapshot

_KIND_IN_CONCEPT = re.compile(r"-(?:ruling|erratum)(?:-\d+)?$")
_STAGES = re.compile(r"(?:\s+|/)[IVX]+$")  # "Name I/II/III" is mentioned as "Name"
_IN_BRACKETS = re.compile(r"\s*\([^()]*\d[^()]*\)$")  # product and number behind a name
NO_CARD = "~"  # stands for the product of rulings and errata that are about no single card
_SHORTEST = 4  # letters of a name that is looked for in running text


@dataclass(frozen=True)
class Card:
    """A card, or another thing that rulings stand under, with its ``entries``, the newest edition first, errata before rulings.

    ``id`` is its permanent address, the game before it. ``names``, ``numbers`` and ``products`` are as printed, each once;
    ``product`` is the id of its product, empty where none is printed.
    """

    id: str
    game: str
    entries: tuple[Entry, ...]
    names: tuple[str, ...]
    numbers: tuple[str, ...]
    products: tuple[str, ...]
    product: str

    def of(self, kind: Kind) -> tuple[Entry, ...]:
        """Its entries of one kind."""
        return tuple(e for e in self.entries if e.kind is kind)

    @property
    def errata(self) -> tuple[Entry, ...]:
        """Its errata, the newest edition first."""
        return self.of(Kind.ERRATUM)

    @property
    def rulings(self) -> tuple[Entry, ...]:
        """Its rulings, the newest edition first."""
        return self.of(Kind.RULING)


@dataclass(frozen=True)
class Product:
    """A product of a game with its cards in order of their numbers; ``names`` are those printed for it, each once."""

    id: str
    game: str
    names: tuple[str, ...]
    cards: tuple[Card, ...]


class CardCatalogue:
    """The cards of a library."""

    def __init__(self, library: Library):
        self._library = library
        gathered: dict[str, list[Entry]] = defaultdict(list)
        for entry in library.entries:
            if entry.kind in CARD_KINDS:
                gathered[_about(library, entry)].append(entry)
        found = [_card(library, id, entries) for id, entries in gathered.items()]
        # What is about no single card names its product as printed; cards known by concept know it in every language.
        known = {(c.game, plain(name)): c.product for c in found if c.product not in map(slug, c.products) for name in c.products}
        self.card: dict[str, Card] = {card.id: _in_product(card, known) for card in found}
        self.card_of: dict[str, Card] = {e.id: card for card in self.card.values() for e in card.entries}

    @cached_property
    def products(self) -> tuple[Product, ...]:
        """Games in order of their names, in each its products by name; last what no product is printed for, or no single card."""
        gathered: dict[tuple[str, str], list[Card]] = defaultdict(list)
        for card in self.card.values():
            gathered[card.game, card.product if any(e.card for e in card.entries) else NO_CARD].append(card)
        found = [
            Product(id, game, _each(n for c in cards for n in c.products if id != NO_CARD), tuple(sorted(cards, key=_by_number)))
            for (game, id), cards in gathered.items()
        ]
        return tuple(sorted(found, key=lambda p: (p.game, (not p.id) + 2 * (p.id == NO_CARD), sort_key(next(iter(p.names), "")))))

    def find(self, names: NameIndex, asked: str, product: str | None = None, game: str | None = None) -> list[Card]:
        """The cards called or numbered ``asked``, else those of a product called so, else those of which it says a part."""
        words = asked.split()
        tries: list[tuple[str | None, str | None, str | None]] = [(asked, None, product)]
        if len(words) > 1 and any(sign.isdigit() for sign in words[-1]):  # "Lighthouse 12"
            tries.append((" ".join(words[:-1]), words[-1].strip("()#"), product))
        if any(sign.isdigit() for sign in asked):
            tries.insert(0, (None, asked.strip("()#"), product))
        if not product:
            tries.append((None, None, asked))
        if not asked:
            tries = [(None, None, product)]
        for card, number, of in tries:
            if found := names.rulings(card, number, of, game):
                return list({self.card_of[e.id].id: self.card_of[e.id] for e in found}.values())
        return []

    def mentioning(self, card: Card) -> tuple[Entry, ...]:
        """Rulings and errata of other cards of the game in whose text ``card`` is named, in the order of print."""
        names = {plain(_STAGES.sub("", name)) for name in card.names if any(e.card for e in card.entries)}
        sought = [f" {name} " for name in names if len(name) >= _SHORTEST]
        return tuple(e for e, text in self._texts[card.game] if self.card_of[e.id] is not card and any(name in text for name in sought))

    @cached_property
    def _texts(self) -> dict[str, list[tuple[Entry, str]]]:
        """The rulings and errata of each game with their words, as names are compared."""
        texts: dict[str, list[tuple[Entry, str]]] = defaultdict(list)
        for entry in self._library.entries:
            if entry.kind in CARD_KINDS:
                shown = " ".join(p.display for p in self._library.passages_of.get(entry.id, ()))
                texts[self._library.edition[entry.edition].game].append((entry, f" {plain(shown)} "))
        return texts


def cards(snapshot: Snapshot) -> CardCatalogue:
    """Return the cards in a ``snapshot``, gathered once."""
    return snapshot.cache.get(("cards",), lambda: CardCatalogue(snapshot.library))


def _about(library: Library, entry: Entry) -> str:
    """The id of the card that ``entry`` is about: what the editions call alike by its concept, else by what is printed."""
    game = library.edition[entry.edition].game
    concept = library.concepts.get(entry.id, "").partition("/")[2]
    if concept.startswith("card-") and _KIND_IN_CONCEPT.search(concept):
        return f"{game}/{_KIND_IN_CONCEPT.sub('', concept).removeprefix('card-')}"
    printed = " ".join(filter(None, (entry.number, entry.product, None if entry.number and entry.product else entry.card or entry.title)))
    return f"{game}/{slug(printed) or 'card'}"


def _card(library: Library, id: str, entries: Sequence[Entry]) -> Card:
    ranked = sorted(entries, key=lambda e: (e.edition, e.kind is not Kind.ERRATUM))
    ranked.sort(key=lambda e: version_key(library.edition[e.edition].version), reverse=True)  # the newest version first
    numbers = _each(e.number for e in ranked)
    stem = id.partition("/")[2]
    product = ""
    if products := _each(e.product for e in ranked):
        own = next((stem[len(n) + 1 :] for n in map(slug, numbers) if stem.startswith(f"{n}-")), "")
        product = own or slug(products[0])
    return Card(id, id.partition("/")[0], tuple(ranked), _each(_IN_BRACKETS.sub("", e.title) for e in ranked), numbers, products, product)


def _in_product(card: Card, known: Mapping[tuple[str, str], str]) -> Card:
    """``card`` with the product that is ``known`` under a name printed for it, by game and name."""
    products = (known.get((card.game, plain(name))) for name in card.products)
    return replace(card, product=next(filter(None, products), card.product))


def _each(names: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, names)))


def _by_number(card: Card) -> tuple[object, ...]:
    return (not card.numbers, sort_key(next(iter(card.numbers), "")), sort_key(card.names[0]))

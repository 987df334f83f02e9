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
from service.browse.lookup import CARD_KINDS, EntryNameIndex
from service.core.snapshot import Snapshot

_KIND_IN_CONCEPT = re.compile(r"-(?:ruling|erratum)(?:-\d+)?$")
_STAGES = re.compile(r"(?:(?<!\s)\s+|/)[IVX]+$")  # "Name I/II/III" is mentioned as "Name"
_IN_BRACKETS = re.compile(r"(?:(?<!\s)\s+)?\([^()\d]*\d[^()]*\)$")  # product and number behind a name
NO_SINGLE_CARD = "~"  # stands for the product of rulings and errata that are about no single card
_SHORTEST = 4  # letters of a name that is looked for in running text


@dataclass(frozen=True)
class CardView:
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

    def entries_of_kind(self, kind: Kind) -> tuple[Entry, ...]:
        """Its entries of one kind."""
        return tuple(e for e in self.entries if e.kind is kind)

    @property
    def errata(self) -> tuple[Entry, ...]:
        """Its errata, the newest edition first."""
        return self.entries_of_kind(Kind.ERRATUM)

    @property
    def rulings(self) -> tuple[Entry, ...]:
        """Its rulings, the newest edition first."""
        return self.entries_of_kind(Kind.RULING)


@dataclass(frozen=True)
class ProductView:
    """A product of a game with its cards in order of their numbers; ``names`` are those printed for it, each once."""

    id: str
    game: str
    names: tuple[str, ...]
    cards: tuple[CardView, ...]


class CardCatalogue:
    """The cards of a library."""

    def __init__(self, library: Library):
        self.library = library
        gathered: dict[str, list[Entry]] = defaultdict(list)
        for entry in library.entries:
            if entry.kind in CARD_KINDS:
                gathered[_card_id(library, entry)].append(entry)
        found = [_card(library, id, entries) for id, entries in gathered.items()]
        # What is about no single card names its product as printed; cards known by concept know it in every language.
        known = {(c.game, plain(name)): c.product for c in found if c.product not in map(slug, c.products) for name in c.products}
        self.by_id: dict[str, CardView] = {card.id: _with_known_product(card, known) for card in found}
        self.by_entry: dict[str, CardView] = {e.id: card for card in self.by_id.values() for e in card.entries}

    @cached_property
    def products(self) -> tuple[ProductView, ...]:
        """The products of all games, by game and name; the last of a game are those without a product and those that are no single card."""
        gathered: dict[tuple[str, str], list[CardView]] = defaultdict(list)
        for card in self.by_id.values():
            gathered[card.game, card.product if any(e.card for e in card.entries) else NO_SINGLE_CARD].append(card)
        found = [
            ProductView(
                id=id,
                game=game,
                names=_unique(name for card in cards for name in card.products if id != NO_SINGLE_CARD),
                cards=tuple(sorted(cards, key=_by_number)),
            )
            for (game, id), cards in gathered.items()
        ]
        return tuple(sorted(found, key=by_name))

    def find(self, names: EntryNameIndex, text: str, product: str | None = None, game: str | None = None) -> list[CardView]:
        """Return the cards with the number or name ``text``, with both, or of a product so called: the first of these with a result."""
        words = text.split()
        tries: list[tuple[str | None, str | None, str | None]] = [(text, None, product)]  # name, number, product
        if len(words) > 1 and any(sign.isdigit() for sign in words[-1]):  # "Lighthouse 12"
            tries.append((" ".join(words[:-1]), words[-1].strip("()#"), product))
        if any(sign.isdigit() for sign in text):
            tries.insert(0, (None, text.strip("()#"), product))
        if not product:
            tries.append((None, None, text))
        if not text:
            tries = [(None, None, product)]
        for name, number, of_product in tries:
            if found := names.rulings(name, number, of_product, game):
                return list({self.by_entry[e.id].id: self.by_entry[e.id] for e in found}.values())
        return []

    def mentioning(self, card: CardView) -> tuple[Entry, ...]:
        """Return the rulings and errata of other cards of the game in whose text ``card`` is named, in the order of print."""
        names = {plain(_STAGES.sub("", name)) for name in card.names if any(e.card for e in card.entries)}
        sought = [f" {name} " for name in names if len(name) >= _SHORTEST]
        return tuple(e for e, text in self._texts[card.game] if self.by_entry[e.id] is not card and any(name in text for name in sought))

    @cached_property
    def _texts(self) -> dict[str, list[tuple[Entry, str]]]:
        """The rulings and errata of each game with their words, as names are compared."""
        texts: dict[str, list[tuple[Entry, str]]] = defaultdict(list)
        for entry in self.library.entries:
            if entry.kind in CARD_KINDS:
                shown = " ".join(p.display for p in self.library.passages_of.get(entry.id, ()))
                texts[self.library.edition[entry.edition].game].append((entry, f" {plain(shown)} "))
        return texts


def card_catalogue(snapshot: Snapshot) -> CardCatalogue:
    """Return the cards in a ``snapshot``, gathered once."""
    return snapshot.cache.get(("cards",), lambda: CardCatalogue(snapshot.library))


def _card_id(library: Library, entry: Entry) -> str:
    """Return the id of the card that ``entry`` is about: from its concept, which all editions share, else from what is printed."""
    game = library.edition[entry.edition].game
    concept = library.concepts.get(entry.id, "").partition("/")[2]
    if concept.startswith("card-") and _KIND_IN_CONCEPT.search(concept):
        return f"{game}/{_KIND_IN_CONCEPT.sub('', concept).removeprefix('card-')}"
    printed = " ".join(filter(None, (entry.number, entry.product, None if entry.number and entry.product else entry.card or entry.title)))
    return f"{game}/{slug(printed) or 'card'}"


def _card(library: Library, id: str, entries: Sequence[Entry]) -> CardView:
    """Return the card with this id from its entries."""
    ranked = sorted(entries, key=lambda e: (e.edition, e.kind is not Kind.ERRATUM))
    ranked.sort(key=lambda e: version_key(library.edition[e.edition].version), reverse=True)  # the newest version first
    numbers = printed_numbers(ranked)
    stem = id.partition("/")[2]
    product = ""
    if products := _unique(e.product for e in ranked):
        own = next((stem[len(n) + 1 :] for n in map(slug, numbers) if stem.startswith(f"{n}-")), "")
        product = own or slug(products[0])
    return CardView(
        id=id,
        game=id.partition("/")[0],
        entries=tuple(ranked),
        names=printed_names(ranked),
        numbers=numbers,
        products=products,
        product=product,
    )


def printed_names(entries: Iterable[Entry]) -> tuple[str, ...]:
    """The names that ``entries`` on a card call it by, each once."""
    return _unique(_IN_BRACKETS.sub("", entry.title) for entry in entries)


def printed_numbers(entries: Iterable[Entry]) -> tuple[str, ...]:
    """The numbers that ``entries`` on a card give it, each once."""
    return _unique(entry.number for entry in entries)


def _with_known_product(card: CardView, known: Mapping[tuple[str, str], str]) -> CardView:
    """Return ``card`` with the product that is ``known``, by game and name, under a name printed for it."""
    products = (known.get((card.game, plain(name))) for name in card.products)
    return replace(card, product=next(filter(None, products), card.product))


def _unique(names: Iterable[str | None]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(filter(None, names)))


def by_name(product: ProductView) -> tuple[object, ...]:
    """A sort key: by game and name, behind them those without a product, then those of no single card."""
    rank = 2 if product.id == NO_SINGLE_CARD else 1 if not product.id else 0
    return (product.game, rank, sort_key(next(iter(product.names), "")))


def _by_number(card: CardView) -> tuple[object, ...]:
    return (not card.numbers, sort_key(next(iter(card.numbers), "")), sort_key(card.names[0]))

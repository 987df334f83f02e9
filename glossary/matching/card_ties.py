"""Rulings and errata of several rulebooks tied by card: product and number first, names second, questions one by one."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray
from slugify import slugify

from corpus.model import Entry, Kind, Role
from corpus.titles import key
from glossary import normalization
from glossary.concepts import load_concepts
from glossary.concepts.product_names import CARD_KINDS, FOLDER, ProductNames, card_numbers
from glossary.model import RulebookView

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

_PLACE = 0.15  # what the same place counts beside the same content
_LEAST = 0.2  # likeness that two questions under one card need where an edition has more of them than the other
_SURE = 0.6  # likeness that two entries about no card need, each other's most alike
_SURE_OF_PRODUCT = 0.3  # and where both name the same product

_LONGEST = 60  # characters of a part of an id
_SIGN = re.compile(r"\d+")


class _Card(NamedTuple):
    """What a ruling or an erratum is about. ``number`` is empty where the card has none; then its ``name`` tells it."""

    kind: Kind
    product: str
    number: str
    name: str


class _Printing(NamedTuple):
    """What one edition prints under one heading of a card: one erratum, or one ruling for each question."""

    edition: str
    heading: tuple[Hashable, ...]
    entries: list[Entry]


def tie_cards(rulebooks: Sequence[RulebookView], products: Path = FOLDER) -> dict[str, str]:
    """The concept ids of rulings and errata by entry id, whatever the order of ``rulebooks``; those of a game share concepts.

    A card is known by product and number: products by the game's file in ``products``, else by the cards that they share.
    Where a number is misprinted, it is known by product and name. Rulings are tied to rulings and errata to errata, the
    questions under one card in order where the editions have equally many, else by what they speak of. Every entry about
    a card gets an id, "card-<number>-<product>-<kind>".
    """
    return {id: concept for named, signs, here in _games(rulebooks, products) for id, concept in _tie_cards(here, named, signs)}


def tie_topics(rulebooks: Sequence[RulebookView], products: Path = FOLDER) -> dict[str, str]:
    """What rulings and errata about no card share a topic with those of another edition, by entry id; others are not in it.

    These are questions on the whole game and corrected rules of a product. Nothing names them, so they are told by their
    content alone and are no concept.
    """
    return {id: topic for named, signs, here in _games(rulebooks, products) for id, topic in _tie_topics(here, named, signs)}


def _games(rulebooks: Sequence[RulebookView], products: Path) -> Iterator[tuple[ProductNames, _Signs, list[RulebookView]]]:
    """The rulebooks of each game that have rulings or errata, in order of edition ids."""
    by_game: dict[str, list[RulebookView]] = defaultdict(list)
    for rulebook in sorted(rulebooks, key=lambda r: r.edition.id):
        by_game[rulebook.edition.game].append(rulebook)
    for game, here in by_game.items():
        if any(entry.kind in CARD_KINDS for rulebook in here for entry in rulebook.entries):
            yield ProductNames(game, here, products), _Signs(game, here), here


def _tie_cards(rulebooks: Sequence[RulebookView], products: ProductNames, signs: _Signs) -> Iterator[tuple[str, str]]:
    """The entries about cards, each with its concept."""
    about: dict[str, tuple[_Card, ...]] = {}
    printings: dict[tuple[Hashable, ...], _Printing] = {}
    for rulebook in rulebooks:
        for entry in rulebook.entries:
            if entry.kind in CARD_KINDS and entry.card:
                about[entry.id] = _cards(entry, products.products_of(entry, rulebook.edition.language))
                heading = (entry.edition, entry.kind, entry.product, entry.number, entry.heading)
                printings.setdefault(heading, _Printing(entry.edition, heading, [])).entries.append(entry)
    used: Counter[str] = Counter()
    for cards, here in sorted(_same_card(list(printings.values()), about, signs), key=lambda group: group[0]):
        stem = _id(cards[0])
        used[stem] += 1
        stem = stem if used[stem] == 1 else f"{stem}-x{used[stem]}"  # two cards that only differ in signs
        for entry, rank in _ranked(here, signs):
            yield entry.id, stem if rank == 0 else f"{stem}-{rank + 1}"


def _cards(entry: Entry, products: Sequence[str]) -> tuple[_Card, ...]:
    name = key(entry.card or "")
    return tuple(
        _Card(entry.kind, product, number, name) for product in products or ("",) for number in card_numbers(entry.number) or ("",)
    )


def _same_card(
    printings: Sequence[_Printing], about: Mapping[str, Sequence[_Card]], signs: _Signs
) -> list[tuple[tuple[_Card, ...], list[_Printing]]]:
    """The printings of each card, with what it is known by, the least first."""
    of = [about[p.entries[0].id] for p in printings]
    numbered = [[card._replace(name="") if card.number else card for card in cards] for cards in of]
    groups = _together(range(len(printings)), _equal(numbered))
    # A name second: for editions that differ in the number, where the name is no other card's of that product. A number
    # with a side ("1A") is an identity's or a scheme's, which share their name with other cards.
    by_name: dict[tuple[Kind, str, str], list[int]] = defaultdict(list)
    for i, group in enumerate(groups):
        for known in sorted({(c.kind, c.product, c.name) for p in group for c in of[p] if c.number.isdigit() and c.name}):
            by_name[known].append(i)
    editions = [{printings[p].edition for p in group} for group in groups]
    pairs = [
        (i, j)
        for (_, product, _), found in by_name.items()
        if product and all(not editions[i] & editions[j] for i, j in combinations(found, 2))
        for i, j in combinations(found, 2)
        if signs.alike(printings[groups[i][0]].entries, printings[groups[j][0]].entries).max() >= _LEAST
    ]
    united = [[p for i in group for p in groups[i]] for group in _together(range(len(groups)), pairs)]
    return [
        (tuple(sorted((card for p in group for card in of[p]), key=_natural)), [printings[p] for p in sorted(group)]) for group in united
    ]


def _natural(card: _Card) -> tuple[str, str, int, str, str]:
    digits = _SIGN.match(card.number)
    return card.kind, card.product, int(digits.group()) if digits else -1, card.number, card.name


def _equal(known: Sequence[Iterable[Hashable]]) -> Iterator[tuple[int, int]]:
    """Pairs of places that have something in common."""
    first: dict[Hashable, int] = {}
    for i, keys in enumerate(known):
        for one in keys:
            yield first.setdefault(one, i), i


def _together(places: Iterable[int], pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """The places, those that pairs connect together."""
    root = {place: place for place in places}

    def find(place: int) -> int:
        while root[place] != place:
            root[place] = place = root[root[place]]
        return place

    for one, other in pairs:
        low, high = sorted((find(one), find(other)))
        root[high] = low
    groups: dict[int, list[int]] = defaultdict(list)
    for place in root:
        groups[find(place)].append(place)
    return list(groups.values())


def _id(card: _Card) -> str:
    known = slugify(card.number or card.name, max_length=_LONGEST, word_boundary=True)
    parts = ("card", known, card.product, card.kind.value)
    return "-".join(part for part in parts if part)


def _ranked(printings: Sequence[_Printing], signs: _Signs) -> Iterator[tuple[Entry, int]]:
    """The questions of all ``printings`` of a card, each with its place among those of the printing that has most."""
    from scipy.optimize import linear_sum_assignment  # slow to load, and answering does without

    most = max(printings, key=lambda p: len(p.entries))
    extra = len(most.entries)
    for printing in printings:
        if len(printing.entries) == len(most.entries):
            yield from ((entry, rank) for rank, entry in enumerate(printing.entries))
            continue
        alike = signs.alike(printing.entries, most.entries) + _PLACE * _near(len(printing.entries), len(most.entries))
        rows, columns = linear_sum_assignment(-alike)
        rank_of = {int(i): int(j) for i, j in zip(rows, columns, strict=True) if alike[i, j] >= _LEAST}
        for i, entry in enumerate(printing.entries):
            if i not in rank_of:  # a question of its own
                rank_of[i], extra = extra, extra + 1
            yield entry, rank_of[i]


def _near(left: int, right: int) -> NDArray[np.float64]:
    near: NDArray[np.float64] = 1 - np.abs(np.arange(left)[:, None] - np.arange(right)[None, :]) / max(left, right)
    return near


def _tie_topics(rulebooks: Sequence[RulebookView], products: ProductNames, signs: _Signs) -> Iterator[tuple[str, str]]:
    """The entries about no card that several editions have: questions on the whole game, corrected rules of a product."""
    entries = [entry for rulebook in rulebooks for entry in rulebook.entries if entry.kind in CARD_KINDS and not entry.card]
    language = {rulebook.edition.id: rulebook.edition.language for rulebook in rulebooks}
    place = {entry.id: i for i, entry in enumerate(entries)}
    named = {entry.id: set(products.products_of(entry, language[entry.edition])) for entry in entries}
    pairs = []
    for (left, right), kind in ((pair, kind) for pair in combinations(sorted(language), 2) for kind in sorted(CARD_KINDS)):
        here, there = ([e for e in entries if e.edition == edition and e.kind is kind] for edition in (left, right))
        if here and there:
            alike = signs.alike(here, there)
            for (i, one), (j, other) in ((a, b) for a in enumerate(here) for b in enumerate(there)):
                both = bool(named[one.id] & named[other.id])
                apart = bool(named[one.id] and named[other.id]) and not both
                if apart or alike[i, j] < (_SURE_OF_PRODUCT if both else _SURE):
                    alike[i, j] = 0
            pairs += [(place[here[i].id], place[there[j].id]) for i, j in _surest(alike)]
    used: Counter[str] = Counter()
    for group in _together(range(len(entries)), pairs):
        if len(group) > 1:
            first = entries[min(group)]
            stem = f"topic-{slugify(first.heading, max_length=_LONGEST, word_boundary=True)}-{first.kind.value}"
            used[stem] += 1
            for member in group:
                yield entries[member].id, stem if used[stem] == 1 else f"{stem}-{used[stem]}"


def _surest(alike: NDArray[np.float64]) -> Iterator[tuple[int, int]]:
    """Rows and columns that are each other's best."""
    from scipy.optimize import linear_sum_assignment

    for i, j in zip(*linear_sum_assignment(-alike), strict=True):
        if 0 < alike[i, j] == max(*alike[i], *alike[:, j]):
            yield int(i), int(j)


class _Signs:
    """What rulings and errata have in common with their translations: numbers, names, terms; in one language their words too."""

    def __init__(self, game: str, rulebooks: Sequence[RulebookView]):
        self._terms: dict[tuple[str, str], set[str]] = defaultdict(set)
        for concept in load_concepts(game):
            for language, names in concept.names.items():
                for name in names:
                    stems = [normalization.stem(word.text, language) for word in normalization.tokenize(name)]
                    if len(stems) == 1:
                        self._terms[language, stems[0]].add(concept.id)
        entries = {e.id: (e, r.edition.language) for r in rulebooks for e in r.entries if e.kind in CARD_KINDS}
        text: dict[str, list[str]] = defaultdict(list)
        for passage in (p for r in rulebooks for p in r.passages):
            if passage.entry in entries and passage.role is not Role.SEE:
                text[passage.entry].append(passage.display)
        self._language = {id: language for id, (_, language) in entries.items()}
        self._row = {id: row for row, id in enumerate(entries)}
        signs = [self._signs("\n".join([entry.heading, *text[id]]), language) for id, (entry, language) in entries.items()]
        said: dict[str, set[str]] = defaultdict(set)
        for id, here in zip(entries, signs, strict=True):
            for sign in here:
                said[sign].add(self._language[id])
        languages = len(set(self._language.values()))
        # What only one language has would make every translation unlike its original.
        shared = [{sign: weight for sign, weight in here.items() if languages == 1 or len(said[sign]) > 1} for here in signs]
        self._within, self._across = _vectors(signs), _vectors(shared)

    def _signs(self, text: str, language: str) -> dict[str, float]:
        signs: Counter[str] = Counter(f"number {number}" for number in _SIGN.findall(text))
        for word in normalization.tokenize(text):
            if not word.text.isdigit():
                stem = normalization.stem(word.text, language)
                signs[f"{language} {stem}"] += 1
                signs.update(f"term {concept}" for concept in self._terms.get((language, stem), ()))
                if word.text[0].isupper() and len(word.text) > 2:
                    signs[f"name {normalization.fold_umlauts(word.text)}"] += 1
        return {sign: 1 + float(np.log(count)) for sign, count in signs.items()}

    def alike(self, left: Sequence[Entry], right: Sequence[Entry]) -> NDArray[np.float64]:
        """The cosine of each of ``left`` with each of ``right``, the entries of either in one language."""
        same = self._language[left[0].id] == self._language[right[0].id]
        vectors = self._within if same else self._across
        rows, columns = (vectors[[self._row[entry.id] for entry in side]] for side in (left, right))
        alike: NDArray[np.float64] = (rows @ columns.T).toarray().astype(np.float64)
        return alike


def _vectors(signs: Sequence[Mapping[str, float]]) -> csr_matrix:
    """A row for each text, its signs weighted by rarity."""
    from scipy.sparse import csr_matrix
    from sklearn.feature_extraction import DictVectorizer
    from sklearn.feature_extraction.text import TfidfTransformer

    if not any(signs):
        return csr_matrix((len(signs), 1), dtype=np.float32)
    return csr_matrix(TfidfTransformer().fit_transform(DictVectorizer(dtype=np.float32).fit_transform(signs)))

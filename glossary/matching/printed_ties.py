"""Align entries of several rulebooks by what they print: rulings and errata by card, numbered rules
by number.

A card is identified by product and number, else by name; its questions are assigned one by one.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpus.model import DocumentKind, Entry, Kind, Role
from corpus.titles import key, plain_slug, slug
from corpus.workspace import Folders
from glossary.concepts import load_concepts
from glossary.concepts.product_names import CARD_KINDS, ProductNames, card_numbers
from glossary.matching.likeness import (
    Feature,
    FeatureVectors,
    best_assignment,
    count_by_entry,
    extract_features,
    nearness,
)
from glossary.model import RulebookView
from glossary.name_finder import NameFinder, NameUse
from glossary.normalization import Token, stem, tokenize
from glossary.references.numbers import dotted_numbers

_PLACE = 0.15  # weight of the same place in addition to the same content
_LEAST = 0.2  # likeness of aligned questions on a card, if editions have more or fewer
_SURE = 0.6  # likeness that two entries about no card need, if neither has a more similar one
_SURE_OF_PRODUCT = 0.3  # the same if both name the same product
_LONGEST = 60  # characters of a part of an id
_SHORTEST_NAME = 3


def tie_cards(rulebooks: Sequence[RulebookView], products: Folders = None) -> dict[str, str]:
    """Return the concept ids of rulings and errata by entry id, independent of the order of
    ``rulebooks``; entries of one game about the same card share concepts.

    A card is identified by product and number. Products are known from the game's file in the
    folders ``products``, else from the cards that they share. If a number is misprinted, product
    and name identify the card. Rulings are aligned with rulings and errata with errata. Questions
    under one card are aligned in order if the editions have equally many, else by their content.
    Every entry about a card gets an id, "card-<number>-<product>-<kind>".
    """
    tied: dict[str, str] = {}
    for game in _games(rulebooks, products):
        used: Counter[str] = Counter()
        for cards, printings in sorted(game.printings_by_card(), key=lambda group: group[0]):
            card = cards[0]
            known = plain_slug(card.number or card.name, _LONGEST)
            name = "-".join(filter(None, ("card", known, card.product, card.kind.value)))
            used[name] += 1
            if used[name] > 1:  # two cards that only differ in signs
                name = f"{name}-x{used[name]}"
            for entry, rank in game.ranked(printings):
                tied[entry.id] = name if rank == 0 else f"{name}-{rank + 1}"
    return tied


def tie_topics(rulebooks: Sequence[RulebookView]) -> dict[str, str]:
    """Return topic ids by entry id, for rulings and errata without a card that share a topic with
    one of another edition.

    They are questions on the whole game and corrected rules of a product. They have no name, so
    they are aligned by content alone and are no concept.
    """
    tied: dict[str, str] = {}
    for game in _games(rulebooks):
        used: Counter[str] = Counter()
        for group in game.topics():
            name = f"topic-{plain_slug(group[0].heading, _LONGEST)}-{group[0].kind.value}"
            used[name] += 1
            for entry in group:
                tied[entry.id] = name if used[name] == 1 else f"{name}-{used[name]}"
    return tied


class _Card(NamedTuple):
    """The card of a ruling or an erratum. ``number`` is empty if the card has none; then its
    ``name`` identifies it.
    """

    kind: Kind
    product: str
    number: str
    name: str


_Printing = list[Entry]  # an edition's entries under one heading of a card, one per question


def _games(rulebooks: Sequence[RulebookView], products: Folders = None) -> Iterator[_GameCards]:
    """Yield the entries about cards of each game, with its rulebooks in order of edition ids."""
    by_game: dict[str, list[RulebookView]] = defaultdict(list)
    for rulebook in sorted(rulebooks, key=lambda r: r.edition.id):
        by_game[rulebook.edition.game].append(rulebook)
    for game, here in by_game.items():
        if any(entry.kind in CARD_KINDS for rulebook in here for entry in rulebook.entries):
            yield _GameCards(game, here, products)


class _GameCards:
    """The rulings and errata of a game, with their texts prepared for comparison within a language
    and across languages.
    """

    def __init__(self, game: str, rulebooks: Sequence[RulebookView], products: Folders):
        self._products = ProductNames(game, rulebooks, products)
        self._entries = [e for r in rulebooks for e in r.entries if e.kind in CARD_KINDS]
        self._language = {r.edition.id: r.edition.language for r in rulebooks}
        texts = {entry.id: [entry.heading] for entry in self._entries}
        for passage in (p for r in rulebooks for p in r.passages):
            if passage.entry in texts and passage.role is not Role.SEE:
                texts[passage.entry].append(passage.display)
        finders: dict[str, _OneWordNames] = {}
        counts: dict[str, dict[Feature, float]] = {}
        languages: dict[Feature, set[str]] = defaultdict(set)
        for entry in self._entries:
            language = self._language[entry.edition]
            if language not in finders:
                finders[language] = _OneWordNames(game, language)
            text = "\n".join(texts[entry.id])
            features = extract_features(text, finders[language], _SHORTEST_NAME)
            counts[entry.id] = {**features.words(), **features.shared()}
            for feature in counts[entry.id]:
                languages[feature].add(language)
        self._within = self._across = FeatureVectors(counts, _logarithmic)
        if len(finders) > 1:  # words of one language make every translation unlike its original
            common = {
                id: {feature: n for feature, n in here.items() if len(languages[feature]) > 1}
                for id, here in counts.items()
            }
            self._across = FeatureVectors(common, _logarithmic)

    def _similarity(self, left: Sequence[Entry], right: Sequence[Entry]) -> NDArray[np.float64]:
        """Return the cosine of each left entry with each right one; each side is in one
        language.
        """
        one, other = (self._language[side[0].edition] for side in (left, right))
        vectors = self._within if one == other else self._across
        return vectors.cosines([entry.id for entry in left], [entry.id for entry in right])

    def printings_by_card(self) -> list[tuple[tuple[_Card, ...], list[_Printing]]]:
        """Return the identities of each card, in order, with its printings."""
        by_heading: dict[tuple[Hashable, ...], _Printing] = defaultdict(list)
        for entry in self._entries:
            if entry.card:
                heading = (entry.edition, entry.kind, entry.product, entry.number, entry.heading)
                by_heading[heading].append(entry)
        printings = list(by_heading.values())
        cards = [self._cards(printing[0]) for printing in printings]
        first: dict[_Card, int] = {}
        same = [
            (first.setdefault(card._replace(name="") if card.number else card, place), place)
            for place, known in enumerate(cards)
            for card in known
        ]
        groups = _connected(len(printings), same)
        # Then by name, for editions that differ in the number, if no other card of that product
        # has the name. Numbers with a side ("1A") are not used: they belong to identities and
        # schemes, which share their name with other cards.
        by_name: dict[tuple[Kind, str, str], list[int]] = defaultdict(list)
        for place, group in enumerate(groups):
            known = {c for p in group for c in cards[p] if c.number.isdigit() and c.name}
            for name in sorted({(c.kind, c.product, c.name) for c in known if c.product}):
                by_name[name].append(place)
        editions = [{printings[p][0].edition for p in group} for group in groups]
        named_alike = [
            (one, other)
            for found in by_name.values()
            if not any(editions[a] & editions[b] for a, b in combinations(found, 2))
            for one, other in combinations(found, 2)
            if self._similarity(printings[groups[one][0]], printings[groups[other][0]]).max()
            >= _LEAST
        ]
        united = [
            [place for group in joined for place in groups[group]]
            for joined in _connected(len(groups), named_alike)
        ]
        return [
            (
                tuple(sorted((card for p in group for card in cards[p]), key=_natural)),
                [printings[p] for p in sorted(group)],
            )
            for group in united
        ]

    def _cards(self, entry: Entry) -> list[_Card]:
        products = self._products.products_of(entry, self._language[entry.edition]) or ("",)
        numbers = card_numbers(entry.number) or ("",)
        name = key(entry.card or "")
        return [_Card(entry.kind, product, n, name) for product in products for n in numbers]

    def ranked(self, printings: Sequence[_Printing]) -> Iterator[tuple[Entry, int]]:
        """Yield each question of all ``printings`` of a card with its position in the longest
        printing, or with a further position if that printing does not have the question.
        """
        most = max(printings, key=len)
        extra = len(most)
        for printing in printings:
            if len(printing) == len(most):
                yield from ((entry, rank) for rank, entry in enumerate(printing))
                continue
            near = nearness(np.arange(len(printing)), np.arange(len(most)), scale=len(most))
            alike = self._similarity(printing, most) + _PLACE * near
            rank_of = {i: j for i, j in best_assignment(alike) if alike[i, j] >= _LEAST}
            for i, entry in enumerate(printing):
                if i not in rank_of:  # a question of its own
                    rank_of[i], extra = extra, extra + 1
                yield entry, rank_of[i]

    def topics(self) -> Iterator[list[Entry]]:
        """Yield the entries without a card that several editions have, grouped by topic."""
        entries = [entry for entry in self._entries if not entry.card]
        place = {entry.id: n for n, entry in enumerate(entries)}
        products = {
            e.id: set(self._products.products_of(e, self._language[e.edition])) for e in entries
        }
        pairs = []
        for left, right in combinations(sorted(self._language), 2):
            for kind in sorted(CARD_KINDS):
                here, there = (
                    [e for e in entries if e.edition == edition and e.kind is kind]
                    for edition in (left, right)
                )
                if not here or not there:
                    continue
                alike = self._similarity(here, there)
                for i, one in enumerate(here):
                    for j, other in enumerate(there):
                        mine, its = products[one.id], products[other.id]
                        apart = bool(mine and its and mine.isdisjoint(its))
                        if apart or alike[i, j] < (_SURE_OF_PRODUCT if mine & its else _SURE):
                            alike[i, j] = 0
                pairs += [
                    (place[here[i].id], place[there[j].id])
                    for i, j in best_assignment(alike)
                    if 0 < alike[i, j] == max(*alike[i], *alike[:, j])
                ]
        for group in _connected(len(entries), pairs):
            if len(group) > 1:
                yield [entries[n] for n in group]


def _natural(card: _Card) -> tuple[str, str, int, str, str]:
    digits = re.match(r"\d+", card.number)
    return card.kind, card.product, int(digits.group()) if digits else -1, card.number, card.name


def _connected(count: int, pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return the connected components of the numbers below ``count``, with edges ``pairs``."""
    root = list(range(count))

    def find(place: int) -> int:
        while root[place] != place:
            root[place] = place = root[root[place]]
        return place

    for one, other in pairs:
        low, high = sorted((find(one), find(other)))
        root[high] = low
    groups: dict[int, list[int]] = defaultdict(list)
    for place in range(count):
        groups[find(place)].append(place)
    return list(groups.values())


def _logarithmic(count: float) -> float:
    return 1 + math.log(count)


class _OneWordNames:
    """Finds one-word names of concepts by their stem."""

    def __init__(self, game: str, language: str):
        self.language = language
        self._concepts: dict[str, dict[str, str]] = defaultdict(dict)
        for concept in load_concepts(game):
            for name in concept.names.get(language, ()):
                stems = self.stems(token.text for token in tokenize(name))
                if len(stems) == 1:
                    self._concepts[stems[0]][concept.id] = name

    def stems(self, parts: Iterable[str]) -> tuple[str, ...]:
        """Return the stems of words."""
        return tuple(stem(part, self.language) for part in parts)

    def find(self, tokens: Sequence[Token]) -> list[NameUse]:
        """Return the names among ``tokens``, except numbers."""
        stems = self.stems(token.text for token in tokens)
        return [
            NameUse(i, i + 1, tuple(self._concepts[stem].items()))
            for i, (token, stem) in enumerate(zip(tokens, stems, strict=True))
            if stem in self._concepts and not token.text.isdigit()
        ]


# Two editions are numbered alike if they share enough rule numbers, and enough of these agree.
LEAST_SHARED = 0.5  # share of common numbers in the edition that has fewer
FEWEST = 8  # common numbers, at least
NEARLY_ALL = 0.8  # share of common numbers in all: from there on less agreement is needed
AGREEMENT = 0.35  # share whose texts are much more alike than others; by chance, one in ten is
AGREEMENT_OF_NEARLY_ALL = 0.2
_AGREEMENT_WITHIN = 0.2  # the same below one number
_FEWEST_WITHIN = 6  # rules below one number that say anything of it
_MUCH = 0.9  # quantile of the likeness of other texts that counts as much


def tie_numbers(rulebooks: Sequence[RulebookView]) -> dict[str, str]:
    """Return concept ids of numbered entries by entry id, "number-4-2-1", for editions in different
    languages with the same numbering.

    Common numbers and names in their texts show whether the numbering is the same. Rulings and
    errata, whose number is that of a card, are skipped, as are numbers that an edition has twice.
    Numbers of policies, "policy-4-2-1", are distinct from those of rules.
    """
    alike: dict[tuple[str, DocumentKind], list[RulebookView]] = defaultdict(list)
    for rulebook in sorted(rulebooks, key=lambda r: r.edition.id):
        alike[rulebook.edition.game, rulebook.edition.kind].append(rulebook)
    tied: dict[str, str] = {}
    for (_, kind), here in alike.items():
        name = "number" if kind is DocumentKind.RULES else kind
        numbered = {book.edition.id: _entries_by_number(book) for book in here}
        for left, right in combinations(here, 2):
            if left.edition.language != right.edition.language:
                both = numbered[left.edition.id], numbered[right.edition.id]
                for number in _equal_numbers(left, right, both):
                    tied |= {side[number]: f"{name}-{slug(number)}" for side in both}
    return tied


def _entries_by_number(rulebook: RulebookView) -> dict[str, str]:
    """Return entry ids by number, written like "4.2.1"; numbers that occur twice are left out."""
    dotted = dotted_numbers(rulebook.entries)
    numbers = [
        (dotted.get(e.id, e.number).rstrip("."), e.id)
        for e in rulebook.entries
        if e.number and e.kind not in CARD_KINDS
    ]
    counts = Counter(number for number, _ in numbers)
    return {number: id for number, id in numbers if counts[number] == 1 and slug(number)}


def _equal_numbers(
    left: RulebookView, right: RulebookView, numbered: tuple[Mapping[str, str], Mapping[str, str]]
) -> Iterator[str]:
    """Yield the numbers that mean the same in both editions; none if their numbering differs."""
    shared = [number for number in numbered[0] if number in numbered[1]]
    if len(shared) < max(FEWEST, LEAST_SHARED * min(map(len, numbered))):
        return
    agreeing = _agreeing(left, right, [(n, numbered[0][n], numbered[1][n]) for n in shared])
    nearly_all = len(shared) >= NEARLY_ALL * len(numbered[0].keys() | numbered[1].keys())
    least = AGREEMENT_OF_NEARLY_ALL if nearly_all else AGREEMENT
    if sum(agreeing.values()) < least * len(agreeing) or not agreeing:
        return
    below: dict[str, list[str]] = defaultdict(list)
    for number in shared:
        below[number.rpartition(".")[0]].append(number)
    for numbers in below.values():
        said = [agreeing[number] for number in numbers if number in agreeing]
        if len(said) < _FEWEST_WITHIN or sum(said) / len(said) >= _AGREEMENT_WITHIN:
            yield from numbers


def _agreeing(
    left: RulebookView, right: RulebookView, pairs: Sequence[tuple[str, str, str]]
) -> dict[str, bool]:
    """Return for each number whether the texts of its two entries are much more similar than
    others; numbers without enough text are left out.
    """
    counts: dict[str, dict[Feature, float]] = {}
    for rulebook in (left, right):
        printed = {entry.id: entry.number for entry in rulebook.entries if entry.number}
        finder = NameFinder((), rulebook.edition.language)
        counts |= count_by_entry(
            rulebook,
            lambda passage, printed=printed, finder=finder: extract_features(  # type: ignore[misc]
                passage.display.removeprefix(printed.get(passage.entry, "")), finder, _SHORTEST_NAME
            ).shared(),
        )
    vectors = FeatureVectors({id: here for id, here in counts.items() if here}, _logarithmic)
    known = [pair for pair in pairs if pair[1] in vectors and pair[2] in vectors]
    if not known:
        return {}
    alike = vectors.cosines([one for _, one, _ in known], [other for _, _, other in known])
    much = np.quantile(alike, _MUCH, axis=1)
    own = alike.diagonal()
    return {pair[0]: bool(0 < own[n] >= much[n]) for n, pair in enumerate(known)}

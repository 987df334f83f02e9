"""Entries of several rulebooks tied by what they print: rulings and errata by card, numbered rules
by number.

A card is known by product and number first, by its name second; its questions are assigned one by
one.
"""

from __future__ import annotations

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
from glossary.concepts import Concept, load_concepts
from glossary.concepts.product_names import CARD_KINDS, ProductNames, card_numbers
from glossary.matching.likeness import (
    Feature,
    FeatureRules,
    FeatureVectors,
    best_assignment,
    extract_features,
    logarithmic,
    mutual_best,
    nearness,
)
from glossary.model import RulebookView
from glossary.name_finder import NameFinder, NameUse
from glossary.normalization import Token, stem, tokenize
from glossary.references.numbers import dotted_numbers

_PLACE = 0.15  # what the same place counts in addition to the same content
_LEAST = 0.2  # likeness that two questions under one card need where an edition has more of them than the other
_SURE = 0.6  # likeness that two entries about no card need, each other's most alike
_SURE_OF_PRODUCT = 0.3  # and where both name the same product

_LONGEST = 60  # characters of a part of an id
_DIGITS = re.compile(r"\d+")
_FEATURES = FeatureRules(shortest_name=3)


class _Card(NamedTuple):
    """What a ruling or an erratum is about. ``number`` is empty where the card has none; then its
    ``name`` tells it.
    """

    kind: Kind
    product: str
    number: str
    name: str


class _Printing(NamedTuple):
    """What one edition prints under one heading of a card: one erratum, or one ruling for each
    question.
    """

    edition: str
    heading: tuple[Hashable, ...]
    entries: list[Entry]


def tie_cards(rulebooks: Sequence[RulebookView], products: Folders = None) -> dict[str, str]:
    """Return the concept ids of rulings and errata by entry id, whatever the order of
    ``rulebooks``; those of a game share concepts.

    A card is known by product and number: products by the game's file in the folders ``products``,
    else by the cards that they share. Where a number is misprinted, it is known by product and
    name. Rulings are tied to rulings and errata to errata, the questions under one card in order
    where the editions have equally many, else by what they speak of. Every entry about a card gets
    an id, "card-<number>-<product>-<kind>".
    """
    return {
        id: concept
        for named, texts, here in _games(rulebooks, products)
        for id, concept in _tie_cards(here, named, texts)
    }


def tie_topics(rulebooks: Sequence[RulebookView], products: Folders = None) -> dict[str, str]:
    """Return what rulings and errata about no card share a topic with those of another edition, by
    entry id; others are not in it.

    These are questions on the whole game and corrected rules of a product. Nothing names them, so
    they are tied by their content alone and are no concept.
    """
    return {
        id: topic
        for named, texts, here in _games(rulebooks, products)
        for id, topic in _tie_topics(here, named, texts)
    }


def _games(
    rulebooks: Sequence[RulebookView], products: Folders
) -> Iterator[tuple[ProductNames, _CardTexts, list[RulebookView]]]:
    """Yield the rulebooks of each game that have rulings or errata, in order of edition ids."""
    by_game: dict[str, list[RulebookView]] = defaultdict(list)
    for rulebook in sorted(rulebooks, key=lambda r: r.edition.id):
        by_game[rulebook.edition.game].append(rulebook)
    for game, here in by_game.items():
        if any(entry.kind in CARD_KINDS for rulebook in here for entry in rulebook.entries):
            yield ProductNames(game, here, products), _CardTexts(game, here), here


def _tie_cards(
    rulebooks: Sequence[RulebookView], products: ProductNames, texts: _CardTexts
) -> Iterator[tuple[str, str]]:
    """Yield the entries about cards, each with its concept."""
    about: dict[str, tuple[_Card, ...]] = {}
    printings: dict[tuple[Hashable, ...], _Printing] = {}
    for rulebook in rulebooks:
        for entry in rulebook.entries:
            if entry.kind in CARD_KINDS and entry.card:
                about[entry.id] = _cards(
                    entry, products.products_of(entry, rulebook.edition.language)
                )
                heading = (entry.edition, entry.kind, entry.product, entry.number, entry.heading)
                printings.setdefault(heading, _Printing(entry.edition, heading, [])).entries.append(
                    entry
                )
    used: Counter[str] = Counter()
    for cards, here in sorted(
        _same_card(list(printings.values()), about, texts), key=lambda group: group[0]
    ):
        stem = _id(cards[0])
        used[stem] += 1
        stem = (
            stem if used[stem] == 1 else f"{stem}-x{used[stem]}"
        )  # two cards that only differ in signs
        for entry, rank in _ranked(here, texts):
            yield entry.id, stem if rank == 0 else f"{stem}-{rank + 1}"


def _cards(entry: Entry, products: Sequence[str]) -> tuple[_Card, ...]:
    name = key(entry.card or "")
    return tuple(
        _Card(entry.kind, product, number, name)
        for product in products or ("",)
        for number in card_numbers(entry.number) or ("",)
    )


def _same_card(
    printings: Sequence[_Printing], about: Mapping[str, Sequence[_Card]], texts: _CardTexts
) -> list[tuple[tuple[_Card, ...], list[_Printing]]]:
    """Return the printings of each card, with what it is known by, the least first."""
    of = [about[p.entries[0].id] for p in printings]
    numbered = [[card._replace(name="") if card.number else card for card in cards] for cards in of]
    groups = _together(range(len(printings)), _equal(numbered))
    # A name second: for editions that differ in the number, where the name is no other card's of
    # that product. A number with a side ("1A") is an identity's or a scheme's, which share their
    # name with other cards.
    by_name: dict[tuple[Kind, str, str], list[int]] = defaultdict(list)
    for i, group in enumerate(groups):
        for known in sorted(
            {
                (c.kind, c.product, c.name)
                for p in group
                for c in of[p]
                if c.number.isdigit() and c.name
            }
        ):
            by_name[known].append(i)
    editions = [{printings[p].edition for p in group} for group in groups]
    pairs = [
        (i, j)
        for (_, product, _), found in by_name.items()
        if product and all(not editions[i] & editions[j] for i, j in combinations(found, 2))
        for i, j in combinations(found, 2)
        if texts.similarity(printings[groups[i][0]].entries, printings[groups[j][0]].entries).max()
        >= _LEAST
    ]
    united = [
        [p for i in group for p in groups[i]] for group in _together(range(len(groups)), pairs)
    ]
    return [
        (
            tuple(sorted((card for p in group for card in of[p]), key=_natural)),
            [printings[p] for p in sorted(group)],
        )
        for group in united
    ]


def _natural(card: _Card) -> tuple[str, str, int, str, str]:
    digits = _DIGITS.match(card.number)
    return card.kind, card.product, int(digits.group()) if digits else -1, card.number, card.name


def _equal(known: Sequence[Iterable[Hashable]]) -> Iterator[tuple[int, int]]:
    """Yield pairs of places that have something in common."""
    first: dict[Hashable, int] = {}
    for i, keys in enumerate(known):
        for one in keys:
            yield first.setdefault(one, i), i


def _together(places: Iterable[int], pairs: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return the places, those that pairs connect together."""
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
    known = plain_slug(card.number or card.name, _LONGEST)
    parts = ("card", known, card.product, card.kind.value)
    return "-".join(part for part in parts if part)


def _ranked(printings: Sequence[_Printing], texts: _CardTexts) -> Iterator[tuple[Entry, int]]:
    """Yield the questions of all ``printings`` of a card, each with its place among those of the
    printing that has most.
    """
    most = max(printings, key=lambda p: len(p.entries))
    extra = len(most.entries)
    for printing in printings:
        if len(printing.entries) == len(most.entries):
            yield from ((entry, rank) for rank, entry in enumerate(printing.entries))
            continue
        places = np.arange(len(printing.entries)), np.arange(len(most.entries))
        alike = texts.similarity(printing.entries, most.entries) + _PLACE * nearness(
            *places, scale=len(most.entries)
        )
        rank_of = {i: j for i, j in best_assignment(alike) if alike[i, j] >= _LEAST}
        for i, entry in enumerate(printing.entries):
            if i not in rank_of:  # a question of its own
                rank_of[i], extra = extra, extra + 1
            yield entry, rank_of[i]


def _tie_topics(
    rulebooks: Sequence[RulebookView], products: ProductNames, texts: _CardTexts
) -> Iterator[tuple[str, str]]:
    """Yield the entries about no card that several editions have: questions on the whole game,
    corrected rules of a product.
    """
    entries = [
        entry
        for rulebook in rulebooks
        for entry in rulebook.entries
        if entry.kind in CARD_KINDS and not entry.card
    ]
    language = {rulebook.edition.id: rulebook.edition.language for rulebook in rulebooks}
    place = {entry.id: i for i, entry in enumerate(entries)}
    named = {
        entry.id: set(products.products_of(entry, language[entry.edition])) for entry in entries
    }
    pairs = []
    for (left, right), kind in (
        (pair, kind) for pair in combinations(sorted(language), 2) for kind in sorted(CARD_KINDS)
    ):
        here, there = (
            [e for e in entries if e.edition == edition and e.kind is kind]
            for edition in (left, right)
        )
        if here and there:
            alike = texts.similarity(here, there)
            for (i, one), (j, other) in ((a, b) for a in enumerate(here) for b in enumerate(there)):
                both = bool(named[one.id] & named[other.id])
                apart = bool(named[one.id] and named[other.id]) and not both
                if apart or alike[i, j] < (_SURE_OF_PRODUCT if both else _SURE):
                    alike[i, j] = 0
            pairs += [(place[here[i].id], place[there[j].id]) for i, j in mutual_best(alike)]
    used: Counter[str] = Counter()
    for group in _together(range(len(entries)), pairs):
        if len(group) > 1:
            first = entries[min(group)]
            stem = f"topic-{plain_slug(first.heading, _LONGEST)}-{first.kind.value}"
            used[stem] += 1
            for member in group:
                yield entries[member].id, stem if used[stem] == 1 else f"{stem}-{used[stem]}"


class _CardTexts:
    """The texts of rulings and errata of a game, made comparable within a language and across
    languages.
    """

    def __init__(self, game: str, rulebooks: Sequence[RulebookView]):
        entries = {
            e.id: (e, r.edition.language)
            for r in rulebooks
            for e in r.entries
            if e.kind in CARD_KINDS
        }
        texts: dict[str, list[str]] = defaultdict(list)
        for passage in (p for r in rulebooks for p in r.passages):
            if passage.entry in entries and passage.role is not Role.SEE:
                texts[passage.entry].append(passage.display)
        self._language = {id: language for id, (_, language) in entries.items()}
        finders = {
            language: _OneWordNames(load_concepts(game), language)
            for language in set(self._language.values())
        }
        counts: dict[str, dict[Feature, float]] = {}
        for id, (entry, language) in entries.items():
            features = extract_features(
                "\n".join([entry.heading, *texts[id]]), finders[language], _FEATURES
            )
            counts[id] = {**features.words(), **features.shared()}
        self._within = FeatureVectors(counts, logarithmic)
        self._across = FeatureVectors(
            self._common(counts) if len(finders) > 1 else counts, logarithmic
        )

    def _common(
        self, counts: Mapping[str, Mapping[Feature, float]]
    ) -> dict[str, dict[Feature, float]]:
        """Return ``counts`` of what several languages have: the rest would make every translation
        unlike its original.
        """
        languages: dict[Feature, set[str]] = defaultdict(set)
        for id, here in counts.items():
            for feature in here:
                languages[feature].add(self._language[id])
        return {
            id: {f: count for f, count in here.items() if len(languages[f]) > 1}
            for id, here in counts.items()
        }

    def similarity(self, left: Sequence[Entry], right: Sequence[Entry]) -> NDArray[np.float64]:
        """Return the cosine of each of ``left`` with each of ``right``, the entries of either in
        one language.
        """
        vectors = (
            self._within
            if self._language[left[0].id] == self._language[right[0].id]
            else self._across
        )
        return vectors.cosines([entry.id for entry in left], [entry.id for entry in right])


class _OneWordNames:
    """Finds the names of concepts that are one word, by its stem alone."""

    def __init__(self, concepts: Iterable[Concept], language: str):
        self.language = language
        self._concepts: dict[str, dict[str, str]] = defaultdict(dict)
        for concept in concepts:
            for name in concept.names.get(language, ()):
                stems = self.stems(token.text for token in tokenize(name))
                if len(stems) == 1:
                    self._concepts[stems[0]][concept.id] = name

    def stems(self, parts: Iterable[str]) -> tuple[str, ...]:
        """Return the stems of words."""
        return tuple(stem(part, self.language) for part in parts)

    def find(self, tokens: Sequence[Token]) -> list[NameUse]:
        """Return the names among ``tokens``, none of them a number."""
        stems = self.stems(token.text for token in tokens)
        return [
            NameUse(i, i + 1, tuple(self._concepts[stem].items()))
            for i, (token, stem) in enumerate(zip(tokens, stems, strict=True))
            if stem in self._concepts and not token.text.isdigit()
        ]


LEAST_SHARED = 0.5  # of the numbers of the edition that has fewer, those that the other has too
FEWEST = 8  # numbers that both have, at least
NEARLY_ALL = (
    0.8  # of all numbers of both, those that both have, from which little else has to speak for it
)
AGREEMENT = 0.35  # share of equal numbers whose texts are much more alike than others; by chance, one in ten is
AGREEMENT_OF_NEARLY_ALL = 0.2
_AGREEMENT_WITHIN = 0.2  # the same below one number
_FEWEST_WITHIN = 6  # rules below one number that say anything of it
_MUCH = 0.9  # quantile of the likeness of other texts that counts as much


def tie_numbers(rulebooks: Sequence[RulebookView]) -> dict[str, str]:
    """Return the concept ids of numbered entries by entry id, "number-4-2-1", of editions in
    different languages that are numbered alike.

    That they are is told by what their texts have in common, numbers and names. Rulings and errata,
    which have the number of a card, are not looked at, nor numbers that an edition has twice. Those
    of policies, "policy-4-2-1", mean nothing in rules.
    """
    alike: dict[tuple[str, DocumentKind], list[RulebookView]] = defaultdict(list)
    for rulebook in sorted(rulebooks, key=lambda r: r.edition.id):
        alike[rulebook.edition.game, rulebook.edition.kind].append(rulebook)
    tied: dict[str, str] = {}
    for (_, kind), here in alike.items():
        name = "number" if kind is DocumentKind.RULES else kind
        numbered = {book.edition.id: _by_number(book) for book in here}
        for left, right in combinations(here, 2):
            if left.edition.language != right.edition.language:
                both = numbered[left.edition.id], numbered[right.edition.id]
                for number in _alike(left, right, both):
                    tied |= {side[number]: f"{name}-{slug(number)}" for side in both}
    return tied


def _by_number(rulebook: RulebookView) -> dict[str, str]:
    """Return the ids of the entries that have a number, by it, with points between its parts and
    none at its end.
    """
    dotted = dotted_numbers(rulebook.entries)
    numbers = [
        (dotted.get(e.id, e.number).rstrip("."), e.id)
        for e in rulebook.entries
        if e.number and e.kind not in CARD_KINDS
    ]
    counts = Counter(number for number, _ in numbers)
    return {number: id for number, id in numbers if counts[number] == 1 and slug(number)}


def _alike(
    left: RulebookView, right: RulebookView, numbered: tuple[Mapping[str, str], Mapping[str, str]]
) -> Iterator[str]:
    """Yield the numbers that mean the same in both editions; none where these are not numbered
    alike.
    """
    shared = [number for number in numbered[0] if number in numbered[1]]
    if len(shared) < max(FEWEST, LEAST_SHARED * min(map(len, numbered))):
        return
    agreeing = _agreeing(left, right, [(numbered[0][n], numbered[1][n]) for n in shared])
    known = dict(zip(shared, agreeing, strict=True))
    nearly_all = len(shared) >= NEARLY_ALL * len(numbered[0].keys() | numbered[1].keys())
    if _share(agreeing) < (AGREEMENT_OF_NEARLY_ALL if nearly_all else AGREEMENT):
        return
    below: dict[str, list[str]] = defaultdict(list)
    for number in shared:
        below[number.rpartition(".")[0]].append(number)
    for numbers in below.values():
        own = [known[number] for number in numbers]
        if (
            sum(each is not None for each in own) < _FEWEST_WITHIN
            or _share(own) >= _AGREEMENT_WITHIN
        ):
            yield from numbers


def _share(agreeing: Sequence[bool | None]) -> float:
    """Return the share of those that say yes among those that say anything."""
    said = [each for each in agreeing if each is not None]
    return sum(said) / len(said) if said else 0.0


def _agreeing(
    left: RulebookView, right: RulebookView, pairs: Sequence[tuple[str, str]]
) -> list[bool | None]:
    """Return whether the texts of each pair of entries are much more alike than others; None where
    there is nothing to compare.
    """
    counts = {**_feature_counts(left), **_feature_counts(right)}
    vectors = FeatureVectors(counts, logarithmic)
    known = [n for n, (one, other) in enumerate(pairs) if one in vectors and other in vectors]
    found: list[bool | None] = [None] * len(pairs)
    if known:
        alike: NDArray[np.float64] = vectors.cosines(
            [pairs[n][0] for n in known], [pairs[n][1] for n in known]
        )
        much = np.quantile(alike, _MUCH, axis=1)
        for place, n in enumerate(known):
            found[n] = bool(alike[place, place] > 0 and alike[place, place] >= much[place])
    return found


def _feature_counts(rulebook: RulebookView) -> dict[str, dict[Feature, float]]:
    """Return by entry what its text shares with its translation, numbers and untranslated names,
    its own number left out.
    """
    printed = {entry.id: entry.number for entry in rulebook.entries if entry.number}
    finder = NameFinder((), rulebook.edition.language)
    counts: dict[str, dict[Feature, float]] = {}
    for passage in rulebook.passages:
        if passage.role is Role.TEXT:
            text = passage.display.removeprefix(printed.get(passage.entry, ""))
            shared = extract_features(text, finder, _FEATURES).shared()
            if shared:
                here = counts.setdefault(passage.entry, {})
                for feature, count in shared.items():
                    here[feature] = here.get(feature, 0.0) + count
    return counts

"""Numbered rules of several languages tied by their numbers, where the editions of a game are numbered alike."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from corpus.model import DocumentKind, Role
from corpus.titles import slug
from glossary.concepts.product_names import CARD_KINDS
from glossary.matching.features import Feature, FeatureRules, FeatureVectors, extract_features, logarithmic
from glossary.model import RulebookView
from glossary.name_finder import NameFinder
from glossary.references.dotted_numbers import dotted_numbers

LEAST_SHARED = 0.5  # of the numbers of the edition that has fewer, those that the other has too
FEWEST = 8  # numbers that both have, at least
NEARLY_ALL = 0.8  # of all numbers of both, those that both have, from which little else has to speak for it
AGREEMENT = 0.35  # share of equal numbers whose texts are much more alike than others; by chance, one in ten is
AGREEMENT_OF_NEARLY_ALL = 0.2
_AGREEMENT_WITHIN = 0.2  # the same below one number
_FEWEST_WITHIN = 6  # rules below one number that say anything of it
_MUCH = 0.9  # quantile of the likeness of other texts that counts as much
_FEATURES = FeatureRules(shortest_name=3)


def tie_numbers(rulebooks: Sequence[RulebookView]) -> dict[str, str]:
    """The concept ids of numbered entries by entry id, "number-4-2-1", of editions in different languages that are numbered alike.

    That they are is told by what their texts have in common, numbers and names. Rulings and errata, which have the number of a card,
    are not looked at, nor numbers that an edition has twice. Those of policies, "policy-4-2-1", mean nothing in rules.
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
    """The ids of the entries that have a number, by it, with points between its parts and none at its end."""
    dotted = dotted_numbers(rulebook.entries)
    numbers = [(dotted.get(e.id, e.number).rstrip("."), e.id) for e in rulebook.entries if e.number and e.kind not in CARD_KINDS]
    counts = Counter(number for number, _ in numbers)
    return {number: id for number, id in numbers if counts[number] == 1 and slug(number)}


def _alike(left: RulebookView, right: RulebookView, numbered: tuple[Mapping[str, str], Mapping[str, str]]) -> Iterator[str]:
    """The numbers that mean the same in both editions; none where these are not numbered alike."""
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
        if sum(each is not None for each in own) < _FEWEST_WITHIN or _share(own) >= _AGREEMENT_WITHIN:
            yield from numbers


def _share(agreeing: Sequence[bool | None]) -> float:
    """The share of those that say yes among those that say anything."""
    said = [each for each in agreeing if each is not None]
    return sum(said) / len(said) if said else 0.0


def _agreeing(left: RulebookView, right: RulebookView, pairs: Sequence[tuple[str, str]]) -> list[bool | None]:
    """Whether the texts of each pair of entries are much more alike than those of others; None where they have nothing to compare."""
    counts = {**_feature_counts(left), **_feature_counts(right)}
    vectors = FeatureVectors(counts, logarithmic)
    known = [n for n, (one, other) in enumerate(pairs) if one in vectors and other in vectors]
    found: list[bool | None] = [None] * len(pairs)
    if known:
        alike: NDArray[np.float64] = vectors.cosines([pairs[n][0] for n in known], [pairs[n][1] for n in known])
        much = np.quantile(alike, _MUCH, axis=1)
        for place, n in enumerate(known):
            found[n] = bool(alike[place, place] > 0 and alike[place, place] >= much[place])
    return found


def _feature_counts(rulebook: RulebookView) -> dict[str, dict[Feature, float]]:
    """By entry what its text shares with its translation, numbers and untranslated names, its own number left out."""
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

"""Which passages of two editions say the same: tied entries laid side by side, passage by passage, whatever their languages."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from sklearn.feature_extraction import DictVectorizer
from sklearn.feature_extraction.text import TfidfTransformer

from corpus.model import Entry, Passage, Role, Rulebook
from glossary import words
from glossary.recognition import Recogniser

PLACE = 0.3  # what the same place within the entry counts beside the same content
LEAST = 0.25  # likeness that a pair needs

_NAME = 0.5  # a capital letter begins a name, or in German any noun
_COMMON = 3  # a word in more products than this says what sort of product it is ("Helden-Pack"), not which


class Counterparts(NamedTuple):
    """Two passages, by id, that say the same in two editions, and how alike they are (0 to about 1.3)."""

    left: str
    right: str
    likeness: float


def counterparts(rulebooks: Sequence[Rulebook], tied: Mapping[str, str], recogniser: Recogniser) -> tuple[Counterparts, ...]:
    """The passages that correspond between the editions of one game, by entries ``tied`` to one concept or about one card.

    ``tied`` are concept ids by entry id. Within two entries, each passage has at most one counterpart: the assignment of
    the greatest total likeness (Kuhn 1955). Likeness compares what is the same in every language - terms recognised,
    numbers, names, symbols - weighted by rarity, and where in the entry a passage stands.
    """
    texts = {r.edition.id: _texts(r.passages) for r in rulebooks}
    passages = [(p, r.edition.language) for r in rulebooks for by_entry in (texts[r.edition.id],) for ps in by_entry.values() for p in ps]
    if not passages:
        return ()
    signs = DictVectorizer(dtype=np.float32).fit_transform([_signs(p.display, language, recogniser) for p, language in passages])
    vectors = TfidfTransformer().fit_transform(signs)
    row = {p.id: i for i, (p, _) in enumerate(passages)}
    found = []
    for left, right in combinations(rulebooks, 2):
        for one, other in _entry_pairs(left, right, tied):
            here, there = texts[left.edition.id].get(one, []), texts[right.edition.id].get(other, [])
            if here and there:
                alike = (vectors[[row[p.id] for p in here]] @ vectors[[row[p.id] for p in there]].T).toarray()
                found += _assigned(here, there, alike)
    return tuple(found)


def _texts(passages: Iterable[Passage]) -> dict[str, list[Passage]]:
    by_entry: dict[str, list[Passage]] = defaultdict(list)
    for passage in passages:
        if passage.role is Role.TEXT:
            by_entry[passage.entry].append(passage)
    return by_entry


def _signs(text: str, language: str, recogniser: Recogniser) -> dict[str, float]:
    """What ``text`` has in common with its translation."""
    signs: Counter[str] = Counter()
    for mention in recogniser.mentions(text, language):
        signs[f"term {mention.concept}"] += mention.certainty  # type: ignore[assignment]
    for number in re.findall(r"\d+", text):
        signs[f"number {number}"] += 1
    for word in words.words(text):
        if word.text[0].isupper():
            signs[f"name {words.plain(word.text)}"] += _NAME  # type: ignore[assignment]
    return {sign: float(count) for sign, count in signs.items()}


def _entry_pairs(left: Rulebook, right: Rulebook, tied: Mapping[str, str]) -> list[tuple[str, str]]:
    """Entries of two rulebooks that correspond, by id."""
    by_concept: dict[str, list[Entry]] = defaultdict(list)
    for entry in right.entries:
        if entry.id in tied:
            by_concept[tied[entry.id]].append(entry)
    pairs = [(e.id, other.id) for e in left.entries if e.id in tied for other in by_concept[tied[e.id]]]
    return pairs + _card_pairs(left, right)


def _card_pairs(left: Rulebook, right: Rulebook) -> list[tuple[str, str]]:
    """Rulings and errata of the same cards, by id: of one number in one product, whatever language names card and product."""
    by_number: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in right.entries:
        if entry.card and entry.number:
            by_number[entry.kind, words.plain(entry.number)].append(entry)
    common = _common(left) | _common(right)
    alike = [
        (entry, other)
        for entry in left.entries
        if entry.card and entry.number
        for other in by_number[entry.kind, words.plain(entry.number)]
    ]
    named = {(a.id, b.id) for a, b in alike if _large(a.card) & _large(b.card)}
    # Two products are one where their names share a telling word, or a card of the same number and name.
    products = {(a.product, b.product) for a, b in alike if (a.id, b.id) in named or (_large(a.product) & _large(b.product)) - common}
    return [(a.id, b.id) for a, b in alike if (a.product, b.product) in products]


def _common(rulebook: Rulebook) -> set[str]:
    """Words that many product names of a rulebook have."""
    counts = Counter(w for product in {e.product for e in rulebook.entries if e.product} for w in _large(product))
    return {word for word, count in counts.items() if count > _COMMON}


def _large(name: str | None) -> set[str]:
    return {w for word in words.words(name or "") if len(w := words.plain(word.text)) > 2}


def _assigned(here: Sequence[Passage], there: Sequence[Passage], alike: NDArray[np.float32]) -> list[Counterparts]:
    def places(count: int) -> NDArray[np.float64]:
        return np.arange(count) / max(count - 1, 1)

    likeness = alike + PLACE * (1 - np.abs(places(len(here))[:, None] - places(len(there))[None, :]))
    rows, columns = linear_sum_assignment(-likeness)
    return [
        Counterparts(here[i].id, there[j].id, round(float(likeness[i, j]), 4))
        for i, j in zip(rows, columns, strict=True)
        if likeness[i, j] >= LEAST
    ]

"""Identify products by any of their names, which a file for each game confirms, or which are
learned from the cards that the products contain.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field, TypeAdapter
from rapidfuzz.distance import OSA

from corpus import data_files
from corpus.languages import LanguageCode
from corpus.model import Entry, Kind
from corpus.titles import key, plain_slug
from corpus.workspace import PRODUCTS, Folders, chosen_folders
from glossary import normalization
from glossary.model import RulebookView

FOLDER = Path(__file__).parent / "products"
_Names = Annotated[list[Annotated[str, Field(min_length=1)]], Field(min_length=1)]
_FILE = TypeAdapter(
    dict[
        Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")],
        Annotated[dict[LanguageCode, _Names], Field(min_length=1)],
    ]
)
CARD_KINDS = frozenset({Kind.RULING, Kind.ERRATUM})  # the entries that are about a card

_SEVERAL = re.compile(r"\s/\s")  # "Star-Lord / Nebula" are two products, "SP//dr" is one
_NUMBER = re.compile(r"(\d+)([A-Z]*)(?:\s*[-–]\s*(\d+)([A-Z]*))?", re.IGNORECASE)
_RANGE = 12  # cards or sides that a range of numbers spans, at most
_COMMON = 3  # a word in more products than this says what sort of product it is ("Helden-Pack")
_ALIKE = 5  # first letters that two forms of one word share ("mutant", "mutante")
_SHORTEST_TYPO = 8  # letters of a name in which a letter may be wrong
_TYPO = 0.93
_NAMED = 3.0  # weight of a card with the same number and name in both products
_TELLING = 2.0  # weight of a distinctive word in both names
_LEAST = 1.5  # weight that two names of one product need


class ProductName(NamedTuple):
    """A product's name in one language, in a form common to all its spellings."""

    language: str
    key: str


class ProductProposal(NamedTuple):
    """Two names that seem to mean one product, but that the game's file does not confirm."""

    one: ProductName
    other: ProductName
    weight: float


def load_products(game: str, folders: Folders = None) -> Mapping[ProductName, str]:
    """Return product ids by name, from the files of ``game`` (by default the workspace's first);
    empty if there is no file.

    Raises `corpus.data_files.DataFileError` if a file is faulty or gives one name to two products.
    """
    return _load(tuple((path, path.stat().st_mtime_ns) for path in _files(game, folders)))


def _files(game: str, folders: Folders) -> list[Path]:
    paths = [folder / f"{game}.yaml" for folder in chosen_folders(folders, PRODUCTS, FOLDER, game)]
    return [path for path in paths if path.exists()]


@lru_cache(maxsize=64)
def _load(files: tuple[tuple[Path, int], ...]) -> Mapping[ProductName, str]:
    """Return product ids by name from ``files``, paths and times of last change by priority."""
    found: dict[ProductName, str] = {}
    for path, _ in files:
        here: dict[ProductName, str] = {}
        for product, by_language in data_files.load(path, _FILE).items():
            for language, names in by_language.items():
                for name in names:
                    other = here.setdefault(ProductName(language, key(name)), product)
                    if other != product:
                        raise data_files.DataFileError(
                            f"{path.name}: {product}.{language}: {name!r} belongs to {other!r} "
                            "already"
                        )
        found = here | found
    return found


def product_spellings(game: str) -> Mapping[str, Mapping[str, list[str]]]:
    """Return the names of each product of ``game`` by language, as in its files; the correct
    spelling comes first.

    Raises `corpus.data_files.DataFileError` if a file is faulty.
    """
    found: dict[str, dict[str, list[str]]] = {}
    for path in _files(game, None):
        for product, by_language in data_files.load(path, _FILE).items():
            found[product] = {**by_language, **found.get(product, {})}
    return found


def card_numbers(printed: str | None) -> tuple[str, ...]:
    """Return the card numbers in ``printed``: 1A, 2A and 3A for "1A-3A", two for "184B/184C"."""
    found: list[str] = []
    for first, side, last, other in _NUMBER.findall(printed or ""):
        side, other = side.upper(), other.upper()
        one_letter = first == last and len(side) == len(other) == 1
        if last and side == other and 0 < int(last) - int(first) < _RANGE:
            found += [f"{n}{side}" for n in range(int(first), int(last) + 1)]
        elif one_letter and 0 < ord(other) - ord(side) < _RANGE:
            found += [f"{first}{chr(c)}" for c in range(ord(side), ord(other) + 1)]
        else:
            found += [f"{first}{side}", *([f"{last}{other}"] if last else [])]
    return tuple(dict.fromkeys(number.lstrip("0") or number for number in found))


class ProductNames:
    """The products of a game as named in its rulebooks; ``proposals`` are names that seem to mean
    one product.
    """

    def __init__(self, game: str, rulebooks: Sequence[RulebookView], folders: Folders = None):
        self._confirmed = load_products(game, folders)
        cards: dict[ProductName, dict[str, set[str]]] = {}  # card names, by product and number
        for rulebook in rulebooks:
            for entry in rulebook.entries:
                if entry.kind in CARD_KINDS:
                    for name in self._names(entry, rulebook.edition.language):
                        here = cards.setdefault(name, {})
                        for number in card_numbers(entry.number):
                            here.setdefault(number, set()).add(entry.card or "")
        self._same = {name: name for name in sorted(set(cards) | set(self._confirmed))}
        by_product: dict[str, ProductName] = {}
        for name, product in sorted(self._confirmed.items()):
            self._unite(name, by_product.setdefault(product, name))
        for name in sorted(set(cards) - set(self._confirmed)):
            for other in sorted(self._same):
                if _is_typo(name, other):
                    self._unite(name, other)
        self.proposals = tuple(self._learn(cards))

    def products_of(self, entry: Entry, language: str) -> tuple[str, ...]:
        """Return the keys of the products that ``entry`` names; empty if it names none."""
        return tuple(dict.fromkeys(self._key(name) for name in self._names(entry, language)))

    def _names(self, entry: Entry, language: str) -> list[ProductName]:
        whole = ProductName(language, key(entry.product or ""))
        if whole in self._confirmed:
            return [whole]
        parts = (key(part) for part in _SEVERAL.split(entry.product or ""))
        return [ProductName(language, part) for part in parts if part]

    def _key(self, name: ProductName) -> str:
        same = self._united(name)
        known = [self._confirmed[other] for other in same if other in self._confirmed]
        return known[0] if known else plain_slug(min(same, default=name).key)

    def _root(self, name: ProductName) -> ProductName:
        while (above := self._same.get(name, name)) != name:
            name = above
        return name

    def _unite(self, one: ProductName, other: ProductName) -> None:
        low, high = sorted((self._root(one), self._root(other)))
        self._same[high] = low

    def _united(self, name: ProductName) -> list[ProductName]:
        root = self._root(name)
        return [other for other in self._same if self._root(other) == root]

    def _learn(
        self, cards: Mapping[ProductName, Mapping[str, set[str]]]
    ) -> Iterator[ProductProposal]:
        """Unite names in different languages, best match first, at most one per language."""
        counts = Counter((name.language, w) for name in cards for w in _content_words(name.key))
        common = {word for (_, word), count in counts.items() if count > _COMMON}
        having = Counter((name.language, number) for name in cards for number in cards[name])
        proposals = []
        for one, other in combinations(sorted(cards), 2):
            if one.language == other.language:
                continue
            words = [_content_words(name.key) - common for name in (one, other)]
            weight = _TELLING * _share_word(*words)
            for number in cards[one].keys() & cards[other].keys():
                weight += 1 / max(having[one.language, number], having[other.language, number])
                weight += _NAMED * any(
                    _share_word(_content_words(a), _content_words(b))
                    for a in cards[one][number]
                    for b in cards[other][number]
                )
            if weight >= _LEAST:
                proposals.append(ProductProposal(one, other, round(weight, 3)))
        for proposal in sorted(proposals, key=lambda p: (-p.weight, p)):
            mine, its = (
                {same.language for same in self._united(name)}
                for name in (proposal.one, proposal.other)
            )
            if mine.isdisjoint(its):
                self._unite(proposal.one, proposal.other)
                yield proposal


def _is_typo(name: ProductName, other: ProductName) -> bool:
    """Return whether two names of one language differ in about a letter, but in no number."""
    return (
        other.language == name.language
        and min(len(name.key), len(other.key)) >= _SHORTEST_TYPO
        and re.findall(r"\d+", name.key) == re.findall(r"\d+", other.key)
        and OSA.normalized_similarity(name.key, other.key) >= _TYPO
    )


def _content_words(name: str) -> set[str]:
    words = (normalization.fold_umlauts(word.text) for word in normalization.tokenize(name))
    return {word for word in words if len(word) > 2}


def _share_word(left: Iterable[str], right: Iterable[str]) -> bool:
    return any(
        a == b or (len(a) >= _ALIKE and a[:_ALIKE] == b[:_ALIKE]) for a in left for b in right
    )

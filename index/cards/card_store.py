"""The cards of an index, by game, in files mapped into memory: records, and tables to find cards by
name and in questions.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from corpus.cards.model import Card, card_from_record, card_record
from glossary.card_names import name_words
from glossary.concepts import Concept
from glossary.string_trie import UNKNOWN, StringTrie
from glossary.word_tables import WordTables
from index.cards.card_finder import CardFinder, MentionFinder
from index.cards.card_names import (
    CardMentionTables,
    CardNameTables,
    save_mention_tables,
    save_name_tables,
)
from index.files.records import IdTable, MappedRecords, SequenceView, write_records

FOLDER = "cards"
_CACHED = 100  # cards that are kept as objects
_LAST_QUESTIONS = 16  # whose cards are kept: a search looks for them up to three times
_NO_TYPES: Mapping[str, Mapping[str, Mapping[str, str]]] = MappingProxyType({})


class CardHit(NamedTuple):
    """A card found by ``name``, as printed in ``language``; both are "" if the card was found by
    its number.

    ``score`` is from 0 to 1; it is 1 if the query is exactly the whole name.
    """

    card: Card
    score: float
    name: str
    language: str


class CardNamed(NamedTuple):
    """A place in a question that names a card of ``game``; ``cards`` are the ids of the cards it
    may mean, ``certainty`` is from 0 to 1.
    """

    start: int
    end: int
    cards: tuple[str, ...]
    certainty: float
    game: str


class CardStore:
    """The cards of an index; ``bounds`` has the range of card numbers of each game, games sorted.

    ``types`` has the names of each game's card types, by code and language.
    """

    def __init__(
        self,
        bounds: Mapping[str, range],
        cards: Sequence[Card],
        ids: IdTable,
        finder: CardFinder | None,
        mentions: MentionFinder | None,
        types: Mapping[str, Mapping[str, Mapping[str, str]]] = _NO_TYPES,
    ):
        self._bounds, self._cards, self._ids, self._types = bounds, cards, ids, types
        self._finder = finder
        self._named = lru_cache(maxsize=_LAST_QUESTIONS)(
            partial(_named_in, mentions, bounds, cards)
        )

    @classmethod
    def empty(cls) -> CardStore:
        """Return a store without cards."""
        return cls({}, (), IdTable.from_ids([]), None, None)

    @classmethod
    def load(cls, folder: Path, tables: WordTables) -> CardStore:
        """Map the files of `save_cards` into memory; return an empty store without ``folder``.

        Raises `OSError`, `ValueError`, `KeyError` or `RuntimeError` if they are damaged.
        """
        if not folder.exists():
            return cls.empty()
        stored = json.loads((folder / "games.json").read_text(encoding="utf-8"))
        terms = frozenset(term for each in stored.values() for term in each["terms"])
        return cls(
            {game: range(*each["numbers"]) for game, each in stored.items()},
            MappedRecords.load(folder / "cards", card_from_record, _CACHED),
            IdTable.load(folder / "ids"),
            CardFinder(CardNameTables.load(folder)),
            MentionFinder(CardMentionTables.load(folder), tables, terms),
            {game: each["types"] for game, each in stored.items()},
        )

    @property
    def games(self) -> tuple[str, ...]:
        """The games with cards, sorted."""
        return tuple(self._bounds)

    def of_game(self, game: str) -> Sequence[Card]:
        """Return the cards of ``game`` in the order of the database, each created on demand."""
        return SequenceView(self._cards, np.array(self._bounds.get(game, range(0)), dtype=np.int64))

    def __len__(self) -> int:
        return len(self._cards)

    def get(self, game: str, id_or_slug: str) -> Card | None:
        """Return the card with this id, slug or code of a printing, or None."""
        number = self._ids.number(f"{game}/{id_or_slug}")
        return None if number == UNKNOWN else self._cards[number]

    def type_names(self, game: str, type: str) -> Mapping[str, str]:
        """Return the names of a card ``type`` in the card database, by language; may be empty."""
        return self._types.get(game, {}).get(type, {})

    def find(
        self, text: str, game: str | None = None, language: str | None = None, k: int = 10
    ) -> tuple[CardHit, ...]:
        """Return up to ``k`` cards, of ``game`` or of any game, that ``text`` may mean, the best
        first.

        The text may be a name in any language, with or without subtitle, partial, misspelt or
        shortened, a number or a code. Type, trait and product distinguish cards of one name. Of
        equally good cards, those with a name in ``language`` come first.
        """
        every = range(len(self._cards))
        numbers = every if game is None else self._bounds.get(game, range(0))
        found = self._finder.find(text, numbers, language, k) if self._finder and numbers else ()
        return tuple(
            CardHit(self._cards[card], score, *(form[:2] if form else ("", "")))
            for card, score, form in found
        )

    def called(self, game: str, name: str) -> tuple[Card, ...]:
        """Return the cards with exactly this ``name``, in any language and case, with or without
        subtitle.
        """
        return self._of(game, self._finder.called(name) if self._finder else ())

    def nearly_called(self, game: str, name: str, least: float) -> tuple[Card, ...]:
        """Return the cards with the name most like ``name``, at ``least`` alike in percent."""
        own = self._bounds.get(game, range(0))
        found = self._finder.nearly_called(name, own, least) if self._finder else ()
        return self._of(game, found)

    def with_ability(self, game: str, name: str) -> tuple[Card, ...]:
        """Return the cards that have an ability with exactly this ``name``, in any language."""
        return self._of(game, self._finder.with_ability(name) if self._finder else ())

    def numbered(self, game: str, number: str) -> tuple[Card, ...]:
        """Return the cards with this ``number`` or code, in lower case; a number may recur in each
        product.
        """
        return self._of(game, self._finder.numbered(number) if self._finder else ())

    def _of(self, game: str, numbers: Iterable[int]) -> tuple[Card, ...]:
        own = self._bounds.get(game, range(0))
        return tuple(self._cards[number] for number in numbers if number in own)

    def mentions(
        self, question: str, games: Iterable[str] | None = None, language: str | None = None
    ) -> tuple[CardNamed, ...]:
        """Return the places where a ``question`` in ``language`` names cards of ``games``, or of
        any game, in order. Of overlapping names the longest counts.
        """
        return self._named(question, frozenset(self.games if games is None else games), language)


def _named_in(
    mentions: MentionFinder | None,
    bounds: Mapping[str, range],
    cards: Sequence[Card],
    question: str,
    games: frozenset[str],
    language: str | None,
) -> tuple[CardNamed, ...]:
    found = [
        CardNamed(
            place.start,
            place.end,
            tuple(cards[number].id for number in place.cards),
            place.certainty,
            game,
        )
        for game, numbers in bounds.items()
        if game in games and mentions
        for place in mentions.find(question, numbers, language)
    ]
    return tuple(sorted(found, key=lambda named: (named.start, -named.certainty, named.game)))


def save_cards(
    folder: Path,
    cards: Mapping[str, Sequence[Card]],
    concepts: Mapping[str, Sequence[Concept]],
    types: Mapping[str, Mapping[str, Mapping[str, str]]] = _NO_TYPES,
) -> None:
    """Write the ``cards`` of each game, and all tables to find them, into ``folder``.

    ``concepts`` has the concepts of each game, ``types`` the names of its card types by code and
    language.
    """
    folder.mkdir(parents=True)
    every = [card for game in sorted(cards) for card in cards[game]]
    write_records(folder / "cards", map(card_record, every))
    numbers: dict[str, int] = {}
    for number, card in enumerate(every):
        codes = (*(each.code for each in card.printings), *(each.code for each in card.faces))
        for code in codes:
            numbers.setdefault(f"{card.game}/{code}", number)
    for number, card in enumerate(every):  # an id before a code that is the same
        numbers.update({f"{card.game}/{card.slug}": number, f"{card.game}/{card.id}": number})
    strings = StringTrie(numbers)
    in_order = [numbers[strings.string(place)] for place in range(len(strings))]
    IdTable(strings, np.array(in_order, dtype=np.int32)).save(folder / "ids")

    start = 0
    stored: dict[str, dict[str, object]] = {}
    english: dict[str, dict[tuple[str, ...], set[str]]] = {}  # names of concepts by English name
    for game in sorted(cards):
        by_name = english.setdefault(game, {})
        terms: set[str] = set()
        for concept in concepts.get(game, ()):
            names = {name for names in concept.names.values() for name in names}
            terms.update(" ".join(name_words(name)) for name in names)
            for name in concept.names.get("en", ()):
                by_name.setdefault(name_words(name), set()).update(names)
        stored[game] = {
            "numbers": [start, start + len(cards[game])],
            "terms": sorted(terms),
            "types": {code: dict(names) for code, names in types.get(game, {}).items()},
        }
        start += len(cards[game])
    (folder / "games.json").write_text(json.dumps(stored, ensure_ascii=False), encoding="utf-8")

    def types_of(card: Card) -> set[str]:
        """Return the names of the types of ``card``, from the database and from concepts."""
        found: set[str] = set()
        for type in {face.type for face in card.faces}:
            found |= english[card.game].get(name_words(type.replace("_", " ")), set())
            found |= set(types.get(card.game, {}).get(type, {}).values())
        return found

    save_name_tables(folder, every, types_of)
    save_mention_tables(folder, every)

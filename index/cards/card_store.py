"""The cards of an index, game by game, in files mapped into memory: their records, and how they are
found and mentioned.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

import numpy as np

from corpus.cards.model import Card, card_from_record, card_record
from glossary.card_name_forms import name_words
from glossary.concepts import Concept
from glossary.string_trie import UNKNOWN, StringTrie
from glossary.word_tables import WordTables
from index.cards.card_finder import CardFinder
from index.cards.card_mentions import CardMentionTables, save_mention_tables
from index.cards.card_name_tables import CardNameTables, save_name_tables
from index.cards.mention_finder import MentionFinder
from index.cards.model import CardHit, CardNamed
from index.files.name_tables import IdTable
from index.files.records import MappedRecords, SequenceView, write_records

FOLDER = "cards"
_CACHED = 100  # cards that are kept as objects


class CardStore:
    """The cards of an index. ``bounds`` are the numbers of the first card of each game, in their
    order, and at the end that of all.
    """

    def __init__(
        self,
        bounds: Mapping[str, range],
        cards: Sequence[Card],
        ids: IdTable,
        finder: CardFinder | None,
        mentions: MentionFinder | None,
        types: Mapping[str, Mapping[str, Mapping[str, str]]] = MappingProxyType({}),
    ):
        self._bounds, self._cards, self._ids, self._finder, self._mentions, self._types = (
            bounds,
            cards,
            ids,
            finder,
            mentions,
            types,
        )

    @classmethod
    def empty(cls) -> CardStore:
        """No cards."""
        return cls({}, (), IdTable.from_ids([]), None, None)

    @classmethod
    def load(cls, folder: Path, tables: WordTables) -> CardStore:
        """What `save_cards` wrote into ``folder``; no cards where it is missing.

        Raises `OSError`, `ValueError`, `KeyError` or `RuntimeError` where it is damaged.
        """
        if not folder.exists():
            return cls.empty()
        stored = json.loads((folder / "games.json").read_text(encoding="utf-8"))
        bounds = {game: range(*each["numbers"]) for game, each in stored.items()}
        terms = frozenset(term for each in stored.values() for term in each["terms"])
        return cls(
            bounds,
            MappedRecords.load(folder / "cards", card_from_record, _CACHED),
            IdTable.load(folder / "ids"),
            CardFinder(CardNameTables.load(folder)),
            MentionFinder(CardMentionTables.load(folder), tables, terms),
            {game: each["types"] for game, each in stored.items()},
        )

    @property
    def games(self) -> tuple[str, ...]:
        """The games that there are cards of, sorted."""
        return tuple(self._bounds)

    def of_game(self, game: str) -> Sequence[Card]:
        """The cards of ``game`` in the order of the database, each made when it is asked for; none
        for a game without cards.
        """
        return SequenceView(self._cards, np.array(self._bounds.get(game, range(0)), dtype=np.int64))

    def __len__(self) -> int:
        return len(self._cards)

    def get(self, game: str, id_or_slug: str) -> Card | None:
        """The card of ``game`` with this id, slug or code of a printing; None where there is
        none.
        """
        number = self._ids.number(f"{game}/{id_or_slug}")
        return None if number == UNKNOWN else self._cards[number]

    def type_names(self, game: str, type: str) -> Mapping[str, str]:
        """What the database of ``game`` calls this ``type`` of cards, by language; empty where it
        does not say.
        """
        return self._types.get(game, {}).get(type, {})

    def find(
        self, text: str, game: str | None = None, language: str | None = None, k: int = 10
    ) -> tuple[CardHit, ...]:
        """The ``k`` cards, of ``game`` if one is given, that ``text`` is most likely meant for, the
        best first.

        Names count in every language, with or without subtitle, in part, misspelt or shortened;
        numbers and codes too. Words beside the name tell cards of one name apart: type, trait,
        product. Of cards found alike those with a name in ``language`` come first.
        """
        numbers = self._numbers((game,) if game is not None else self.games)
        if self._finder is None or not numbers:
            return ()
        found = self._finder.find(text, numbers, language, k)
        return tuple(
            CardHit(
                self._cards[m.card],
                m.score,
                m.form.name if m.form else "",
                m.form.language if m.form else "",
            )
            for m in found
        )

    def called(self, game: str, name: str) -> tuple[Card, ...]:
        """The cards of ``game`` with exactly this ``name``, in any language, with or without
        subtitle, whatever capitals.
        """
        numbers = self._bounds.get(game, range(0))
        return tuple(
            self._cards[number]
            for number in (self._finder.called(name) if self._finder else ())
            if number in numbers
        )

    def numbered(self, game: str, number: str) -> tuple[Card, ...]:
        """The cards of ``game`` that have this ``number``, or code, in small letters: one in each
        product may have it.
        """
        numbers = self._bounds.get(game, range(0))
        return tuple(
            self._cards[each]
            for each in (self._finder.numbered(number) if self._finder else ())
            if each in numbers
        )

    def mentions(
        self, question: str, games: Iterable[str] | None = None, language: str | None = None
    ) -> tuple[CardNamed, ...]:
        """The cards of ``games``, or any game, that a ``question`` in ``language`` names, in order
        of place; the longest name wins it.
        """
        if self._mentions is None:
            return ()
        found = []
        for game in (
            self.games if games is None else [game for game in self.games if game in set(games)]
        ):
            for place in self._mentions.find(question, self._bounds[game], language):
                cards = tuple(self._cards[number].id for number in place.cards)
                found.append(CardNamed(place.start, place.end, cards, place.certainty, game))
        return tuple(sorted(found, key=lambda named: (named.start, -named.certainty, named.game)))

    def _numbers(self, games: Iterable[str]) -> range:
        """The numbers of the cards of one game, or of all."""
        each = [self._bounds[game] for game in games if game in self._bounds]
        return range(each[0].start, each[-1].stop) if each else range(0)


def save_cards(
    folder: Path,
    cards: Mapping[str, Sequence[Card]],
    concepts: Mapping[str, Sequence[Concept]],
    types: Mapping[str, Mapping[str, Mapping[str, str]]] = MappingProxyType({}),
) -> None:
    """Write the ``cards`` of each game into ``folder``, with all that they are found by.

    ``concepts`` are those of each game, ``types`` the names of its types of cards by code and
    language.
    """
    folder.mkdir(parents=True)
    every = [card for game in sorted(cards) for card in cards[game]]
    write_records(folder / "cards", map(card_record, every))
    _ids(every).save(folder / "ids")
    called = {game: _TypeNames(concepts.get(game, ()), types.get(game, {})) for game in cards}
    save_name_tables(folder, every, lambda card: called[card.game].of(card))
    save_mention_tables(folder, every)
    start, stored = 0, {}
    for game in sorted(cards):
        stored[game] = {
            "numbers": [start, start + len(cards[game])],
            "terms": sorted(_terms(concepts.get(game, ()))),
            "types": {code: dict(names) for code, names in types.get(game, {}).items()},
        }
        start += len(cards[game])
    (folder / "games.json").write_text(json.dumps(stored, ensure_ascii=False), encoding="utf-8")


class _TypeNames:
    """What the types of cards are called in all languages: as the database says, and as concepts of
    the game, told by English names.
    """

    def __init__(self, concepts: Iterable[Concept], types: Mapping[str, Mapping[str, str]]):
        self._types = types
        self._concepts: dict[tuple[str, ...], set[str]] = {}
        for concept in concepts:
            names = {name for names in concept.names.values() for name in names}
            for name in concept.names.get("en", ()):
                self._concepts.setdefault(name_words(name), set()).update(names)

    def of(self, card: Card) -> set[str]:
        """The names of the types of the faces of ``card``."""
        types = {face.type for face in card.faces}
        concepts = (self._concepts.get(name_words(type.replace("_", " ")), ()) for type in types)
        return {
            name
            for names in (*concepts, *(self._types.get(type, {}).values() for type in types))
            for name in names
        }


def _ids(cards: Sequence[Card]) -> IdTable:
    """The numbers of ``cards`` by game and id, slug, or the code of a face or printing; an id
    before a code that is the same.
    """
    numbers: dict[str, int] = {}
    for number, card in enumerate(cards):
        for code in (
            *(printing.code for printing in card.printings),
            *(face.code for face in card.faces),
        ):
            numbers.setdefault(f"{card.game}/{code}", number)
    for number, card in enumerate(cards):
        numbers.update({f"{card.game}/{card.slug}": number, f"{card.game}/{card.id}": number})
    strings = StringTrie(numbers)
    return IdTable(
        strings,
        np.array([numbers[strings.string(place)] for place in range(len(strings))], dtype=np.int32),
    )


def _terms(concepts: Iterable[Concept]) -> set[str]:
    """The names of ``concepts`` in all languages, as names of cards are compared."""
    return {
        " ".join(name_words(name))
        for concept in concepts
        for names in concept.names.values()
        for name in names
    }

"""The rulings of an index, mapped into memory: by id, by game and by card."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpus.rulings.model import Ruling
from corpus.rulings.records import ruling_from_record, ruling_record
from glossary.string_trie import UNKNOWN, StringTrie
from index.analysis import plain
from index.files.quantized import load_mapped
from index.files.ragged import RaggedArray
from index.files.records import MappedRecords, SequenceView, write_records

RULINGS = "rulings"

ResolveCard = Callable[[str, str], str | None]
"""The id of the card of a game that is called so, or has that id; None for a card that is not
loaded.
"""
NamedCards = Callable[[Ruling], Iterable[str]]
"""The ids of the cards that the text of a ruling names."""


class RulingStore:
    """Rulings, those of one game together, the newest first; iterated in that order.

    ``begin`` has the number of the first ruling of each of ``games``, and that behind the last;
    ``numbers`` the number of the ruling with key i of ``ids``; row i of ``of_cards`` the numbers of
    the rulings about the card with key i of ``cards``, and row i of ``naming`` those of the rulings
    whose text names it.
    """

    def __init__(
        self,
        rulings: Sequence[Ruling] = (),
        games: Sequence[str] = (),
        begin: NDArray[np.int64] | None = None,
        ids: StringTrie | None = None,
        numbers: NDArray[np.int32] | None = None,
        cards: StringTrie | None = None,
        of_cards: RaggedArray | None = None,
        naming: RaggedArray | None = None,
    ):
        self._rulings, self.games = rulings, tuple(games)
        self._begin = begin if begin is not None else np.zeros(len(self.games) + 1, dtype=np.int64)
        self._ids, self._numbers = (
            ids or StringTrie(),
            numbers if numbers is not None else np.empty(0, dtype=np.int32),
        )
        none = RaggedArray.from_owners([], [], 0)
        self._cards, self._of_cards, self._naming = (
            cards or StringTrie(),
            of_cards or none,
            naming or none,
        )

    def __len__(self) -> int:
        return len(self._rulings)

    def __iter__(self) -> Iterator[Ruling]:
        return iter(self._rulings)

    def __getitem__(self, id: str) -> Ruling:
        """The ruling called ``id``. Raises `KeyError` where there is none."""
        if (found := self.get(id)) is None:
            raise KeyError(id)
        return found

    def get(self, id: str) -> Ruling | None:
        """The ruling called ``id``, None where there is none."""
        key = self._ids.number(id)
        return None if key == UNKNOWN else self._rulings[self._numbers.item(key)]

    def of_game(self, game: str) -> Sequence[Ruling]:
        """The rulings on ``game``, the newest first, each made when it is asked for."""
        return SequenceView(self._rulings, np.arange(*self._bounds(game)))

    def first_of(self, game: str) -> int:
        """The number of the first ruling on ``game``."""
        return self._bounds(game)[0]

    def about_cards(self, game: str) -> NDArray[np.bool_]:
        """Whether each ruling on ``game`` is about cards, shape (number of rulings,)."""
        first, last = self._bounds(game)
        found = np.zeros(last - first, dtype=np.bool_)
        values = self._of_cards.values
        found[values[(values >= first) & (values < last)] - first] = True
        return found

    def of_card(self, game: str, card: str) -> tuple[Ruling, ...]:
        """The rulings about a ``card`` of ``game``, the newest first; ``card`` is its id, or its
        name where it is not loaded.
        """
        first = self._bounds(game)[0]
        return tuple(self._rulings[first + number] for number in self.numbers_of_card(game, card))

    def numbers_of_card(self, game: str, card: str) -> list[int]:
        """The positions in `of_game` of the rulings about a ``card``, ascending."""
        return self._numbers_of(self._of_cards, game, card)

    def numbers_naming(self, game: str, card: str) -> list[int]:
        """The positions in `of_game` of the rulings whose text names a ``card``, ascending."""
        return self._numbers_of(self._naming, game, card)

    def _numbers_of(self, rows: RaggedArray, game: str, card: str) -> list[int]:
        first = self._bounds(game)[0]
        keys = (self._cards.number(_key(game, name)) for name in (card, plain(card)))
        found = (rows.row(key).tolist() for key in keys if key != UNKNOWN)
        return [number - first for number in next(found, [])]

    def _bounds(self, game: str) -> tuple[int, int]:
        """The number of the first ruling of ``game``, and that behind its last."""
        if game not in self.games:
            return 0, 0
        place = self.games.index(game)
        return self._begin.item(place), self._begin.item(place + 1)

    @classmethod
    def build(
        cls,
        rulings: Mapping[str, Sequence[Ruling]],
        resolve: ResolveCard = lambda game, card: None,
        named: NamedCards = lambda ruling: (),
    ) -> RulingStore:
        """A store of the ``rulings`` of each game; cards that ``resolve`` does not know are kept
        under their names.
        """
        games = [game for game in sorted(rulings) if rulings[game]]
        every = [
            ruling
            for game in games
            for ruling in sorted(rulings[game], key=attrgetter("date"), reverse=True)
        ]
        ids = StringTrie(ruling.id for ruling in every)
        numbers = np.zeros(len(ids), dtype=np.int32)
        for number, ruling in reversed(list(enumerate(every))):
            numbers[ids.number(ruling.id)] = number
        about = [
            (_key(ruling.game, card), number)
            for number, ruling in enumerate(every)
            for card in dict.fromkeys(
                resolve(ruling.game, each) or plain(each) for each in ruling.cards
            )
        ]
        naming = [
            (_key(ruling.game, card), number)
            for number, ruling in enumerate(every)
            for card in dict.fromkeys(named(ruling))
        ]
        cards = StringTrie(card for card, _ in (*about, *naming))
        of_cards, of_naming = (
            RaggedArray.from_owners(
                [cards.number(card) for card, _ in pairs],
                [number for _, number in pairs],
                len(cards),
            )
            for pairs in (about, naming)
        )
        begin = np.cumsum([0, *(len(rulings[game]) for game in games)], dtype=np.int64)
        return cls(every, games, begin, ids, numbers, cards, of_cards, of_naming)

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        write_records(folder / "ruling", map(ruling_record, self._rulings))
        (folder / "games.txt").write_text("\n".join(self.games), encoding="utf-8")
        np.save(folder / "games.npy", self._begin)
        self._ids.save(folder / "ids.marisa")
        np.save(folder / "ids.npy", self._numbers)
        self._cards.save(folder / "cards.marisa")
        self._of_cards.save(folder / "cards")
        self._naming.save(folder / "naming")

    @classmethod
    def load(cls, folder: Path) -> RulingStore:
        """What `save` wrote to ``folder``, mapped into memory; an empty store where an index has
        none.

        Raises `OSError`, `ValueError` or `RuntimeError` where it is damaged.
        """
        if not folder.exists():
            return cls()
        return cls(
            MappedRecords.load(folder / "ruling", ruling_from_record),
            (folder / "games.txt").read_text(encoding="utf-8").splitlines(),
            load_mapped(folder / "games.npy"),
            StringTrie.load(folder / "ids.marisa"),
            load_mapped(folder / "ids.npy"),
            StringTrie.load(folder / "cards.marisa"),
            RaggedArray.load(folder / "cards"),
            RaggedArray.load(folder / "naming"),
        )


def _key(game: str, name: str) -> str:
    return f"{game}\n{name}"

"""The rulings of an index, mapped into memory, to look up by id, game and card."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from corpus.rulings.model import Ruling, ruling_from_record, ruling_record
from glossary.string_trie import UNKNOWN, StringTrie
from index.analysis import plain
from index.files.arrays import RaggedArray, load_mapped
from index.files.records import IdTable, MappedRecords, SequenceView, write_records

RULINGS = "rulings"
_NO_ROWS = RaggedArray.from_owners([], [], 0)


class RulingStore:
    """Rulings, grouped by game, the newest first; iterated in that order.

    ``bounds`` has the range of ruling numbers of each game, ``ids`` the numbers by id. Row i of
    ``about`` has the numbers of the rulings about card i of ``cards``, row i of ``naming`` those of
    the rulings whose text names the card.
    """

    def __init__(
        self,
        rulings: Sequence[Ruling] = (),
        bounds: Mapping[str, range] = MappingProxyType({}),
        ids: IdTable | None = None,
        cards: StringTrie | None = None,
        about: RaggedArray = _NO_ROWS,
        naming: RaggedArray = _NO_ROWS,
    ):
        self._rulings, self._bounds = rulings, bounds
        self._ids = ids or IdTable.from_ids([])
        self._cards, self._about, self._naming = cards or StringTrie(), about, naming

    @property
    def games(self) -> tuple[str, ...]:
        """The games with rulings, sorted."""
        return tuple(self._bounds)

    def __len__(self) -> int:
        return len(self._rulings)

    def __iter__(self) -> Iterator[Ruling]:
        return iter(self._rulings)

    def __getitem__(self, id: str) -> Ruling:
        """Return the ruling with this ``id``. Raises `KeyError` if there is none."""
        if (found := self.get(id)) is None:
            raise KeyError(id)
        return found

    def get(self, id: str) -> Ruling | None:
        """Return the ruling with this ``id``, or None."""
        number = self._ids.number(id)
        return None if number == UNKNOWN else self._rulings[number]

    def of_game(self, game: str) -> Sequence[Ruling]:
        """Return the rulings on ``game``, the newest first, each created on demand."""
        return SequenceView(self._rulings, np.array(self.numbers(game), dtype=np.int64))

    def numbers(self, game: str) -> range:
        """Return the numbers of the rulings on ``game``."""
        return self._bounds.get(game, range(0))

    def about_cards(self, game: str) -> NDArray[np.bool_]:
        """Return whether each ruling on ``game`` is about cards, shape (number of rulings,)."""
        return np.isin(np.array(self.numbers(game), dtype=np.int64), self._about.values)

    def of_card(self, game: str, card: str) -> tuple[Ruling, ...]:
        """Return the rulings about a ``card`` of ``game``, the newest first; the card is given by
        its id or, if it is not loaded, by its name.
        """
        of_game = self.of_game(game)
        return tuple(of_game[place] for place in self.places_of_card(game, card))

    def places_of_card(self, game: str, card: str) -> list[int]:
        """Return the positions in `of_game` of the rulings about a ``card``, ascending."""
        return self._places(self._about, game, card)

    def places_naming(self, game: str, card: str) -> list[int]:
        """Return the positions in `of_game` of the rulings whose text names a ``card``."""
        return self._places(self._naming, game, card)

    def _places(self, rows: RaggedArray, game: str, card: str) -> list[int]:
        keys = (self._cards.number(_key(game, name)) for name in (card, plain(card)))
        found: list[int] = next((rows.row(key).tolist() for key in keys if key != UNKNOWN), [])
        return [number - self.numbers(game).start for number in found]

    @classmethod
    def build(
        cls,
        rulings: Mapping[str, Sequence[Ruling]],
        resolve: Callable[[str, str], str | None] = lambda game, card: None,
        named: Callable[[Ruling], Iterable[str]] = lambda ruling: (),
    ) -> RulingStore:
        """Store the ``rulings`` of each game.

        ``resolve`` returns the id of a game's card by name; None if the card is not loaded, then
        the ruling is stored under the name. ``named`` returns the ids of the cards that the text of
        a ruling names.
        """
        every: list[Ruling] = []
        bounds: dict[str, range] = {}
        for game in sorted(rulings):
            if rulings[game]:
                start = len(every)
                every += sorted(rulings[game], key=attrgetter("date"), reverse=True)
                bounds[game] = range(start, len(every))
        about: list[tuple[str, int]] = []
        naming: list[tuple[str, int]] = []
        for number, ruling in enumerate(every):
            own = (resolve(ruling.game, each) or plain(each) for each in ruling.cards)
            for pairs, ids in ((about, own), (naming, named(ruling))):
                pairs += [(_key(ruling.game, card), number) for card in dict.fromkeys(ids)]
        cards = StringTrie(card for card, _ in (*about, *naming))
        about_rows, naming_rows = (
            RaggedArray.from_owners(
                [cards.number(card) for card, _ in pairs], [n for _, n in pairs], len(cards)
            )
            for pairs in (about, naming)
        )
        ids_in_order = IdTable.from_ids([ruling.id for ruling in every])
        return cls(every, bounds, ids_in_order, cards, about_rows, naming_rows)

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        write_records(folder / "ruling", map(ruling_record, self._rulings))
        (folder / "games.txt").write_text("\n".join(self._bounds), encoding="utf-8")
        begin = [*(numbers.start for numbers in self._bounds.values()), len(self._rulings)]
        np.save(folder / "games.npy", np.array(begin, dtype=np.int64))
        self._ids.save(folder / "ids")
        self._cards.save(folder / "cards.marisa")
        self._about.save(folder / "cards")
        self._naming.save(folder / "naming")

    @classmethod
    def load(cls, folder: Path) -> RulingStore:
        """Map the files of `save` into memory; return an empty store without ``folder``.

        Raises `OSError`, `ValueError` or `RuntimeError` if they are damaged.
        """
        if not folder.exists():
            return cls()
        games = (folder / "games.txt").read_text(encoding="utf-8").splitlines()
        begin = load_mapped(folder / "games.npy").tolist()
        bounds = zip(games, map(range, begin[:-1], begin[1:]), strict=True)
        return cls(
            MappedRecords.load(folder / "ruling", ruling_from_record),
            dict(bounds),
            IdTable.load(folder / "ids"),
            StringTrie.load(folder / "cards.marisa"),
            RaggedArray.load(folder / "cards"),
            RaggedArray.load(folder / "naming"),
        )


def _key(game: str, name: str) -> str:
    return f"{game}\n{name}"

"""Look-ups by name in files mapped into memory, which processes share: a number by id, numbers by
name, values by id.
"""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from glossary.string_trie import UNKNOWN, StringTrie
from index.files.quantized import load_mapped
from index.files.ragged import RaggedArray

V = TypeVar("V")

_NONE = np.empty(0, dtype=np.int32)


class IdTable:
    """Numbers by id; ``numbers`` are in the order of the ids in the trie ``strings``."""

    def __init__(self, strings: StringTrie, numbers: NDArray[np.int32]):
        self._strings, self._numbers = strings, numbers

    @classmethod
    def from_ids(cls, ids: Sequence[str]) -> IdTable:
        """Number ``ids`` in their order; of equal ones the last counts."""
        strings = StringTrie(ids)
        numbers = np.empty(len(strings), dtype=np.int32)
        for number, id in enumerate(ids):
            numbers[strings.number(id)] = number
        return cls(strings, numbers)

    def number(self, string: str) -> int:
        """The number of the id ``string``, -1 where it is unknown."""
        place = self._strings.number(string)
        return UNKNOWN if place == UNKNOWN else int(self._numbers[place])

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[tuple[str, int]]:
        """The ids with their numbers, in the order of the numbers."""
        order = np.argsort(self._numbers)
        return zip(
            map(self._strings.string, order.tolist()), self._numbers[order].tolist(), strict=True
        )

    def save(self, path: Path) -> None:
        """Keep the ids at ``path``."""
        self._strings.save(path.with_suffix(".marisa"))
        np.save(path.with_suffix(".npy"), self._numbers)

    @classmethod
    def load(cls, path: Path) -> IdTable:
        """The ids kept at ``path``. Raises `OSError`, `ValueError` or `RuntimeError` where they are
        damaged.
        """
        return cls(
            StringTrie.load(path.with_suffix(".marisa")), load_mapped(path.with_suffix(".npy"))
        )


class NameIndex:
    """Numbers by name, ascending: those of the name with number i in ``names`` are row i."""

    def __init__(self, names: StringTrie, rows: RaggedArray):
        self._names, self._rows = names, rows

    @classmethod
    def from_groups(cls, groups: Mapping[str, Sequence[int]]) -> NameIndex:
        """The index of ``groups`` of numbers by name."""
        names = StringTrie(groups)
        owners = np.repeat(
            [names.number(name) for name in groups], [len(group) for group in groups.values()]
        )
        values = np.fromiter(
            (number for group in groups.values() for number in sorted(group)), dtype=np.int32
        )
        return cls(names, RaggedArray.from_owners(owners, values, len(names)))

    def numbers(self, name: str) -> NDArray[np.int32]:
        """The numbers under ``name``, none where it is unknown."""
        number = self._names.number(name)
        return _NONE if number == UNKNOWN else self._rows.row(number)

    def names(self, start: str) -> list[str]:
        """The names that begin with ``start``."""
        return self._names.beginning(start)

    def items(self) -> Iterator[tuple[str, NDArray[np.int32]]]:
        """Every name with its numbers, in an order of its own."""
        return (
            (self._names.string(number), self._rows.row(number))
            for number in range(len(self._names))
        )

    def save(self, path: Path) -> None:
        """Write everything to ``path``."""
        self._names.save(path.with_suffix(".marisa"))
        self._rows.save(path)

    @classmethod
    def load(cls, path: Path) -> NameIndex:
        """What `save` wrote to ``path``, mapped into memory. Raises `OSError`, `ValueError` or
        `RuntimeError` where it is damaged.
        """
        return cls(StringTrie.load(path.with_suffix(".marisa")), RaggedArray.load(path))


class RowMapping(Mapping[str, V]):
    """Values by id: what ``make`` makes of the row of an id, when it is asked for; ids with an
    empty row are not in it.
    """

    def __init__(self, ids: IdTable, rows: RaggedArray, make: Callable[[NDArray[np.int32]], V]):
        self._ids, self._rows, self._make = ids, rows, make

    def __getitem__(self, id: str) -> V:
        number = self._ids.number(id)
        row = _NONE if number == UNKNOWN else self._rows.row(number)
        if not len(row):
            raise KeyError(id)
        return self._make(row)

    def __contains__(self, id: object) -> bool:
        return (
            isinstance(id, str)
            and (number := self._ids.number(id)) != UNKNOWN
            and len(self._rows.row(number)) > 0
        )

    def __len__(self) -> int:
        return int(np.count_nonzero(np.diff(self._rows.first)))

    def __iter__(self) -> Iterator[str]:
        return (id for id, number in self._ids if len(self._rows.row(number)))

    def items(self) -> ItemsView[str, V]:
        """All pairs; quicker than looking up one id after the other."""
        return _RowItems(self)

    def pairs(self) -> Iterator[tuple[str, V]]:
        """The ids with their values, in the order of their numbers."""
        rows = ((id, self._rows.row(number)) for id, number in self._ids)
        return ((id, self._make(row)) for id, row in rows if len(row))


class _RowItems(ItemsView[str, V]):
    _mapping: RowMapping[V]

    def __iter__(self) -> Iterator[tuple[str, V]]:
        return self._mapping.pairs()


class IdMapping(Mapping[str, V]):
    """The items of a sequence by their ids."""

    def __init__(self, ids: IdTable, items: Sequence[V]):
        self._ids, self._items = ids, items

    def __getitem__(self, id: str) -> V:
        number = self._ids.number(id)
        if number == UNKNOWN:
            raise KeyError(id)
        return self._items[number]

    def __contains__(self, id: object) -> bool:
        return isinstance(id, str) and self._ids.number(id) != UNKNOWN

    def __len__(self) -> int:
        return len(self._ids)

    def __iter__(self) -> Iterator[str]:
        return (id for id, _ in self._ids)

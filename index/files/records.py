"""Records by number and by name, in files mapped into memory; objects are created on demand."""

from __future__ import annotations

import json
import mmap
from array import array
from collections.abc import Callable, ItemsView, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from glossary.string_trie import UNKNOWN, StringTrie
from index.files.arrays import RaggedArray, load_mapped

T = TypeVar("T")

CACHED = 4_096  # objects of a kind: more than an edition has, so that its pages make them once

_NONE = np.empty(0, dtype=np.int32)
_raw_decode = json.JSONDecoder().raw_decode
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class MappedRecords(Sequence[T]):
    """The objects that ``parse`` makes of the lines of a file; the last ``cached`` ones are cached.

    Line i is the bytes from ``begin[i]`` up to ``begin[i + 1]``. Threads may share an instance.
    """

    def __init__(
        self,
        lines: bytes | mmap.mmap,
        begin: NDArray[np.int64],
        parse: Callable[[Any], T],
        cached: int = CACHED,
    ):
        self._begin, self._cached = begin, cached
        # Functions that do not refer to this object, so that no cycle keeps the file of an index
        # that is no longer used.
        self._make = partial(_decode, lines, begin, parse)
        self._object = lru_cache(maxsize=cached)(self._make)

    def __len__(self) -> int:
        return len(self._begin) - 1

    @overload
    def __getitem__(self, number: int) -> T: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[T]: ...

    def __getitem__(self, number: int | slice) -> T | Sequence[T]:
        found = range(len(self))[number]
        return self._object(found) if isinstance(found, int) else tuple(map(self._object, found))

    def __iter__(self) -> Iterator[T]:
        """Iterate over all objects; the cache is left alone if they are too many for it."""
        make = self._object if len(self) <= self._cached else self._make
        return map(make, range(len(self)))

    @classmethod
    def load(cls, path: Path, parse: Callable[[Any], T], cached: int = CACHED) -> MappedRecords[T]:
        """Map the records at ``path``. Raises `OSError` or `ValueError` if they are damaged."""
        begin = load_mapped(path.with_suffix(".begin.npy"))
        with path.with_suffix(".jsonl").open("rb") as file:
            size = file.seek(0, 2)
            lines = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
        if not len(begin) or size != begin[-1]:
            raise ValueError(f"{path.name}: {size} bytes, which is not what was written")
        return cls(lines, begin, parse, cached)


def _decode(
    lines: bytes | mmap.mmap, begin: NDArray[np.int64], parse: Callable[[Any], T], number: int
) -> T:
    start, end = begin[number : number + 2].tolist()
    return parse(_raw_decode(lines[start:end].decode("utf-8", "surrogatepass"))[0])


def write_records(path: Path, records: Iterable[Sequence[Any]]) -> None:
    """Write ``records`` to ``path``, one after the other: lines of JSON, and where each begins."""
    begin = array("q", [0])
    with path.with_suffix(".jsonl").open("wb") as file:
        for record in records:
            line = f"{_encode(record)}\n".encode("utf-8", "surrogatepass")
            begin.append(begin[-1] + file.write(line))
    np.save(path.with_suffix(".begin.npy"), np.array(begin, dtype=np.int64))


class SequenceView(Sequence[T]):
    """Some items of a sequence: those with the given ``numbers``, in that order."""

    def __init__(self, items: Sequence[T], numbers: NDArray[np.integer]):
        self._items, self._numbers = items, numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, number: int) -> T: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[T]: ...

    def __getitem__(self, number: int | slice) -> T | Sequence[T]:
        if isinstance(number, slice):
            return SequenceView(self._items, self._numbers[number])
        return self._items[int(self._numbers[number])]

    def __iter__(self) -> Iterator[T]:
        return map(self._items.__getitem__, self._numbers.tolist())


class IdTable:
    """Numbers by id; ``numbers`` are in the order of the ids in the trie ``strings``."""

    def __init__(self, strings: StringTrie, numbers: NDArray[np.int32]):
        self._strings, self._numbers = strings, numbers

    @classmethod
    def from_ids(cls, ids: Sequence[str]) -> IdTable:
        """Give ``ids`` numbers in their order; if an id is repeated, its last number counts."""
        strings = StringTrie(ids)
        numbers = np.empty(len(strings), dtype=np.int32)
        for number, id in enumerate(ids):
            numbers[strings.number(id)] = number
        return cls(strings, numbers)

    def number(self, string: str) -> int:
        """Return the number of the id ``string``, or -1 if it is unknown."""
        place = self._strings.number(string)
        return UNKNOWN if place == UNKNOWN else int(self._numbers[place])

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[tuple[str, int]]:
        """Go through the ids with their numbers, in the order of the numbers."""
        order = np.argsort(self._numbers)
        ids = map(self._strings.string, order.tolist())
        return zip(ids, self._numbers[order].tolist(), strict=True)

    def save(self, path: Path) -> None:
        """Write the ids to ``path``."""
        self._strings.save(path.with_suffix(".marisa"))
        np.save(path.with_suffix(".npy"), self._numbers)

    @classmethod
    def load(cls, path: Path) -> IdTable:
        """Map the ids at ``path``.

        Raises `OSError`, `ValueError` or `RuntimeError` if they are damaged.
        """
        strings = StringTrie.load(path.with_suffix(".marisa"))
        return cls(strings, load_mapped(path.with_suffix(".npy")))


class NameIndex:
    """Numbers by name, ascending: row i has the numbers of name i in ``names``."""

    def __init__(self, names: StringTrie, rows: RaggedArray):
        self._names, self._rows = names, rows

    @classmethod
    def from_groups(cls, groups: Mapping[str, Iterable[int]]) -> NameIndex:
        """Make an index of ``groups`` of numbers by name."""
        names = StringTrie(groups)
        owners, values = array("q"), array("q")
        for name, group in groups.items():
            values.extend(sorted(group))
            owners.extend([names.number(name)] * (len(values) - len(owners)))
        return cls(names, RaggedArray.from_owners(np.array(owners), np.array(values), len(names)))

    def numbers(self, name: str) -> NDArray[np.int32]:
        """Return the numbers under ``name``; none if it is unknown."""
        number = self._names.number(name)
        return _NONE if number == UNKNOWN else self._rows.row(number)

    def names(self, start: str) -> list[str]:
        """Return the names that begin with ``start``."""
        return self._names.beginning(start)

    def items(self) -> Iterator[tuple[str, NDArray[np.int32]]]:
        """Iterate over the names with their numbers, in the order of the table."""
        numbers = range(len(self._names))
        return ((self._names.string(number), self._rows.row(number)) for number in numbers)

    def save(self, path: Path) -> None:
        """Write everything to ``path``."""
        self._names.save(path.with_suffix(".marisa"))
        self._rows.save(path)

    @classmethod
    def load(cls, path: Path) -> NameIndex:
        """Map what `save` wrote to ``path``.

        Raises `OSError`, `ValueError` or `RuntimeError` if it is damaged.
        """
        return cls(StringTrie.load(path.with_suffix(".marisa")), RaggedArray.load(path))


class RowMapping(Mapping[str, T]):
    """Values by id: the result of ``make`` for the id's row; ids with an empty row are left out."""

    def __init__(self, ids: IdTable, rows: RaggedArray, make: Callable[[NDArray[np.int32]], T]):
        self._ids, self._rows, self._make = ids, rows, make

    def __getitem__(self, id: str) -> T:
        number = self._ids.number(id)
        if number == UNKNOWN or not len(row := self._rows.row(number)):
            raise KeyError(id)
        return self._make(row)

    def __len__(self) -> int:
        return int(np.count_nonzero(np.diff(self._rows.first)))

    def __iter__(self) -> Iterator[str]:
        return (id for id, number in self._ids if len(self._rows.row(number)))

    def items(self) -> ItemsView[str, T]:
        """Return all pairs; quicker than looking up one id after the other."""
        return _RowItems(self)


class _RowItems(ItemsView[str, T]):
    _mapping: RowMapping[T]

    def __iter__(self) -> Iterator[tuple[str, T]]:
        rows = self._mapping._rows
        pairs = ((id, rows.row(number)) for id, number in self._mapping._ids)
        return ((id, self._mapping._make(row)) for id, row in pairs if len(row))


class IdMapping(Mapping[str, T]):
    """The items of a sequence by their ids."""

    def __init__(self, ids: IdTable, items: Sequence[T]):
        self._ids, self._items = ids, items

    def __getitem__(self, id: str) -> T:
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

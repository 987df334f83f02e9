"""Records by number in a file mapped into memory, which processes share: lines of JSON, made into
objects when asked for.
"""

from __future__ import annotations

import json
import mmap
from abc import abstractmethod
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from index.files.quantized import load_mapped

T = TypeVar("T")

CACHED = 4_096  # objects of a kind that are cached, more than an edition has: pages that list one make them only once

_raw_decode = json.JSONDecoder().raw_decode
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class _LazySequence(Sequence[T]):
    """What sequences whose items are made when asked for have in common: they define `_item` and
    `_slice`.
    """

    @overload
    def __getitem__(self, number: int) -> T: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[T]: ...

    def __getitem__(self, number: int | slice) -> T | Sequence[T]:
        if isinstance(number, slice):
            return self._slice(number)
        position = number + len(self) if number < 0 else number
        if not 0 <= position < len(self):
            raise IndexError(number)
        return self._item(position)

    @abstractmethod
    def _item(self, position: int) -> T:
        """The item at ``position``, from 0."""

    @abstractmethod
    def _slice(self, part: slice) -> Sequence[T]:
        """The items of a slice."""


class MappedRecords(_LazySequence[T]):
    """The objects that ``parse`` makes of the lines of a file, each when it is asked for; the last
    ``cached`` ones are cached.

    Line i is the bytes from ``begin[i]`` up to ``begin[i + 1]``. Threads may share it.
    """

    def __init__(
        self,
        lines: bytes | mmap.mmap,
        begin: NDArray[np.int64],
        parse: Callable[[Any], T],
        cached: int = CACHED,
    ):
        self._lines, self._begin, self._parse, self._cached = lines, begin, parse, cached
        # A function that does not refer to this object, so that no cycle keeps the file of an index
        # that is no longer used.
        self._object = lru_cache(maxsize=cached)(partial(_decode, lines, begin, parse))

    def __len__(self) -> int:
        return len(self._begin) - 1

    def _item(self, position: int) -> T:
        return self._object(position)

    def _slice(self, part: slice) -> Sequence[T]:
        return tuple(map(self._object, range(*part.indices(len(self)))))

    def __iter__(self) -> Iterator[T]:
        """All objects, in order; the cache is left as it is where they are too many for it."""
        if len(self) <= self._cached:
            yield from map(self._object, range(len(self)))
        else:
            yield from (
                _decode(self._lines, self._begin, self._parse, number)
                for number in range(len(self))
            )

    @classmethod
    def load(cls, path: Path, parse: Callable[[Any], T], cached: int = CACHED) -> MappedRecords[T]:
        """The records written to ``path``. Raises `OSError` or `ValueError` where they are
        damaged.
        """
        begin = load_mapped(path.with_suffix(".begin.npy"))
        with path.with_suffix(".jsonl").open("rb") as file:
            size = file.seek(0, 2)
            lines = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
        if not len(begin) or size != begin[-1]:
            raise ValueError(
                f"{path.name}: {size} bytes instead of {begin[-1] if len(begin) else 'any number'}"
            )
        return cls(lines, begin, parse, cached)


def _decode(
    lines: bytes | mmap.mmap, begin: NDArray[np.int64], parse: Callable[[Any], T], number: int
) -> T:
    """The object that ``parse`` makes of line ``number``."""
    start, end = begin[number : number + 2].tolist()
    return parse(_raw_decode(lines[start:end].decode("utf-8", "surrogatepass"))[0])


def write_records(path: Path, records: Iterable[Sequence[Any]]) -> None:
    """Write ``records``, taken one after the other, to ``path``: lines with the suffix jsonl, and
    where each begins beside them.
    """
    begin = array("q", [0])
    with path.with_suffix(".jsonl").open("wb") as file:
        for record in records:
            begin.append(
                begin[-1] + file.write(f"{_encode(record)}\n".encode("utf-8", "surrogatepass"))
            )
    np.save(path.with_suffix(".begin.npy"), np.array(begin, dtype=np.int64))


class SequenceView(_LazySequence[T]):
    """Some items of a sequence: those with the given ``numbers``, in that order."""

    def __init__(self, items: Sequence[T], numbers: NDArray[np.integer]):
        self._items, self._numbers = items, numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def _item(self, position: int) -> T:
        return self._items[int(self._numbers[position])]

    def _slice(self, part: slice) -> Sequence[T]:
        return SequenceView(self._items, self._numbers[part])

    def __iter__(self) -> Iterator[T]:
        return map(self._items.__getitem__, self._numbers.tolist())

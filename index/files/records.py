"""Records by number in a file that processes share by mapping it into memory: lines of JSON, made into objects when asked for."""

from __future__ import annotations

import json
import mmap
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

_decoded = json.JSONDecoder().raw_decode
_encoded = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class MappedRecords(Sequence[T]):
    """The objects that ``made`` makes of the lines of a file, each when it is asked for; the last ones are cached.

    Line i is the bytes from ``begin[i]`` up to ``begin[i + 1]``. Threads may share it.
    """

    def __init__(self, lines: bytes | mmap.mmap, begin: NDArray[np.int64], made: Callable[[Any], T]):
        self._lines, self._begin, self._made = lines, begin, made
        # A function that does not refer to this object, so that no cycle keeps the file of an index that is no longer used.
        self._object = lru_cache(maxsize=CACHED)(partial(_decode, lines, begin, made))

    def __len__(self) -> int:
        return len(self._begin) - 1

    @overload
    def __getitem__(self, number: int) -> T: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[T]: ...

    def __getitem__(self, number: int | slice) -> T | Sequence[T]:
        if isinstance(number, slice):
            return tuple(map(self.__getitem__, range(*number.indices(len(self)))))
        place = number + len(self) if number < 0 else number
        if not 0 <= place < len(self):
            raise IndexError(number)
        return self._object(place)

    def __iter__(self) -> Iterator[T]:
        """All of them; where they are too many to be cached, the cache is left as it is."""
        if len(self) <= CACHED:
            yield from map(self._object, range(len(self)))
        else:
            yield from (_decode(self._lines, self._begin, self._made, number) for number in range(len(self)))

    @classmethod
    def load(cls, path: Path, made: Callable[[Any], T]) -> MappedRecords[T]:
        """The records kept at ``path``. Raises `OSError` or `ValueError` where they are damaged."""
        begin = load_mapped(path.with_suffix(".begin.npy"))
        with path.with_suffix(".jsonl").open("rb") as file:
            size = file.seek(0, 2)
            lines = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
        if not len(begin) or size != begin[-1]:
            raise ValueError(f"{path.name}: {size} bytes instead of {begin[-1] if len(begin) else 'any number'}")
        return cls(lines, begin, made)


def _decode(lines: bytes | mmap.mmap, begin: NDArray[np.int64], made: Callable[[Any], T], number: int) -> T:
    """The object that ``made`` makes of line ``number``."""
    start, end = begin[number : number + 2].tolist()
    return made(_decoded(lines[start:end].decode("utf-8", "surrogatepass"))[0])


def write_records(path: Path, records: Iterable[Sequence[Any]]) -> None:
    """Keep ``records``, taken one after the other, at ``path``: lines in the suffix jsonl, where they begin beside them."""
    begin = array("q", [0])
    with path.with_suffix(".jsonl").open("wb") as file:
        for record in records:
            begin.append(begin[-1] + file.write(f"{_encoded(record)}\n".encode("utf-8", "surrogatepass")))
    np.save(path.with_suffix(".begin.npy"), np.array(begin, dtype=np.int64))


class SequenceView(Sequence[T]):
    """Some of ``things``: those with the given ``numbers``, in that order."""

    def __init__(self, things: Sequence[T], numbers: NDArray[np.integer]):
        self._things, self._numbers = things, numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, number: int) -> T: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[T]: ...

    def __getitem__(self, number: int | slice) -> T | Sequence[T]:
        if isinstance(number, slice):
            return SequenceView(self._things, self._numbers[number])
        return self._things[int(self._numbers[number])]

    def __iter__(self) -> Iterator[T]:
        return map(self._things.__getitem__, self._numbers.tolist())

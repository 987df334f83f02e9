"""Records by number in a file that processes share by mapping it into memory: lines of JSON, made into objects when asked for."""

from __future__ import annotations

import json
import mmap
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from glossary.memo import remember
from index.files.quantized import mapped

T = TypeVar("T")

LATELY = 4_096  # objects of a kind that are remembered, more than an edition has: pages that list one make them only once

_decoded = json.JSONDecoder().raw_decode
_encoded = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class Records(Sequence[T]):
    """The objects that ``made`` makes of the lines of a file, each when it is asked for; the latest are remembered.

    Line i is the bytes from ``begin[i]`` up to ``begin[i + 1]``. Threads may share it.
    """

    def __init__(self, lines: bytes | mmap.mmap, begin: NDArray[np.int64], made: Callable[[Any], T]):
        self._lines, self._begin, self._made = lines, begin, made
        self._lately: dict[int, T] = {}

    def __len__(self) -> int:
        return len(self._begin) - 1

    @overload
    def __getitem__(self, number: int) -> T: ...

    @overload
    def __getitem__(self, number: slice) -> Sequence[T]: ...

    def __getitem__(self, number: int | slice) -> T | Sequence[T]:
        if isinstance(number, slice):
            return tuple(map(self.__getitem__, range(*number.indices(len(self)))))
        found = self._lately.get(number)
        if found is not None:
            return found
        place = number + len(self) if number < 0 else number
        if not 0 <= place < len(self):
            raise IndexError(number)
        return remember(self._lately, number, self._object(*self._begin[place : place + 2].tolist()), LATELY)

    def __iter__(self) -> Iterator[T]:
        """All of them; where they are too many to be remembered, what was asked for lately is not forgotten for it."""
        if len(self) <= LATELY:
            for number in range(len(self)):
                yield self._lately.get(number) or self[number]
            return
        for number, (start, end) in enumerate(zip(self._begin[:-1].tolist(), self._begin[1:].tolist(), strict=True)):
            yield self._lately.get(number) or self._object(start, end)

    def _object(self, start: int, end: int) -> T:
        return self._made(_decoded(self._lines[start:end].decode("utf-8", "surrogatepass"))[0])

    @classmethod
    def load(cls, path: Path, made: Callable[[Any], T]) -> Records[T]:
        """The records kept at ``path``. Raises `OSError` or `ValueError` where they are damaged."""
        begin = mapped(path.with_suffix(".begin.npy"))
        with path.with_suffix(".jsonl").open("rb") as file:
            size = file.seek(0, 2)
            lines = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
        if not len(begin) or size != begin[-1]:
            raise ValueError(f"{path.name}: {size} bytes instead of {begin[-1] if len(begin) else 'any number'}")
        return cls(lines, begin, made)


def keep(path: Path, records: Iterable[Sequence[Any]]) -> None:
    """Keep ``records``, taken one after the other, at ``path``: lines in the suffix jsonl, where they begin beside them."""
    begin = array("q", [0])
    with path.with_suffix(".jsonl").open("wb") as file:
        for record in records:
            begin.append(begin[-1] + file.write(f"{_encoded(record)}\n".encode("utf-8", "surrogatepass")))
    np.save(path.with_suffix(".begin.npy"), np.array(begin, dtype=np.int64))


class Selected(Sequence[T]):
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
            return Selected(self._things, self._numbers[number])
        return self._things[int(self._numbers[number])]

    def __iter__(self) -> Iterator[T]:
        return map(self._things.__getitem__, self._numbers.tolist())

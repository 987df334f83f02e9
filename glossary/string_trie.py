"""Sets and maps of strings in files mapped into shared memory (marisa-trie, Yata 2011)."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Mapping
from functools import lru_cache, partial
from pathlib import Path

import marisa_trie
import numpy as np
from numpy.typing import NDArray

UNKNOWN = -1

_CACHED = 500  # strings whose numbers are cached


class StringTrie:
    """A set of strings, numbered from 0."""

    def __init__(self, strings: Iterable[str] = ()):
        self._trie = marisa_trie.Trie(strings)
        # A function that does not refer to this object, so that no cycle keeps the file of an index
        # that is no longer used.
        self._number = lru_cache(maxsize=_CACHED)(partial(_number, self._trie))

    def __len__(self) -> int:
        return len(self._trie)

    def number(self, string: str) -> int:
        """Return the number of ``string``, or -1 if the set does not have it."""
        return self._number(string)

    def string(self, number: int) -> str:
        """Return the string with that ``number``. Raises `KeyError` if there is none."""
        return self._trie.restore_key(number)  # type: ignore[no-any-return]

    def beginning(self, start: str) -> list[str]:
        """Return the strings that begin with ``start``."""
        return list(self._trie.keys(start))

    def save(self, path: Path) -> None:
        """Write the set into the file ``path``."""
        self._trie.save(str(path))

    @classmethod
    def load(cls, path: Path) -> StringTrie:
        """Load the set in the file ``path``. Raises `OSError` or `RuntimeError` if the file is
        missing or damaged.
        """
        if not path.is_file():  # marisa-trie's own error names no file
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), str(path))
        found = cls()
        found._trie.mmap(str(path))
        return found


def _number(trie: marisa_trie.Trie, string: str) -> int:
    try:
        return trie.get(string, UNKNOWN)  # type: ignore[no-any-return]
    except UnicodeEncodeError:  # half a character, which JSON can hold
        return UNKNOWN


class StringMap:
    """A map from strings to texts; that of string i is ``texts[begin[i]:begin[i + 1]]``."""

    def __init__(self, strings: StringTrie, begin: NDArray[np.int32], texts: NDArray[np.uint8]):
        self._strings, self._begin, self._texts = strings, begin, texts

    @classmethod
    def from_mapping(cls, texts: Mapping[str, str]) -> StringMap:
        """Make a map of ``texts``."""
        strings = StringTrie(texts)
        each = [texts[strings.string(number)].encode() for number in range(len(strings))]
        return cls(
            strings,
            np.cumsum([0, *map(len, each)], dtype=np.int32),
            np.frombuffer(b"".join(each), dtype=np.uint8),
        )

    def get(self, string: str) -> str | None:
        """Return the text of ``string``, or None if the map does not have it."""
        number = self._strings.number(string)
        if number == UNKNOWN:
            return None
        start, end = self._begin.item(number), self._begin.item(number + 1)
        return self._texts[start:end].tobytes().decode()

    def save(self, folder: Path) -> None:
        """Write the map into ``folder``."""
        folder.mkdir(parents=True)
        self._strings.save(folder / "strings.marisa")
        np.save(folder / "begin.npy", self._begin)
        np.save(folder / "texts.npy", self._texts)

    @classmethod
    def load(cls, folder: Path) -> StringMap:
        """Load the map in ``folder`` into memory, so that the folder may be deleted.

        Raises `OSError`, `ValueError` or `RuntimeError` if the files are damaged.
        """
        strings = StringTrie()
        strings._trie.load(str(folder / "strings.marisa"))
        return cls(strings, np.load(folder / "begin.npy"), np.load(folder / "texts.npy"))

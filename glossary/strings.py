"""Strings by number, kept in a file that processes share by mapping it into memory: a trie (Yata 2011) as marisa-trie has it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import marisa_trie

UNKNOWN = -1


class Strings:
    """A set of strings, each with a number from 0 that the set itself gives."""

    def __init__(self, strings: Iterable[str] = ()):
        self._trie = marisa_trie.Trie(strings)

    def __len__(self) -> int:
        return len(self._trie)

    def number(self, string: str) -> int:
        """The number of ``string``, -1 where it is not in the set."""
        try:
            return self._trie.get(string, UNKNOWN)  # type: ignore[no-any-return]
        except UnicodeEncodeError:  # half a character, which JSON can hold
            return UNKNOWN

    def string(self, number: int) -> str:
        """The string with that number. Raises `KeyError` where there is none."""
        return self._trie.restore_key(number)  # type: ignore[no-any-return]

    def save(self, path: Path) -> None:
        """Keep the set in the file ``path``."""
        self._trie.save(str(path))

    @classmethod
    def load(cls, path: Path) -> Strings:
        """The set kept in the file ``path``. Raises `OSError` or `RuntimeError` where it is damaged."""
        found = cls()
        found._trie.mmap(str(path))
        return found

"""Numbers for the words of one fragment, in the order in which they come."""

from __future__ import annotations

from collections.abc import Iterable


class WordNumbers:
    """A number for every different word that was asked for, from 0; words have no blanks."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def of(self, words: Iterable[str]) -> list[int]:
        """The numbers of ``words``; a new word gets the next one."""
        numbers = self._numbers
        return [numbers.setdefault(word, len(numbers)) for word in words]

    def text(self) -> str:
        """All words by number, blanks between them."""
        return " ".join(self._numbers)

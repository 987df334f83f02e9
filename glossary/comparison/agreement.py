"""How often the counterpart of a text that has something has it too, which tells idiom from difference."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable


class Agreement:
    """Counts texts by what they have.

    ``agreeing`` of ``texts`` are taken to agree before any is read: a few texts tell nothing of idiom.
    """

    def __init__(self, agreeing: float, texts: float):
        self._prior = agreeing, texts
        self._texts: Counter[Hashable] = Counter()
        self._agreeing: Counter[Hashable] = Counter()

    def add(self, thing: Hashable, agrees: bool) -> None:
        """Count a text with ``thing``, whose counterpart ``agrees`` or has nothing like it."""
        self._texts[thing] += 1
        self._agreeing[thing] += agrees

    def texts(self, thing: Hashable) -> int:
        """How many texts were read that have ``thing``."""
        return self._texts[thing]

    def agreeing(self, thing: Hashable) -> int:
        """How many of these have a counterpart that agrees."""
        return self._agreeing[thing]

    def share(self, thing: Hashable) -> float:
        """The share of texts with ``thing`` whose counterpart agrees, from 0 to 1."""
        return (self._agreeing[thing] + self._prior[0]) / (self._texts[thing] + self._prior[1])

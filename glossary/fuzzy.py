"""Misspelt words: the nearest known one, if it is near enough."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from rapidfuzz import process
from rapidfuzz.distance import OSA

from glossary import normalization

SHORTEST = 5  # letters of a word that may be misspelt
TWO_SLIPS = 9  # letters of a word that may be misspelt twice
LONGEST = 60


class SpellingCorrector:
    """Finds the known word that a misspelt one is meant for."""

    def __init__(self, known: Iterable[str]):
        self._known = {normalization.fold_umlauts(word): word for word in known}
        self._by_start: dict[tuple[str, int], list[str]] = defaultdict(list)
        for word in sorted(self._known):
            if len(word) >= SHORTEST:
                for length in range(len(word) - 2, len(word) + 3):
                    self._by_start[word[0], length].append(word)

    def nearest(self, word: str) -> str | None:
        """The known word nearest to ``word``: one slip apart, two in a long word; None where there
        is none.

        The first letter is right or swapped with the second: a word with another first letter is
        another word.
        """
        written = normalization.fold_umlauts(word)
        if not SHORTEST <= len(written) <= LONGEST:
            return None
        slips = 2 if len(written) >= TWO_SLIPS else 1
        for first in dict.fromkeys(written[:2]):
            like = self._by_start.get((first, len(written)))
            near = (
                process.extractOne(written, like, scorer=OSA.distance, score_cutoff=slips)
                if like
                else None
            )
            if near is not None:
                return self._known[near[0]]
        return None

"""Names found by what was typed of them with slips: letters left out, doubled, swapped or wrong, umlauts as one likes."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from rapidfuzz import process
from rapidfuzz.distance import OSA

_SHORTEST = 5  # letters typed: of fewer, one slip leaves too little
_TWO_SLIPS = 8  # letters typed from which on two slips are forgiven
_LONGEST = 60


class MisspeltNames:
    """Finds names by the misspelt beginning of one of their words. ``names`` are in small letters, without umlauts and accents."""

    def __init__(self, names: Iterable[str]):
        self._starts: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for number, name in enumerate(names):
            words = name.split()
            for place in range(len(words)):
                rest = " ".join(words[place:])
                self._starts[rest[0]].append((rest, number))

    def find(self, typed: str) -> list[int]:
        """Return the numbers of the names that ``typed`` may be the beginning of, or of one of their words; the nearest first.

        One slip (optimal string alignment distance) is forgiven in five letters and more, two in eight and more. The first letter is
        right or swapped with the second: a word with another first letter is another word.
        """
        if not _SHORTEST <= len(typed) <= _LONGEST:
            return []
        slips = 2 if len(typed) >= _TWO_SLIPS else 1
        found: dict[int, tuple[int, int]] = {}
        for first in dict.fromkeys(typed[:2]):
            self._near(typed, self._starts.get(first, ()), slips, found)
        return sorted(found, key=lambda number: (*found[number], number))

    @staticmethod
    def _near(typed: str, starts: Sequence[tuple[str, int]], slips: int, found: dict[int, tuple[int, int]]) -> None:
        """Note in ``found`` how far each name is from ``typed``: in slips, then in letters that it is longer.

        What was typed with a slip has as many letters as it is meant to have, or one or two more or less.
        """
        for length in range(len(typed) - slips, len(typed) + slips + 1):
            cut = [rest[:length] for rest, _ in starts]
            for _, distance, place in process.extract(typed, cut, scorer=OSA.distance, score_cutoff=slips, limit=None):
                rest, number = starts[place]
                key = (int(distance), len(rest))
                found[number] = min(key, found.get(number, key))

"""The terms of the games that rulings speak of, and how telling each is among the rulings on its
game.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from glossary.string_trie import UNKNOWN, StringTrie
from index.files.ragged import RaggedArray


class RulingTerms:
    """Row i of ``rulings`` has the numbers of the rulings that speak of concept i of
    ``concepts``.
    """

    def __init__(self, concepts: StringTrie, rulings: RaggedArray):
        self._concepts, self._rulings = concepts, rulings

    @classmethod
    def build(cls, spoken: Iterable[tuple[int, str, Iterable[str]]]) -> RulingTerms:
        """The terms ``spoken`` of: of each ruling its number, its game, and the ids of the
        concepts.
        """
        pairs = [
            (_key(game, concept), number)
            for number, game, ids in spoken
            for concept in sorted(set(ids))
        ]
        concepts = StringTrie(concept for concept, _ in pairs)
        owners = [concepts.number(concept) for concept, _ in pairs]
        return cls(
            concepts,
            RaggedArray.from_owners(owners, [number for _, number in pairs], len(concepts)),
        )

    def untouched(
        self, game: str, asked: Mapping[str, float], first: int, count: int
    ) -> NDArray[np.float64]:
        """What weight of the concepts ``asked`` about, each with its certainty, each of ``count``
        rulings on ``game`` does not speak of.

        ``first`` is the number of the first of them. A concept weighs the more the fewer of them
        speak of it.
        """
        found = np.zeros(count)
        for concept, certainty in asked.items():
            key = self._concepts.number(_key(game, concept))
            speaking: Sequence[int] = (
                [] if key == UNKNOWN else (self._rulings.row(key) - first).tolist()
            )
            weight = certainty * np.log((count + 1) / (len(speaking) + 1))
            found += weight
            found[speaking] -= weight
        return found

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        self._concepts.save(folder / "concepts.marisa")
        self._rulings.save(folder / "rulings")

    @classmethod
    def load(cls, folder: Path) -> RulingTerms:
        """What `save` wrote to ``folder``, mapped into memory. Raises `OSError`, `ValueError` or
        `RuntimeError` where it is damaged.
        """
        return cls(
            StringTrie.load(folder / "concepts.marisa"), RaggedArray.load(folder / "rulings")
        )


def _key(game: str, concept: str) -> str:
    return f"{game}\n{concept}"

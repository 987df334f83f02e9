"""What rulings are found by: names of their cards, terms that they speak of, and what they mean."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from index.encoding.encoder import Encoder
from index.layers.ruling_names import RulingNames
from index.layers.ruling_terms import RulingTerms
from index.layers.ruling_vectors import RulingVectors

RULING_TEXTS = "ruling-texts"


class RulingText(NamedTuple):
    """What a ruling on ``game`` is found by.

    ``names`` are those of its cards, each the weight of each of its words; ``concepts`` are those
    it speaks of; ``asked`` is what was asked and ``whole`` that with the answer, both without the
    names of cards.
    """

    game: str
    names: Sequence[dict[str, float]]
    concepts: Iterable[str]
    asked: str
    whole: str


class RulingTexts:
    """What all rulings of an index are found by, by their numbers in it."""

    def __init__(self, names: RulingNames, terms: RulingTerms, vectors: RulingVectors):
        self.names, self.terms, self.vectors = names, terms, vectors

    @classmethod
    def build(cls, texts: Sequence[RulingText], encoder: Encoder) -> RulingTexts:
        """Index ``texts``, those of all rulings in their order."""
        return cls(
            RulingNames.build(
                (number, text.game, name)
                for number, text in enumerate(texts)
                for name in text.names
            ),
            RulingTerms.build(
                (number, text.game, text.concepts) for number, text in enumerate(texts)
            ),
            RulingVectors.build(
                [text.asked for text in texts], [text.whole for text in texts], encoder
            ),
        )

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        self.names.save(folder / "names")
        self.terms.save(folder / "terms")
        self.vectors.save(folder / "vectors")

    @classmethod
    def load(cls, folder: Path) -> RulingTexts:
        """What `save` wrote to ``folder``, mapped into memory. Raises `OSError`, `ValueError` or
        `RuntimeError` where it is damaged.
        """
        return cls(
            RulingNames.load(folder / "names"),
            RulingTerms.load(folder / "terms"),
            RulingVectors.load(folder / "vectors"),
        )

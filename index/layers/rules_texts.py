"""What is searched of cards: their rules texts, as index terms of each language."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from index.analysis import Analyzer
from index.files.quantized import load_mapped
from index.store.bm25 import Bm25, count_terms

TermsIn = Callable[[str], Sequence[str]]
"""The index terms of a question by the language of the texts to be found."""

RULES_TEXTS = "rules-texts"

_FOREIGN = 0.3  # what an unknown word weighs where the question is in another language than the text: few are the same in both


class RulesText(NamedTuple):
    """The rules text of a card in a language. ``card`` is the number of the card among those of its
    game.
    """

    game: str
    language: str
    card: int
    text: str


class _Block(NamedTuple):
    """Texts of one game and language: those from number ``start`` up to ``end``."""

    game: str
    language: str
    start: int
    end: int


class RulesTexts:
    """The rules texts of cards in blocks, with BM25 over all of them. ``owners``, shape (n,), has
    the card of each text.
    """

    def __init__(self, blocks: Sequence[_Block], owners: NDArray[np.int32], bm25: Bm25):
        self._blocks, self._owners, self._bm25 = tuple(blocks), owners, bm25

    @classmethod
    def build(cls, texts: Iterable[RulesText], analyzer: Analyzer) -> RulesTexts:
        """Index ``texts``."""
        every = sorted(texts, key=lambda text: text[:3])
        blocks: list[_Block] = []
        for number, text in enumerate(every):
            if not blocks or (text.game, text.language) != blocks[-1][:2]:
                blocks.append(_Block(text.game, text.language, number, number + 1))
            blocks[-1] = blocks[-1]._replace(end=number + 1)
        terms = count_terms(analyzer.terms(text.text, text.language) for text in every)
        # No rows of frequent terms: what they cost in memory, these few texts do not earn.
        bm25 = Bm25.build(terms, (*(block.start for block in blocks), len(every)), frequent=0)
        return cls(blocks, np.array([text.card for text in every], dtype=np.int32), bm25)

    def shares(
        self, game: str, language: str, terms_in: TermsIn, count: int
    ) -> NDArray[np.float64]:
        """The share of the words of a question in ``language`` that each of the ``count`` cards of
        ``game`` has, from 0 to 1.
        """
        found = np.zeros(count)
        for number, block in enumerate(self._blocks):
            if block.game == game:
                owners = self._owners[block.start : block.end]
                np.maximum.at(
                    found,
                    owners,
                    self._shares(
                        number,
                        terms_in(block.language),
                        1.0 if block.language == language else _FOREIGN,
                    ),
                )
        return found

    def _shares(self, block: int, terms: Sequence[str], unknown: float) -> NDArray[np.float64]:
        """How much of the weight of ``terms`` each text of a block has, from 0 to 1; what no text
        has weighs ``unknown`` of the average.
        """
        weights = self._bm25.greatest(terms)
        known = [weight for weight in weights if weight]
        whole = (
            sum(known) * (1 + unknown * (len(weights) - len(known)) / len(known)) if known else 1.0
        )
        return self._bm25.scores(terms, [(block, block + 1)]).astype(np.float64) / whole

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        (folder / "blocks.json").write_text(json.dumps(self._blocks), encoding="utf-8")
        np.save(folder / "owners.npy", self._owners)
        self._bm25.save(folder / "words")

    @classmethod
    def load(cls, folder: Path) -> RulesTexts:
        """What `save` wrote to ``folder``, mapped into memory. Raises `OSError`, `ValueError` or
        `RuntimeError` where it is damaged.
        """
        blocks = [
            _Block(*kept)
            for kept in json.loads((folder / "blocks.json").read_text(encoding="utf-8"))
        ]
        return cls(blocks, load_mapped(folder / "owners.npy"), Bm25.load(folder / "words"))

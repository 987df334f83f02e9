"""What is searched of rulings and cards: their words, as index terms of each language, and the vectors of rulings."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from index.analysis import Analyzer
from index.encoding.encoder import Encoder
from index.files.quantized import QuantizedVectors, load_mapped
from index.layers.model import Layer
from index.store.bm25 import Bm25, count_terms

TermsIn = Callable[[str], Sequence[str]]
"""The index terms of a question by the language of the texts to be found."""

LAYER_TEXTS = "layers"

_FOREIGN = 0.3  # what an unknown word weighs where the question is in another language than the text: few are the same in both


class LayerText(NamedTuple):
    """A text to be found. ``owner`` is the number of the ruling or card that it is of, among those of its game."""

    layer: Layer
    game: str
    language: str
    owner: int
    text: str


class _Block(NamedTuple):
    """Texts of one layer, game and language: those from number ``start`` up to ``end``."""

    layer: Layer
    game: str
    language: str
    start: int
    end: int


class FoundTexts(NamedTuple):
    """Texts of a layer, by number: their ``owners``; ``words``, the share of the question's words that they have; their ``cosines``."""

    owners: NDArray[np.int32]
    words: NDArray[np.float64]
    cosines: NDArray[np.float32]


class LayerTexts:
    """The texts of rulings and cards in blocks, with BM25 over all of them and a vector for each text of a ruling.

    ``owners``, shape (n,), has the owner of each text; ``vectors`` those of the first texts, which are of rulings.
    """

    def __init__(self, blocks: Sequence[_Block], owners: NDArray[np.int32], bm25: Bm25, vectors: QuantizedVectors):
        self._blocks, self._owners, self._bm25, self._vectors = tuple(blocks), owners, bm25, vectors

    @classmethod
    def build(cls, texts: Iterable[LayerText], analyzer: Analyzer, encoder: Encoder) -> LayerTexts:
        """Index ``texts``."""
        order = {layer: number for number, layer in enumerate((Layer.RULINGS, Layer.CARDS))}
        every = sorted(texts, key=lambda text: (order[text.layer], text.game, text.language, text.owner))
        blocks: list[_Block] = []
        for number, text in enumerate(every):
            if not blocks or (text.layer, text.game, text.language) != blocks[-1][:3]:
                blocks.append(_Block(text.layer, text.game, text.language, number, number + 1))
            blocks[-1] = blocks[-1]._replace(end=number + 1)
        terms = count_terms(analyzer.terms(text.text, text.language) for text in every)
        # No rows of frequent terms: what they cost in memory, these few texts do not earn.
        bm25 = Bm25.build(terms, (*(block.start for block in blocks), len(every)), frequent=0)
        rulings = [text.text for text in every if text.layer is Layer.RULINGS]
        vectors = encoder.passages(rulings) if rulings else np.empty((0, encoder.dimensions), dtype=np.float32)
        owners = np.array([text.owner for text in every], dtype=np.int32)
        return cls(blocks, owners, bm25, QuantizedVectors.quantize(vectors))

    def search(self, layer: Layer, game: str, language: str, terms_in: TermsIn, vectors: NDArray[np.float32] | None) -> FoundTexts:
        """All texts of ``layer`` about ``game`` for a question in ``language``.

        Without ``vectors`` of the question, shape (m, dimensions), all cosines are 0.
        """
        owners, words, cosines = [np.empty(0, dtype=np.int32)], [np.empty(0)], [np.empty(0, dtype=np.float32)]
        for number, block in enumerate(self._blocks):
            if (block.layer, block.game) == (layer, game):
                owners.append(self._owners[block.start : block.end])
                words.append(self._shares(number, terms_in(block.language), 1.0 if block.language == language else _FOREIGN))
                cosines.append(self._cosines(block, vectors))
        return FoundTexts(np.concatenate(owners), np.concatenate(words), np.concatenate(cosines))

    def _shares(self, block: int, terms: Sequence[str], unknown: float) -> NDArray[np.float64]:
        """How much of the weight of ``terms`` each text of a block has, from 0 to 1; what no text has weighs ``unknown`` of the average."""
        weights = self._bm25.greatest(terms)
        known = [weight for weight in weights if weight]
        whole = sum(known) * (1 + unknown * (len(weights) - len(known)) / len(known)) if known else 1.0
        return self._bm25.scores(terms, [(block, block + 1)]).astype(np.float64) / whole

    def _cosines(self, block: _Block, vectors: NDArray[np.float32] | None) -> NDArray[np.float32]:
        rows = np.arange(block.start, block.end)
        if vectors is None or block.end > len(self._vectors):
            return np.zeros(len(rows), dtype=np.float32)
        return np.asarray(np.max([self._vectors.products(rows, vector) for vector in vectors], axis=0))

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        (folder / "blocks.json").write_text(json.dumps(self._blocks), encoding="utf-8")
        np.save(folder / "owners.npy", self._owners)
        self._bm25.save(folder / "words")
        self._vectors.save(folder / "vectors")

    @classmethod
    def load(cls, folder: Path) -> LayerTexts:
        """What `save` wrote to ``folder``, mapped into memory. Raises `OSError`, `ValueError` or `RuntimeError` where it is damaged."""
        kept = json.loads((folder / "blocks.json").read_text(encoding="utf-8"))
        blocks = [_Block(Layer(layer), *rest) for layer, *rest in kept]
        return cls(blocks, load_mapped(folder / "owners.npy"), Bm25.load(folder / "words"), QuantizedVectors.load(folder / "vectors"))

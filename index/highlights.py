"""Which sentences of a passage answer: the one nearest to the question in words and meaning, and what comes close to it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpus.display import display
from corpus.model import Passage
from corpus.sentences import sentences
from index.analysis import terms
from index.encoder import Encoder

Sentence = tuple[int, int]

WORDS = 0.5  # what shared words count beside meaning
CLOSE = 0.1  # a sentence this near to the best one is marked with it


class Highlighter:
    """The sentences of every passage with their terms and vectors, worked out when the index is built.

    ``spans[i]`` are the sentences of passage number i as spans of its text, ``terms[i]`` their index terms;
    ``vectors`` has a row for each sentence of all passages in order, shape (number of sentences, dimensions).
    """

    def __init__(self, spans: list[list[Sentence]], terms: list[list[list[str]]], vectors: NDArray[np.float16]):
        self._spans = spans
        self._terms = terms
        self._vectors = vectors
        self._first = np.cumsum([0] + [len(s) for s in spans])
        self._holders = Counter(term for passage in terms for sentence in passage for term in sentence)

    @classmethod
    def build(cls, passages: Sequence[Passage], languages: Sequence[str], encoder: Encoder) -> Highlighter:
        """Divide ``passages``, printed in ``languages``, into sentences and encode them."""
        spans = [sentences(p.text) for p in passages]
        pieces = [[display(p.text[a:b]) for a, b in s] for p, s in zip(passages, spans, strict=True)]
        found = [[sorted(set(terms(t, language))) for t in texts] for texts, language in zip(pieces, languages, strict=True)]
        vectors = encoder.passages([t for texts in pieces for t in texts])
        return cls(spans, found, vectors.astype(np.float16))

    def highlights(self, number: int, asked: Sequence[str], vector: NDArray[np.float32]) -> tuple[Sentence, ...]:
        """The sentences of passage ``number`` that answer a question with these terms and this vector, shape (dimensions,).

        The best one always, those close to it as long as no more than half of the passage is marked; in order of print.
        """
        spans = self._spans[number]
        if len(spans) <= 1:
            return tuple(spans)
        meaning = self._vectors[self._first[number] : self._first[number + 1]].astype(np.float32) @ vector
        wanted = set(asked)
        total = sum(map(self._rarity, wanted)) or 1.0
        shared = np.array([sum(map(self._rarity, wanted.intersection(t))) / total for t in self._terms[number]])
        scores = meaning + WORDS * shared
        order = np.argsort(-scores, kind="stable")
        marked = [spans[int(order[0])]]
        room = (spans[-1][1] - spans[0][0]) / 2 - (marked[0][1] - marked[0][0])
        for other in order[1:]:
            a, b = spans[int(other)]
            if scores[order[0]] - scores[other] <= CLOSE and b - a <= room:
                marked.append((a, b))
                room -= b - a
        return tuple(sorted(marked))

    def _rarity(self, term: str) -> float:
        """Inverse document frequency of ``term`` over sentences."""
        return float(np.log(1 + self._first[-1] / (1 + self._holders[term])))

    def save(self, folder: Path) -> None:
        """Keep everything in ``folder``."""
        folder.mkdir(parents=True)
        np.save(folder / "vectors.npy", self._vectors)
        kept = {"spans": self._spans, "terms": self._terms}
        (folder / "sentences.json").write_text(json.dumps(kept, ensure_ascii=False), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> Highlighter:
        """What is kept in ``folder``. Raises `OSError`, `ValueError` or `KeyError` where it is damaged."""
        kept = json.loads((folder / "sentences.json").read_text(encoding="utf-8"))
        spans = [[(a, b) for a, b in s] for s in kept["spans"]]
        return cls(spans, kept["terms"], np.load(folder / "vectors.npy", mmap_mode="r"))

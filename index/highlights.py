"""What in a passage answers: its sentences or clauses that come nearest to the asking sentence, word by word."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpus.display import display
from corpus.model import Passage
from corpus.sentences import sentences
from index.analysis import fold, words
from index.encoder import Encoder

Piece = tuple[int, int]

LONG = 150  # characters of a sentence that is looked at clause by clause
CLAUSE = 60  # characters of a clause, at least
SHORT = 300  # characters of a passage that may be marked whole
CLOSE = 0.2  # a piece this near to the best one is marked with it

_CUT = re.compile(r"[;:,–]\s+|\s(?=\()")


def pieces(text: str) -> list[Piece]:
    """Spans of the sentences of ``text``, long ones divided into clauses."""
    found: list[Piece] = []
    for start, end in sentences(text):
        cuts = [start + m.end() for m in _CUT.finditer(text[start:end])] if end - start > LONG else []
        begin = start
        for cut in cuts:
            if cut - begin >= CLAUSE and end - cut >= CLAUSE:
                found.append((begin, cut))
                begin = cut
        found.append((begin, end))
    return [(a, b - (len(text[a:b]) - len(text[a:b].rstrip()))) for a, b in found]


class Highlighter:
    """The pieces of every passage and the vectors of their words, worked out when the index is built.

    ``spans``, shape (p, 2), are the pieces of all passages in order, as spans of the passage's text; those of passage i are
    the rows from ``first[i]`` up to ``first[i + 1]``. ``words`` are numbers in the ``vocabulary``; those of piece j begin
    at ``begin[j]``. ``vectors`` are the vocabulary's, shape (len(vocabulary), dimensions).
    """

    def __init__(
        self,
        spans: NDArray[np.int32],
        first: NDArray[np.int64],
        words: NDArray[np.int32],
        begin: NDArray[np.int64],
        vectors: NDArray[np.float16],
        vocabulary: Sequence[str],
    ):
        self._spans, self._first, self._words, self._begin, self._vectors = spans, first, words, begin, vectors
        self._vocabulary = vocabulary
        holders = np.bincount(words, minlength=len(vocabulary))
        rarity = np.log(1 + len(spans) / (1 + holders))
        self._rarity = dict(zip(vocabulary, rarity.tolist(), strict=True))
        self._unknown = float(np.log(1 + len(spans)))

    @classmethod
    def build(cls, passages: Sequence[Passage], encoder: Encoder) -> Highlighter:
        """Divide ``passages`` into pieces and encode their words."""
        spans = [pieces(p.text) for p in passages]
        texts = [display(p.text[a:b]) for p, here in zip(passages, spans, strict=True) for a, b in here]
        found = [list(dict.fromkeys(words(fold(text)))) for text in texts]
        vocabulary = [word for word, _ in Counter(word for piece in found for word in piece).most_common()]
        number = {word: n for n, word in enumerate(vocabulary)}
        return cls(
            np.array([span for here in spans for span in here], dtype=np.int32).reshape(-1, 2),
            np.cumsum([0, *map(len, spans)]),
            np.array([number[word] for piece in found for word in piece], dtype=np.int32),
            np.cumsum([0, *map(len, found)]),
            encoder.passages(vocabulary).astype(np.float16) if vocabulary else np.empty((0, encoder.dimensions), dtype=np.float16),
            vocabulary,
        )

    def highlights(self, number: int, asked: Sequence[str], vectors: NDArray[np.float32]) -> tuple[Piece, ...]:
        """The pieces of passage ``number`` that answer a question with the words ``asked``, whose ``vectors`` have a row for each.

        A piece is as near as its words: for each word asked the nearest one in it, weighted by rarity (late interaction,
        Khattab and Zaharia 2020). The nearest piece is marked, and those close to it, of a long passage no more than
        half; in order of print.
        """
        rows = range(int(self._first[number]), int(self._first[number + 1]))
        spans = [(int(a), int(b)) for a, b in self._spans[rows.start : rows.stop]]
        if len(spans) <= 1 or not len(asked):
            return tuple(spans)
        rarity = np.array([self._rarity.get(word, self._unknown) for word in asked])
        begins = self._begin[rows.start : rows.stop + 1]
        near = vectors @ self._vectors[self._words[begins[0] : begins[-1]]].astype(np.float32).T
        scores = np.zeros(len(rows))
        for place, (start, end) in enumerate(zip(begins - begins[0], begins[1:] - begins[0], strict=False)):
            if end > start:
                scores[place] = float(rarity @ near[:, start:end].max(axis=1)) / float(rarity.sum())
        order = np.argsort(-scores, kind="stable")
        length = spans[-1][1] - spans[0][0]
        best = spans[int(order[0])]
        marked, room = [best], (length if length <= SHORT else length / 2) - (best[1] - best[0])
        for other in order[1:]:
            a, b = spans[int(other)]
            if scores[order[0]] - scores[other] <= CLOSE and b - a <= room:
                marked.append((a, b))
                room -= b - a
        return tuple(sorted(marked))

    def save(self, folder: Path) -> None:
        """Keep everything in ``folder``."""
        folder.mkdir(parents=True)
        for name in ("spans", "first", "words", "begin", "vectors"):
            np.save(folder / f"{name}.npy", getattr(self, f"_{name}"))
        (folder / "vocabulary.json").write_text(json.dumps(self._vocabulary, ensure_ascii=False), encoding="utf-8")

    @classmethod
    def load(cls, folder: Path) -> Highlighter:
        """What is kept in ``folder``. Raises `OSError`, `ValueError` or `KeyError` where it is damaged."""
        spans, first, found, begin = (np.load(folder / f"{name}.npy") for name in ("spans", "first", "words", "begin"))
        vocabulary = json.loads((folder / "vocabulary.json").read_text(encoding="utf-8"))
        return cls(spans, first, found, begin, np.asarray(np.load(folder / "vectors.npy", mmap_mode="r")), vocabulary)

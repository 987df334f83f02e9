"""Highlights: the sentences or clauses of a passage that are most similar to the asking sentence, word by word."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from corpus.display import display
from corpus.model import Passage
from corpus.sentences import sentences
from glossary.string_trie import StringTrie
from index.analysis import folded
from index.encoding.encoder import Encoder
from index.files.quantized import load_mapped

Piece = tuple[int, int]  # the span of a sentence or clause

LONG = 150  # characters of a sentence that is divided into clauses
CLAUSE = 60  # characters of a clause, at least
SHORT = 300  # characters of a passage that may be highlighted as a whole
CLOSE = 0.2  # pieces whose similarity is this close to the best one are highlighted too

_ARRAYS = ("spans", "first", "words", "begin", "vectors")
_CUT = re.compile(r"[;:,–]\s+|\s(?=\()")


def pieces(text: str) -> list[Piece]:
    """The spans of the sentences of ``text``; long ones are divided into clauses."""
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
    """The pieces of every passage and the vectors of their words, computed when the index is built.

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
        vectors: NDArray[np.float32],
        vocabulary: StringTrie,
    ):
        self._spans, self._first, self._words, self._begin, self._vectors = spans, first, words, begin, vectors
        self._vocabulary = vocabulary
        holders = np.bincount(words, minlength=len(vocabulary))
        self._rarity = np.log(1 + len(spans) / (1 + np.r_[holders, 0]))  # the last is that of a word which is not there

    @classmethod
    def build(cls, passages: Iterable[Passage], encoder: Encoder) -> Highlighter:
        """Divide ``passages``, taken one after the other, into pieces and encode their words."""
        spans, found = array("i"), array("i")
        first, begin = array("q", [0]), array("q", [0])
        new: dict[str, int] = {}
        for passage in passages:
            for a, b in pieces(passage.text):
                spans.extend((a, b))
                here = dict.fromkeys(folded(display(passage.text[a:b])))
                found.extend(new.setdefault(word, len(new)) for word in here)
                begin.append(len(found))
            first.append(len(begin) - 1)
        vocabulary = StringTrie(new)
        number = np.array([vocabulary.number(word) for word in new], dtype=np.int32)
        return cls(
            np.array(spans, dtype=np.int32).reshape(-1, 2),
            np.array(first, dtype=np.int64),
            number[np.array(found, dtype=np.int32)],
            np.array(begin, dtype=np.int64),
            encoder.passages([vocabulary.string(n) for n in range(len(vocabulary))]),
            vocabulary,
        )

    def highlights(self, numbers: Sequence[int], words: Sequence[str], vectors: NDArray[np.float32]) -> list[tuple[Piece, ...]]:
        """The pieces of each of the passages ``numbers`` that answer a question with these ``words``; pieces in document order.

        ``vectors`` has a row for each word. The similarity of a piece is the mean, weighted by rarity, of that of each word to the
        nearest word in it (late interaction, Khattab and Zaharia 2020). The best piece is highlighted, and those close to it, of a
        long passage no more than half.
        """
        rows = [range(*self._first[number : number + 2].tolist()) for number in numbers]
        near = iter(self._nearness([here for here in rows if len(here) > 1], words, vectors) if len(words) else ())
        found = []
        for here in rows:
            spans = [(a, b) for a, b in self._spans[here.start : here.stop].tolist()]
            found.append(_select(spans, [next(near) for _ in spans]) if len(words) and len(spans) > 1 else tuple(spans))
        return found

    def _nearness(self, rows: Iterable[range], asked: Sequence[str], vectors: NDArray[np.float32]) -> list[float]:
        """The similarity to ``asked``, words of a question, of each of the pieces of some passages; 0 for a piece without words."""
        found: list[NDArray[np.int32]] = []
        starts: list[int] = []
        spelt: list[bool] = []
        length = 0
        for here in rows:
            begin = self._begin[here.start : here.stop + 1].tolist()
            found.append(self._words[begin[0] : begin[-1]])
            starts += [length + start - begin[0] for start, end in pairwise(begin) if start < end]
            spelt += [start < end for start, end in pairwise(begin)]
            length += begin[-1] - begin[0]
        scores = np.zeros(len(spelt))
        if length:
            rarity = self._rarity[[self._vocabulary.number(word) for word in asked]]
            words = np.concatenate(found)
            there = np.zeros(len(self._vectors), dtype=np.bool_)  # which words are; `np.unique` would sort them
            there[words] = True
            different = np.flatnonzero(there)
            place = np.empty(len(there), dtype=np.intp)  # of each word among the different ones
            place[different] = np.arange(len(different))
            near = np.dot(self._vectors.take(different, axis=0), vectors.T).take(place[words], axis=0)
            scores[spelt] = np.maximum.reduceat(near, starts, axis=0) @ rarity / rarity.sum()
        return scores.tolist()

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        for name in _ARRAYS:
            np.save(folder / f"{name}.npy", getattr(self, f"_{name}"))
        self._vocabulary.save(folder / "vocabulary.marisa")

    @classmethod
    def load(cls, folder: Path) -> Highlighter:
        """What `save` wrote to ``folder``, mapped into memory. Raises `OSError`, `ValueError` or `RuntimeError` where it is damaged."""
        spans, first, found, begin, vectors = (load_mapped(folder / f"{name}.npy") for name in _ARRAYS)
        return cls(spans, first, found, begin, vectors, StringTrie.load(folder / "vocabulary.marisa"))


def _select(spans: Sequence[Piece], near: Sequence[float]) -> tuple[Piece, ...]:
    """Those of the pieces ``spans`` of a passage that are highlighted, given the similarity ``near`` of each."""
    order = sorted(range(len(near)), key=near.__getitem__, reverse=True)
    length = spans[-1][1] - spans[0][0]
    best = spans[order[0]]
    marked, room = [best], (length if length <= SHORT else length / 2) - (best[1] - best[0])
    for other in order[1:]:
        a, b = spans[other]
        if near[order[0]] - near[other] > CLOSE:
            break
        if b - a <= room:
            marked.append((a, b))
            room -= b - a
    return tuple(sorted(marked))

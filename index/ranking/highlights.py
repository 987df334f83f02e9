"""Highlights: the clauses of a passage that most likely decide what is asked, at most half of the passage.

Each clause has a score, the sum of `FEATURES` with weights that `tests.bench.tune_highlights` learned from practice questions.
"""

from __future__ import annotations

import json
import math
from array import array
from collections import deque
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpus.display import display
from glossary.string_trie import StringTrie
from index.analysis import folded
from index.encoding.encoder import Encoder
from index.files.quantized import load_mapped
from index.library.indexed_texts import Run
from index.questions.prepared import PreparedQuestion
from index.questions.question_parser import Asks
from index.ranking.clauses import CUES, clauses

WEIGHTS = Path(__file__).parent / "highlights.json"

# words: similarity of the words asked to the nearest words of the clause; meaning: of the whole question to the clause; the same for
# its sentence. length: logarithm of its characters; ruling: a verdict where the question wants yes or no. The others: see `CUES`.
FEATURES = ("words", "sentence_words", "meaning", "sentence_meaning", "length", *CUES, "ruling")

Span = tuple[int, int]

_ARRAYS = ("clauses", "first", "lengths", "cues", "norms", "words", "begin", "vectors")
_VERDICT = FEATURES.index("verdict")
_SENTENCES = 256  # whose vectors are added up together, some thousand words


@cache
def weights() -> NDArray[np.float64]:
    """The weight of each of `FEATURES`, as they were last learned; 0 for one that is newer than that."""
    learned = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return np.array([float(learned.get(name, 0.0)) for name in FEATURES])


class Highlighter:
    """The clauses of every passage and the vectors of their words, computed when the index is built.

    ``clauses``, shape (p, 4), are those of all passages in order: start, end, number of the sentence among all, and whether it
    decides (`Clause`); those of passage i are the rows from ``first[i]`` up to ``first[i + 1]``. ``lengths`` are the characters of
    the passages. ``cues``, shape (p, 1 + len(CUES)), are the logarithm of a clause's length and its `CUES`; ``norms``, shape (p, 2),
    the lengths of the vectors of the clause and of its sentence. ``words`` are numbers in the ``vocabulary``; those of clause j
    begin at ``begin[j]``. ``vectors`` are the vocabulary's, shape (len(vocabulary), dimensions).
    """

    def __init__(
        self,
        clauses: NDArray[np.int32],
        first: NDArray[np.int64],
        lengths: NDArray[np.int32],
        cues: NDArray[np.float32],
        norms: NDArray[np.float32],
        words: NDArray[np.int32],
        begin: NDArray[np.int64],
        vectors: NDArray[np.float32],
        vocabulary: StringTrie,
    ):
        self._clauses, self._first, self._lengths, self._cues, self._norms = clauses, first, lengths, cues, norms
        self._words, self._begin, self._vectors = words, begin, vectors
        self._vocabulary = vocabulary
        self._rarity = _rarity(words, len(vocabulary), len(clauses))

    @classmethod
    def build(
        cls, texts: Iterable[tuple[str, str]], encoder: Encoder, before: Highlighter | None = None, runs: Sequence[Run] = ()
    ) -> Highlighter:
        """Divide passages, given in order as text and language, into clauses and encode their words.

        ``runs``, in order, are those that ``before`` has too, whose clauses are taken over.
        """
        rest = iter(texts)
        words: dict[str, int] = {}
        parts: list[_Divided] = []
        at = 0
        for run in runs:
            assert before is not None
            parts += (_divide(islice(rest, run.now - at), words), _taken_over(before, run, words))
            deque(islice(rest, run.length), maxlen=0)
            at = run.now + run.length
        parts.append(_divide(rest, words))
        vocabulary = StringTrie(words)
        number = np.array([vocabulary.number(word) for word in words], dtype=np.int32)
        table = np.concatenate([part.clauses for part in parts])
        # Those of one part count from 0.
        sentences = np.cumsum([0, *(int(part.clauses[-1, 2]) + 1 if len(part.clauses) else 0 for part in parts)])
        table[:, 2] += np.repeat(sentences[:-1], [len(part.clauses) for part in parts]).astype(np.int32)
        held = number[np.concatenate([part.words for part in parts])]
        begin = np.cumsum(np.concatenate([[0], *(part.sizes for part in parts)]))
        vectors = encoder.passages([vocabulary.string(n) for n in range(len(vocabulary))])
        return cls(
            clauses=table,
            first=np.cumsum(np.concatenate([[0], *(part.counts for part in parts)])),
            lengths=np.concatenate([part.lengths for part in parts]),
            cues=np.concatenate([part.cues for part in parts]),
            norms=_norms(table, held, begin, vectors),
            words=held,
            begin=begin,
            vectors=vectors,
            vocabulary=vocabulary,
        )

    def highlights(self, numbers: Sequence[int], prepared: PreparedQuestion) -> list[tuple[Span, ...]]:
        """The spans of each of the passages ``numbers`` that decide the question ``prepared``, in document order."""
        rows = [self.rows(number) for number in numbers]
        scores = iter(_weighted(self.features(rows, prepared), weights()).tolist())
        return [
            choose(self.clauses(here), [next(scores) for _ in here], self._lengths.item(number) / 2)
            for number, here in zip(numbers, rows, strict=True)
        ]

    def rows(self, number: int) -> range:
        """The rows of the clauses of a passage."""
        return range(*self._first[number : number + 2].tolist())

    def clauses(self, rows: range) -> list[list[int]]:
        """Start, end, number of the sentence and whether it decides, of the clauses in ``rows``."""
        found: list[list[int]] = self._clauses[rows.start : rows.stop].tolist()
        return found

    def words_of(self, row: int) -> list[str]:
        """The different folded words of the clause in ``row``."""
        return [self._vocabulary.string(number) for number in self._words[self._begin[row] : self._begin[row + 1]].tolist()]

    def cues_of(self, row: int) -> list[bool]:
        """Which of `CUES` the clause in ``row`` has."""
        return [bool(cue) for cue in self._cues[row, 1:].tolist()]

    def features(self, rows: Sequence[range], prepared: PreparedQuestion) -> NDArray[np.float32]:
        """`FEATURES` of the clauses of some passages for a question; ``rows`` are those of each passage; one row for each clause.

        The similarity to the words is the mean, weighted by rarity, of that of each word asked to the nearest word of the clause
        (late interaction, Khattab and Zaharia 2020). The meaning of a clause is the sum of its words, weighted by rarity.
        """
        places = np.concatenate([np.empty(0, dtype=np.int64), *(np.arange(here.start, here.stop) for here in rows)])
        found = np.zeros((len(places), len(FEATURES)), dtype=np.float32)
        if not len(places):
            return found
        sentence = self._clauses[:, 2].take(places)
        begins = np.flatnonzero(np.diff(sentence, prepend=-1))
        sizes = np.diff(begins, append=len(places))
        nearest, sums = self._nearness(rows, prepared)
        norms = self._norms.take(places, axis=0)
        found[:, 2] = (sums / norms[:, :1]).max(axis=1)
        found[:, 3] = np.repeat((np.add.reduceat(sums, begins, axis=0) / norms[begins, 1:]).max(axis=1), sizes)
        if nearest.shape[1]:
            rarity = self._rarity[[self._vocabulary.number(word) for word in prepared.asking_words]]
            rarity /= rarity.sum()
            found[:, 0] = _weighted(nearest, rarity)
            found[:, 1] = np.repeat(_weighted(np.maximum.reduceat(nearest, begins, axis=0), rarity), sizes)
        found[:, 4:-1] = self._cues.take(places, axis=0)
        if prepared.parsed.asks is Asks.YES_NO:
            found[:, -1] = found[:, _VERDICT]
        return found

    def _nearness(self, rows: Sequence[range], prepared: PreparedQuestion) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """For each clause the similarity of each word asked to its nearest word, and the sums of its words' products with each vector."""
        spans = [self._begin[here.start : here.stop + 1] for here in rows if here]
        words = np.concatenate([self._words[span.item(0) : span.item(-1)] for span in spans])
        sizes = np.concatenate([np.diff(span) for span in spans])
        starts = np.cumsum(sizes) - sizes
        there = np.zeros(len(self._vectors), dtype=np.bool_)  # which words are; `np.unique` would sort them
        there[words] = True
        different = np.flatnonzero(there)
        place = np.empty(len(there), dtype=np.intp)  # of each word among the different ones
        place[different] = np.arange(len(different))
        asked = len(prepared.asking_words)
        near = np.dot(self._vectors.take(different, axis=0), np.concatenate([prepared.asking_word_vectors, prepared.vectors]).T)
        near[:, asked:] *= self._rarity.take(different)[:, None]
        near = near.take(place[words], axis=0)
        return np.maximum.reduceat(near[:, :asked], starts, axis=0), np.add.reduceat(near[:, asked:], starts, axis=0)

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        for name in _ARRAYS:
            np.save(folder / f"{name}.npy", getattr(self, f"_{name}"))
        self._vocabulary.save(folder / "vocabulary.marisa")

    @classmethod
    def load(cls, folder: Path) -> Highlighter:
        """What `save` wrote to ``folder``, mapped into memory. Raises `OSError`, `ValueError` or `RuntimeError` where it is damaged."""
        arrays = {name: load_mapped(folder / f"{name}.npy") for name in _ARRAYS}
        return cls(vocabulary=StringTrie.load(folder / "vocabulary.marisa"), **arrays)


class _Divided(NamedTuple):
    """Some passages, divided into clauses.

    ``clauses`` and ``cues`` are as `Highlighter` has them, sentences numbered from 0; ``sizes`` are the numbers of words of the clauses,
    ``counts`` those of clauses of the passages, ``lengths`` those of characters.
    """

    clauses: NDArray[np.int32]
    cues: NDArray[np.float32]
    words: NDArray[np.int32]
    sizes: NDArray[np.int64]
    counts: NDArray[np.int64]
    lengths: NDArray[np.int32]


def _divide(texts: Iterable[tuple[str, str]], words: dict[str, int]) -> _Divided:
    """Divide ``texts``, each with its language, into clauses; their ``words`` are numbered, new ones get the next number."""
    spans, cues, held, lengths = array("i"), array("f"), array("i"), array("i")
    sizes, counts = array("q"), array("q")
    sentences = 0
    for text, language in texts:
        divided = clauses(text, language)
        before = len(sizes)
        for clause in divided:
            if here := dict.fromkeys(folded(display(text[clause.start : clause.end]))):
                spans.extend((clause.start, clause.end, sentences + clause.sentence, clause.decides))
                cues.extend((math.log(clause.end - clause.start), *clause.cues))
                held.extend(words.setdefault(word, len(words)) for word in here)
                sizes.append(len(here))
        sentences += divided[-1].sentence + 1 if divided else 0
        counts.append(len(sizes) - before)
        lengths.append(len(text))
    table = np.array(spans, dtype=np.int32).reshape(-1, 4)
    table[:, 2] = _counted(table[:, 2])
    return _Divided(
        clauses=table,
        cues=np.array(cues, dtype=np.float32).reshape(-1, 1 + len(CUES)),
        words=np.array(held, dtype=np.int32),
        sizes=np.array(sizes, dtype=np.int64),
        counts=np.array(counts, dtype=np.int64),
        lengths=np.array(lengths, dtype=np.int32),
    )


def _taken_over(before: Highlighter, run: Run, words: dict[str, int]) -> _Divided:
    """The clauses that ``before`` has of a ``run`` of passages; their ``words`` are numbered, new ones get the next number."""
    first = before._first[run.before : run.before + run.length + 1]
    begin = before._begin[first[0] : first[-1] + 1]
    held = before._words[begin[0] : begin[-1]]
    different, places = np.unique(held, return_inverse=True)
    numbers = [words.setdefault(before._vocabulary.string(number), len(words)) for number in different.tolist()]
    table = before._clauses[first[0] : first[-1]].copy()
    table[:, 2] = _counted(table[:, 2])
    return _Divided(
        clauses=table,
        cues=before._cues[first[0] : first[-1]],
        words=np.array(numbers, dtype=np.int32)[places],
        sizes=np.diff(begin),
        counts=np.diff(first),
        lengths=before._lengths[run.before : run.before + run.length],
    )


def _counted(sentences: NDArray[np.int32]) -> NDArray[np.int32]:
    """Numbers of ``sentences``, which ascend, counted from 0 without a gap; the same shape."""
    return np.cumsum(np.diff(sentences, prepend=sentences[:1]) != 0, dtype=np.int32)


def choose(clauses: Sequence[Sequence[int]], scores: Sequence[float], room: float) -> tuple[Span, ...]:
    """The spans of those ``clauses`` that are highlighted: the best, and as many others as fit into ``room`` characters.

    ``clauses`` are start, end, number of the sentence and whether it decides. Behind the best come the clauses beside it in its
    sentence that deny or make an exception, since without them it would say something else; then the others by their scores.
    Neighbours in one sentence make one span.
    """
    if not clauses:
        return ()
    lengths = [end - start + 1 for start, end, *_ in clauses]  # with the blank before it
    room += 1  # the first has none
    best = max(range(len(scores)), key=scores.__getitem__)
    *_, sentence, decides = clauses[best]
    beside = {n for n in (best - 1, best + 1) if 0 <= n < len(clauses) and clauses[n][2] == sentence and clauses[n][3] and not decides}
    marked: list[int] = []
    for n in sorted(range(len(clauses)), key=lambda n: (n != best, n not in beside, -scores[n])):
        if n == best or lengths[n] <= room:
            marked.append(n)
            room -= lengths[n]
    spans: list[Span] = []
    for n in sorted(marked):
        start, end, of_sentence, _ = clauses[n]
        joins = n - 1 in marked and of_sentence == clauses[n - 1][2] and start - clauses[n - 1][1] <= 1
        spans.append((spans.pop()[0], end) if joins else (start, end))
    return tuple(spans)


def _weighted(rows: NDArray[np.floating], weights: NDArray[np.floating]) -> NDArray[np.floating]:
    """The weighted sum of each of ``rows``. They are few and short, which a product of matrices makes slow where it starts threads."""
    return np.asarray(np.einsum("ij,j->i", rows, weights))


def _rarity(words: NDArray[np.int32], vocabulary: int, clauses: int) -> NDArray[np.float32]:
    """The rarity of each word of a ``vocabulary``, by how many of ``clauses`` have it; the last is that of a word which is not there."""
    holders = np.bincount(words, minlength=vocabulary)
    return np.asarray(np.log(1 + clauses / (1 + np.r_[holders, 0])), dtype=np.float32)


def _norms(
    clauses: NDArray[np.int32], words: NDArray[np.int32], begin: NDArray[np.int64], vectors: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The lengths of the vectors of clauses and of their sentences, shape (p, 2)."""
    rarity = _rarity(words, len(vectors), len(clauses))
    found = np.ones((len(clauses), 2), dtype=np.float32)
    sentences = np.flatnonzero(np.diff(clauses[:, 2], prepend=-1))
    for some in range(0, len(sentences), _SENTENCES):  # all together would not fit into memory
        start, end = sentences[some], sentences[some + _SENTENCES] if some + _SENTENCES < len(sentences) else len(clauses)
        here = words[begin[start] : begin[end]]
        of_clauses = np.add.reduceat(vectors[here] * rarity[here][:, None], begin[start:end] - begin[start], axis=0)
        begins = sentences[some : some + _SENTENCES] - start
        found[start:end, 0] = np.linalg.norm(of_clauses, axis=1)
        of_sentences = np.linalg.norm(np.add.reduceat(of_clauses, begins, axis=0), axis=1)
        found[start:end, 1] = np.repeat(of_sentences, np.diff(begins, append=end - start))
    return np.maximum(found, np.float32(1e-6))

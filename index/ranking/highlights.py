"""Highlight the sentences of a passage that most likely answer the question, at most three,
together with the sentences that they depend on.

The score of a sentence is the weighted sum of its `FEATURES`; `tests.bench.tune_highlights` learns
the weights from practice questions.
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
from index.files.arrays import load_mapped
from index.library.indexed_texts import Run
from index.questions.prepared import PreparedQuestion
from index.ranking.passage_sentences import CUES, passage_sentences

WEIGHTS = Path(__file__).parent / "highlights.json"

# words: mean similarity of the words of the question sentences to the nearest words of the
# sentence; meaning: similarity of the whole question; length: logarithm of the number of
# characters. The others: see `CUES`.
FEATURES = ("words", "meaning", "length", *CUES)

MOST = 3  # most sentences highlighted
# Probability that the highlighted sentences answer from which no further ones are highlighted
ENOUGH = 0.85
LONG = 300  # characters of a passage from which at most half is highlighted, …
EVEN = 0.5  # … unless the highlighted sentences answer with less than this probability

Span = tuple[int, int]

_ARRAYS = ("sentences", "first", "lengths", "cues", "norms", "words", "begin", "vectors")
_TOGETHER = 512  # sentences whose vectors are added up at a time: some thousand words


@cache
def weights() -> NDArray[np.float64]:
    """Return the learned weight of each of `FEATURES`; 0 for a feature added since."""
    learned = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return np.array([float(learned.get(name, 0.0)) for name in FEATURES])


class Highlighter:
    """Highlights passages, by their sentences and the vectors of all words, both computed when the
    index is built.

    Args:
        sentences: The sentences of all passages in order, shape (p, 4): start, end, lead and tail
            (`PassageSentence`).
        first: Passage i has the sentences from ``first[i]`` up to ``first[i + 1]``.
        lengths: The number of characters of each passage.
        cues: The logarithm of a sentence's length and its `CUES`, shape (p, 1 + len(CUES)).
        norms: The length of the vector of each sentence, shape (p, 1).
        words: The words of all sentences as numbers in the ``vocabulary``; sentence j begins at
            ``begin[j]``.
        vectors: The vectors of the vocabulary, shape (len(vocabulary), dimensions).
    """

    def __init__(
        self,
        sentences: NDArray[np.int32],
        first: NDArray[np.int64],
        lengths: NDArray[np.int32],
        cues: NDArray[np.float32],
        norms: NDArray[np.float32],
        words: NDArray[np.int32],
        begin: NDArray[np.int64],
        vectors: NDArray[np.float32],
        vocabulary: StringTrie,
    ):
        self._sentences, self._first, self._lengths, self._cues, self._norms = (
            sentences,
            first,
            lengths,
            cues,
            norms,
        )
        self._words, self._begin, self._vectors = words, begin, vectors
        self._vocabulary = vocabulary
        self._rarity = _rarity(words, len(vocabulary), len(sentences))

    @classmethod
    def build(
        cls,
        texts: Iterable[tuple[str, str]],
        encoder: Encoder,
        before: Highlighter | None = None,
        runs: Sequence[Run] = (),
    ) -> Highlighter:
        """Divide passages, given in order as text and language, into sentences and encode their
        words.

        ``runs``, in order, are unchanged passages, whose sentences are copied from ``before``, the
        highlighter of the previous index.
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
        held = number[np.concatenate([part.words for part in parts])]
        begin = np.cumsum(np.concatenate([[0], *(part.sizes for part in parts)]))
        vectors = encoder.passages([vocabulary.string(n) for n in range(len(vocabulary))])
        return cls(
            sentences=np.concatenate([part.sentences for part in parts]),
            first=np.cumsum(np.concatenate([[0], *(part.counts for part in parts)])),
            lengths=np.concatenate([part.lengths for part in parts]),
            cues=np.concatenate([part.cues for part in parts]),
            norms=_norms(held, begin, vectors),
            words=held,
            begin=begin,
            vectors=vectors,
            vocabulary=vocabulary,
        )

    def highlights(
        self, numbers: Sequence[int], prepared: PreparedQuestion
    ) -> list[tuple[Span, ...]]:
        """Return for each of the passages ``numbers`` the spans to highlight for the question
        ``prepared``, in document order.
        """
        rows = [self.rows(number) for number in numbers]
        scores = iter(_weighted(self.features(rows, prepared), weights()).tolist())
        return [
            choose(self.sentences(here), [next(scores) for _ in here], self._lengths.item(number))
            for number, here in zip(numbers, rows, strict=True)
        ]

    def rows(self, number: int) -> range:
        """Return the rows of the sentences of passage ``number``."""
        return range(*self._first[number : number + 2].tolist())

    def sentences(self, rows: range) -> list[list[int]]:
        """Return start, end, lead and tail of the sentences in ``rows``."""
        found: list[list[int]] = self._sentences[rows.start : rows.stop].tolist()
        return found

    def features(self, rows: Sequence[range], prepared: PreparedQuestion) -> NDArray[np.float32]:
        """Return the `FEATURES` of sentences for a question, one row for each sentence; ``rows``
        are the sentences of each passage.

        "words" is the mean, weighted by rarity, of each asked word's similarity to the nearest word
        of the sentence (late interaction, Khattab and Zaharia 2020). For "meaning", a sentence is
        the sum of the vectors of its words, weighted by rarity.
        """
        places = np.concatenate(
            [np.empty(0, dtype=np.int64), *(np.arange(here.start, here.stop) for here in rows)]
        )
        found = np.zeros((len(places), len(FEATURES)), dtype=np.float32)
        if not len(places):
            return found
        nearest, sums = self._nearness(rows, prepared)
        found[:, 1] = (sums / self._norms.take(places, axis=0)).max(axis=1)
        if nearest.shape[1]:
            rarity = self._rarity[[self._vocabulary.number(word) for word in prepared.asking_words]]
            found[:, 0] = _weighted(nearest, rarity / rarity.sum())
        found[:, 2:] = self._cues.take(places, axis=0)
        return found

    def _nearness(
        self, rows: Sequence[range], prepared: PreparedQuestion
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return for each sentence the similarity of each asked word to the nearest word of the
        sentence, and the product of the sentence with each vector of the question.
        """
        spans = [self._begin[here.start : here.stop + 1] for here in rows if here]
        words = np.concatenate([self._words[span.item(0) : span.item(-1)] for span in spans])
        sizes = np.concatenate([np.diff(span) for span in spans])
        starts = np.cumsum(sizes) - sizes
        there = np.zeros(
            len(self._vectors), dtype=np.bool_
        )  # marks the words that occur; `np.unique` would sort them
        there[words] = True
        different = np.flatnonzero(there)
        place = np.empty(len(there), dtype=np.intp)  # position of each word in ``different``
        place[different] = np.arange(len(different))
        asked = len(prepared.asking_words)
        near = np.dot(
            self._vectors.take(different, axis=0),
            np.concatenate([prepared.asking_word_vectors, prepared.vectors]).T,
        )
        near[:, asked:] *= self._rarity.take(different)[:, None]
        near = near.take(place[words], axis=0)
        return np.maximum.reduceat(near[:, :asked], starts, axis=0), np.add.reduceat(
            near[:, asked:], starts, axis=0
        )

    @classmethod
    def _of_none(cls, lengths: NDArray[np.int32]) -> Highlighter:
        """Return a highlighter that highlights nothing, for passages of these ``lengths``."""
        nothing = np.empty(0, dtype=np.int32)
        return cls(
            sentences=np.empty((0, 4), dtype=np.int32),
            first=np.zeros(len(lengths) + 1, dtype=np.int64),
            lengths=lengths,
            cues=np.empty((0, len(FEATURES) - 2), dtype=np.float32),
            norms=np.empty((0, 1), dtype=np.float32),
            words=nothing,
            begin=np.zeros(1, dtype=np.int64),
            vectors=np.empty((0, 1), dtype=np.float32),
            vocabulary=StringTrie([]),
        )

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        folder.mkdir(parents=True)
        for name in _ARRAYS:
            np.save(folder / f"{name}.npy", getattr(self, f"_{name}"))
        self._vocabulary.save(folder / "vocabulary.marisa")

    @classmethod
    def load(cls, folder: Path) -> Highlighter:
        """Map the files of `save` into memory. Raises `OSError`, `ValueError` or `RuntimeError` if
        they are damaged.

        Version 1.0 wrote clauses instead of sentences: an index of that version gets no highlights.
        """
        if (folder / "clauses.npy").exists():
            return cls._of_none(load_mapped(folder / "lengths.npy"))
        arrays = {name: load_mapped(folder / f"{name}.npy") for name in _ARRAYS}
        return cls(vocabulary=StringTrie.load(folder / "vocabulary.marisa"), **arrays)


class _Divided(NamedTuple):
    """Some passages, divided into sentences.

    ``sentences`` and ``cues`` are as in `Highlighter`; ``sizes`` has the number of words of each
    sentence, ``counts`` the number of sentences and ``lengths`` of characters of each passage.
    """

    sentences: NDArray[np.int32]
    cues: NDArray[np.float32]
    words: NDArray[np.int32]
    sizes: NDArray[np.int64]
    counts: NDArray[np.int64]
    lengths: NDArray[np.int32]


def _divide(texts: Iterable[tuple[str, str]], words: dict[str, int]) -> _Divided:
    """Divide ``texts``, each with its language, into sentences; ``words`` maps words to numbers,
    and new words get the next number.
    """
    spans, cues, held, lengths = array("i"), array("f"), array("i"), array("i")
    sizes, counts = array("q"), array("q")
    for text, language in texts:
        before = len(sizes)
        row: dict[int, int] = {}  # the row of each sentence that has words
        for n, sentence in enumerate(passage_sentences(text, language)):
            if here := dict.fromkeys(folded(display(text[sentence.start : sentence.end]))):
                row[n] = len(sizes)
                lead = row[n] - row.get(n - sentence.lead, row[n])
                spans.extend((sentence.start, sentence.end, lead, sentence.tail))
                cues.extend((math.log(sentence.end - sentence.start), *sentence.cues))
                held.extend(words.setdefault(word, len(words)) for word in here)
                sizes.append(len(here))
        counts.append(len(sizes) - before)
        lengths.append(len(text))
    return _Divided(
        sentences=np.array(spans, dtype=np.int32).reshape(-1, 4),
        cues=np.array(cues, dtype=np.float32).reshape(-1, 1 + len(CUES)),
        words=np.array(held, dtype=np.int32),
        sizes=np.array(sizes, dtype=np.int64),
        counts=np.array(counts, dtype=np.int64),
        lengths=np.array(lengths, dtype=np.int32),
    )


def _taken_over(before: Highlighter, run: Run, words: dict[str, int]) -> _Divided:
    """Copy the sentences of a ``run`` of passages from ``before``; ``words`` maps words to numbers,
    and new words get the next number.
    """
    first = before._first[run.before : run.before + run.length + 1]
    begin = before._begin[first[0] : first[-1] + 1]
    held = before._words[begin[0] : begin[-1]]
    different, places = np.unique(held, return_inverse=True)
    numbers = [
        words.setdefault(before._vocabulary.string(number), len(words))
        for number in different.tolist()
    ]
    return _Divided(
        sentences=before._sentences[first[0] : first[-1]],
        cues=before._cues[first[0] : first[-1]],
        words=np.array(numbers, dtype=np.int32)[places],
        sizes=np.diff(begin),
        counts=np.diff(first),
        lengths=before._lengths[run.before : run.before + run.length],
    )


def choose(
    sentences: Sequence[Sequence[int]], scores: Sequence[float], length: int
) -> tuple[Span, ...]:
    """Return the spans of the ``sentences`` to highlight in a passage of ``length`` characters, at
    most `MOST`, in order.

    ``sentences`` are start, end, lead and tail (`PassageSentence`); ``scores`` are log-likelihoods,
    up to a constant, that a sentence answers. The best sentence is highlighted with those that it
    depends on, then further ones until the probability that one of them answers is `ENOUGH`. At
    most half of a `LONG` passage is highlighted, unless this probability is below `EVEN`.
    """
    likely = [math.exp(score - max(scores)) for score in scores]
    marked: set[int] = set()
    for n in sorted(range(len(scores)), key=lambda n: -scores[n]):
        certain = sum(likely[m] for m in marked) / sum(likely)
        together = marked | _bound(sentences, n)
        sparing = (
            length <= LONG or sum(sentences[m][1] - sentences[m][0] for m in together) <= length / 2
        )
        if not marked or (
            certain < ENOUGH and len(together) <= MOST and (sparing or certain < EVEN)
        ):
            marked = together
    return tuple([(sentences[n][0], sentences[n][1]) for n in sorted(marked)])


def _bound(sentences: Sequence[Sequence[int]], n: int) -> set[int]:
    """Return sentence ``n`` with up to `MOST` - 1 sentences that it depends on: the exception or
    reason after it, then its lead-ins.
    """
    found = {n}
    if sentences[n][3] and n + 1 < len(sentences):
        found.add(n + 1)
    while (lead := sentences[n][2]) and len(found) < MOST:
        n -= lead
        found.add(n)
    return found


def _weighted(rows: NDArray[np.floating], weights: NDArray[np.floating]) -> NDArray[np.floating]:
    """Return the weighted sum of each of ``rows``, without a matrix product, which may start
    threads: too slow for few short rows.
    """
    return np.asarray(np.einsum("ij,j->i", rows, weights))


def _rarity(words: NDArray[np.int32], vocabulary: int, sentences: int) -> NDArray[np.float32]:
    """Return the inverse document frequency, over ``sentences``, of each of ``vocabulary`` words,
    and last that of an unknown word; ``words`` are the words of all sentences.
    """
    holders = np.bincount(words, minlength=vocabulary)
    return np.asarray(np.log(1 + sentences / (1 + np.r_[holders, 0])), dtype=np.float32)


def _norms(
    words: NDArray[np.int32], begin: NDArray[np.int64], vectors: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the length of the vector of each sentence, shape (p, 1); sentence j has the ``words``
    from ``begin[j]``.
    """
    sentences = len(begin) - 1
    rarity = _rarity(words, len(vectors), sentences)
    found = np.empty((sentences, 1), dtype=np.float32)
    for start in range(0, sentences, _TOGETHER):  # all together would not fit into memory
        begins = begin[start : start + _TOGETHER + 1]
        here = words[begins[0] : begins[-1]]
        sums = np.add.reduceat(
            vectors[here] * rarity[here][:, None], begins[:-1] - begins[0], axis=0
        )
        found[start : start + _TOGETHER, 0] = np.linalg.norm(sums, axis=1)
    return np.maximum(found, np.float32(1e-6))

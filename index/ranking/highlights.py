"""Highlights: the sentences of a passage that most likely answer the question, at most three, each
with the sentences that it depends on.

Each sentence has a score, the sum of `FEATURES` with weights that `tests.bench.tune_highlights`
learned from practice questions.
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

# words: similarity of the words asked to the nearest words of the sentence; meaning: of the whole
# question to the sentence; length: logarithm of its characters. The others: see `CUES`.
FEATURES = ("words", "meaning", "length", *CUES)

MOST = 3  # sentences that are highlighted
# Probability that one of the sentences which are highlighted decides, from which on no other is
ENOUGH = 0.85
LONG = 300  # characters of a passage of which at most half is highlighted, where one of these is
EVEN = 0.5  # as likely as not to decide

Span = tuple[int, int]

_ARRAYS = ("sentences", "first", "lengths", "cues", "norms", "words", "begin", "vectors")
_TOGETHER = 512  # sentences whose vectors are added up together, some thousand words


@cache
def weights() -> NDArray[np.float64]:
    """Return the weight of each of `FEATURES`, as they were last learned; 0 for one that is newer
    than that.
    """
    learned = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return np.array([float(learned.get(name, 0.0)) for name in FEATURES])


class Highlighter:
    """The sentences of every passage and the vectors of their words, computed when the index is
    built.

    Args:
        sentences: Those of all passages in order, shape (p, 4): start, end, lead and tail
            (`PassageSentence`).
        first: The sentences of passage i are the rows from ``first[i]`` up to ``first[i + 1]``.
        lengths: The numbers of characters of the passages.
        cues: The logarithm of a sentence's length and its `CUES`, shape (p, 1 + len(CUES)).
        norms: The length of the vector of each sentence, shape (p, 1).
        words: Numbers in the ``vocabulary``; those of sentence j begin at ``begin[j]``.
        vectors: Those of the vocabulary, shape (len(vocabulary), dimensions).
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

        ``runs``, in order, are the passages that ``before`` has too, whose sentences are copied.
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
        """Return for each of the passages ``numbers`` the spans that answer the question
        ``prepared``, in document order.
        """
        rows = [self.rows(number) for number in numbers]
        scores = iter(_weighted(self.features(rows, prepared), weights()).tolist())
        return [
            choose(self.sentences(here), [next(scores) for _ in here], self._lengths.item(number))
            for number, here in zip(numbers, rows, strict=True)
        ]

    def rows(self, number: int) -> range:
        """Return the rows of the sentences of a passage."""
        return range(*self._first[number : number + 2].tolist())

    def sentences(self, rows: range) -> list[list[int]]:
        """Return start, end, lead and tail of the sentences in ``rows``."""
        found: list[list[int]] = self._sentences[rows.start : rows.stop].tolist()
        return found

    def features(self, rows: Sequence[range], prepared: PreparedQuestion) -> NDArray[np.float32]:
        """Return the `FEATURES` of the sentences of some passages for a question, one row for each
        sentence; ``rows`` are the sentences of each passage.

        The similarity to the words is the mean, weighted by rarity, of the similarity of each word
        asked to the nearest word of the sentence (late interaction, Khattab and Zaharia 2020). The
        meaning of a sentence is the sum of its words, weighted by rarity.
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
        """Return for each sentence the similarity of each word asked to its nearest word, and the
        sums of its words' products with each vector.
        """
        spans = [self._begin[here.start : here.stop + 1] for here in rows if here]
        words = np.concatenate([self._words[span.item(0) : span.item(-1)] for span in spans])
        sizes = np.concatenate([np.diff(span) for span in spans])
        starts = np.cumsum(sizes) - sizes
        there = np.zeros(
            len(self._vectors), dtype=np.bool_
        )  # marks which words occur; `np.unique` would sort them
        there[words] = True
        different = np.flatnonzero(there)
        place = np.empty(len(there), dtype=np.intp)  # of each word among the different ones
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
        """Return a highlighter of passages of some ``lengths`` that highlights nothing."""
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
        """Return what `save` wrote to ``folder``, mapped into memory. Raises `OSError`,
        `ValueError` or `RuntimeError` where it is damaged.

        Version 1.0 wrote clauses instead of sentences; of an index of that version nothing is
        highlighted.
        """
        if (folder / "clauses.npy").exists():
            return cls._of_none(load_mapped(folder / "lengths.npy"))
        arrays = {name: load_mapped(folder / f"{name}.npy") for name in _ARRAYS}
        return cls(vocabulary=StringTrie.load(folder / "vocabulary.marisa"), **arrays)


class _Divided(NamedTuple):
    """Some passages, divided into sentences.

    ``sentences`` and ``cues`` are as in `Highlighter`; ``sizes`` are the numbers of words of the
    sentences, ``counts`` the numbers of sentences of the passages, ``lengths`` their numbers of
    characters.
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
        row: dict[int, int] = {}  # of each sentence that has words
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
    """Return the sentences of a ``run`` of passages from ``before``; ``words`` maps words to
    numbers, and new words get the next number.
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
    up to a constant, that a sentence answers. The best is highlighted with the sentences that it
    depends on, and further ones until the probability that one of them answers is `ENOUGH`. At most
    half of a `LONG` passage is highlighted, unless that probability is still below one half.
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
    """Return sentence ``n`` and the sentences that it depends on, at most `MOST`: an exception or
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
    """Return the weighted sum of each of ``rows``. There are few and short rows, for which a matrix
    product would be slow if it started threads.
    """
    return np.asarray(np.einsum("ij,j->i", rows, weights))


def _rarity(words: NDArray[np.int32], vocabulary: int, sentences: int) -> NDArray[np.float32]:
    """Return the rarity of each word of a ``vocabulary``, by the number of ``sentences`` with it;
    the last value is the rarity of an unknown word.
    """
    holders = np.bincount(words, minlength=vocabulary)
    return np.asarray(np.log(1 + sentences / (1 + np.r_[holders, 0])), dtype=np.float32)


def _norms(
    words: NDArray[np.int32], begin: NDArray[np.int64], vectors: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Return the lengths of the vectors of sentences, whose ``words`` begin at ``begin``, shape (p,
    1).
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

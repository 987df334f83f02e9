"""Groups of passages as fragments: their texts, words, phrasings, vectors and sentences, everything that is theirs alone.

A group ends where the hash of an entry says so, not after a fixed number: a passage that comes in or goes changes its own group only.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpus.model import Passage
from index.analysis import Analyzer, folded
from index.files.quantized import QuantizedVectors
from index.library.indexed_texts import IndexedText
from index.offline.container import pack_fragment
from index.offline.words import WordNumbers
from index.ranking.highlights import Highlighter

_ENTRIES = 20  # of a group, on average
_MOST_PASSAGES = 120  # of a group, where an entry has very many
_MOST_TIMES = 255


class Rendered(NamedTuple):
    """A passage as an answer shows it: its ``content`` whatever stands around it, and its ``place`` in the document."""

    content: Mapping[str, Any]
    place: Sequence[Any]


Render = Callable[[Passage], Rendered]


def group_bounds(passages: Sequence[Passage], first: int, end: int) -> Iterator[tuple[int, int]]:
    """The groups of the ``passages`` from number ``first`` up to ``end``, those of one edition: the first of each and the one behind it."""
    start = first
    for number in range(first + 1, end):
        entry = passages[number].entry
        new = entry != passages[number - 1].entry
        divides = new and zlib.crc32(entry.partition("/")[2].encode("utf-8", "surrogatepass")) % _ENTRIES == 0
        if divides or number - start >= _MOST_PASSAGES:
            yield start, number
            start = number
    if start < end:
        yield start, end


class GroupWriter:
    """Makes the fragments of groups of passages, by number: ``texts`` are what is indexed of each, ``vectors`` theirs."""

    def __init__(
        self,
        texts: Mapping[int, IndexedText],
        vectors: NDArray[np.float32],
        analyzer: Analyzer,
        highlighter: Highlighter,
    ):
        self._texts, self._vectors, self._analyzer, self._highlighter = texts, vectors, analyzer, highlighter

    def fragment(self, start: int, end: int, contents: Sequence[Mapping[str, Any]]) -> bytes:
        """The fragment of the passages from number ``start`` up to ``end``, which are shown as ``contents``."""
        words, terms = WordNumbers(), WordNumbers()
        texts = [self._texts[number] for number in range(start, end)]
        own = [words.of(folded(text.text)) for text in texts]
        phrased = [[words.of(folded(phrasing.text)) for phrasing in text.phrasings] for text in texts]
        counted = [Counter(self._terms(text)) for text in texts]
        numbered = [(terms.of(counts), list(counts.values())) for counts in counted]
        sentences = self._sentences(start, end, words)
        vectors = self._vectors[start:end]
        quantized = QuantizedVectors.quantize(vectors)
        arrays: dict[str, NDArray[Any]] = {
            "word_counts": _u16(map(len, own)),
            "words": _u16(word for some in own for word in some),
            "phrasing_counts": _u16(map(len, phrased)),
            "phrasing_lengths": _u16(len(one) for some in phrased for one in some),
            "phrasing_words": _u16(word for some in phrased for one in some for word in one),
            "term_counts": _u16(len(some) for some, _ in numbered),
            "terms": _u16(term for some, _ in numbered for term in some),
            "term_times": np.array([min(n, _MOST_TIMES) for _, times in numbered for n in times], dtype=np.uint8),
            "vectors": quantized.values.reshape(-1),
            "steps": quantized.steps,
            **sentences,
        }
        header = {"passages": list(contents), "vocabulary": words.text(), "term_vocabulary": terms.text()}
        return pack_fragment(header, arrays)

    def _terms(self, text: IndexedText) -> list[str]:
        found = self._analyzer.terms(text.text, text.language)
        for phrasing in text.phrasings:
            found += self._analyzer.terms(phrasing.text, phrasing.language)
        return found

    def _sentences(self, start: int, end: int, words: WordNumbers) -> dict[str, NDArray[Any]]:
        """The sentences of the passages: how many each has; start and end of each; its cues as bits; its words."""
        of_each = [self._highlighter.rows(number) for number in range(start, end)]
        rows = [row for some in of_each for row in some]
        spans = [sentence[:2] for some in of_each for sentence in self._highlighter.sentences(some)]
        held = [words.of(self._highlighter.words_of(row)) for row in rows]
        flags = [sum(1 << place for place, cue in enumerate(self._highlighter.cues_of(row)) if cue) for row in rows]
        return {
            "sentence_counts": _u16(map(len, of_each)),
            "sentences": np.array(spans, dtype=np.uint32).reshape(-1),
            "sentence_cues": _u16(flags),
            "sentence_word_counts": _u16(map(len, held)),
            "sentence_words": _u16(word for some in held for word in some),
        }


def _u16(values: Any) -> NDArray[np.uint16]:
    return np.array(list(values), dtype=np.uint16)

"""BM25 (Robertson and Zaragoza 2009), with Lucene's formula, over one sparse matrix of weights."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from glossary.string_trie import UNKNOWN, StringTrie
from index.analysis import word_grams
from index.files.arrays import concatenated_ranges, load_mapped

if TYPE_CHECKING:
    from scipy.sparse import csr_array

K1 = 1.2  # how soon further occurrences of a term add nothing
B = 0.6  # how much long texts are discounted

EXHAUSTIVE_LIMIT = 20_000  # passages up to which all are scored; beyond, candidates are quicker
READ = 200_000  # postings of a question from which candidates are taken, those of rare terms first
CACHED_CELLS = 2_500_000  # scores of words that are cached, 4 bytes each

_MOST = 65535


class TermCounts(NamedTuple):
    """Counts of each of ``terms`` in each text: ``times``, shape (texts, terms)."""

    terms: Sequence[str]
    times: csr_array


def count_terms(texts: Iterable[Sequence[str]]) -> TermCounts:
    """Count the terms of each text; ``texts`` are read one by one."""
    from scipy.sparse import csr_array  # 0.2 seconds, which a process that answers does without

    number: dict[str, int] = {}
    numbers, ends = array("i"), array("q", [0])
    for terms in texts:
        numbers.extend([number.setdefault(term, len(number)) for term in terms])
        ends.append(len(numbers))
    times = csr_array(
        (np.ones(len(numbers), dtype=np.int32), np.array(numbers, dtype=np.int32), np.array(ends)),
        shape=(len(ends) - 1, len(number)),
    )
    times.sum_duplicates()
    return TermCounts(list(number), times)


def count_grams(words: TermCounts) -> TermCounts:
    """Count the character n-grams of texts by the counts of their words."""
    grams = count_terms(map(word_grams, words.terms))
    return TermCounts(grams.terms, words.times @ grams.times)


def _rarity(holders: NDArray[np.integer], count: int) -> NDArray[np.float64]:
    """Return the weight of each term that ``holders`` of ``count`` texts contain."""
    return np.asarray(np.log(1 + (count - holders + 0.5) / (holders + 0.5)))


def _length_norms(lengths: NDArray[np.number]) -> NDArray[np.float64]:
    """Return the number added to a term's frequency in texts of these ``lengths``."""
    mean = lengths.mean() if len(lengths) else 0.0
    return np.asarray(K1 * (1 - B + B * lengths / max(mean, 1e-12)))


class Bm25:
    """The weights of terms in texts, by term: a sparse matrix of shape (terms, texts).

    The texts with term t are ``texts[first[t]:first[t + 1]]``, ascending; their ``weights`` at the
    same positions are multiples of ``step``, which makes an error of 1/100,000 of the greatest.
    ``size`` has the number of texts and ``step``.
    """

    def __init__(self, known: StringTrie, arrays: dict[str, NDArray[Any]]):
        self._known, self._arrays = known, arrays
        self._texts, self._weights = arrays["texts"], arrays["weights"]
        self._first = arrays["first"]
        self._count, self._step = int(arrays["size"][0]), float(arrays["size"][1])

    @classmethod
    def build(cls, counts: TermCounts) -> Bm25:
        """Index texts given as counts of their terms; text number i gets score number i."""
        known = StringTrie(counts.terms)
        order = np.empty(len(known), dtype=np.int64)
        for number, term in enumerate(counts.terms):
            order[known.number(term)] = number
        by_term = counts.times.tocsc()[:, order]
        by_term.sort_indices()
        count, holders = by_term.shape[0], np.diff(by_term.indptr)
        norms = _length_norms(np.asarray(counts.times.sum(axis=1)).ravel())
        weights = np.repeat(_rarity(holders, count), holders)
        weights *= by_term.data / (by_term.data + norms[by_term.indices])
        step = float(weights.max(initial=0.0)) / _MOST or 1.0
        arrays = {
            "first": by_term.indptr.astype(np.int64),
            "texts": by_term.indices.astype(np.min_scalar_type(count)),
            "weights": np.rint(weights / step).astype(np.uint16),
            "size": np.array([count, step]),
        }
        return cls(known, arrays)

    def scores(
        self, terms: Sequence[str], wanted: NDArray[np.int64] | None = None
    ) -> NDArray[np.float32]:
        """Score the texts ``wanted``, ascending, for ``terms``; all texts if ``wanted`` is None."""
        spans = self._spans(terms)
        if wanted is not None and self._count > EXHAUSTIVE_LIMIT:
            found = np.zeros(len(wanted), dtype=np.float32)
            sought = wanted.astype(self._texts.dtype)  # to avoid casting postings for the search
            for span in spans:
                texts = self._texts[span.start : span.stop]
                places = np.minimum(texts.searchsorted(sought), len(texts) - 1)
                found += (texts[places] == sought) * self._weights[span.start + places]
            return found * np.float32(self._step)
        if not spans:
            return np.zeros(self._count if wanted is None else len(wanted), dtype=np.float32)
        every = np.bincount(
            np.concatenate([self._texts[s.start : s.stop] for s in spans], dtype=np.intp),
            np.concatenate([self._weights[s.start : s.stop] for s in spans]),
            self._count,
        )
        of_wanted = every if wanted is None else every[wanted]
        return (of_wanted * self._step).astype(np.float32)

    def best(
        self, terms: Iterable[str], count: int, allowed: NDArray[np.int64] | None = None
    ) -> NDArray[np.int64]:
        """Find about ``count`` texts with the best scores for ``terms``, in no order.

        Terms in very many texts add little, and are skipped once `READ` is exceeded. ``allowed``
        are the texts that may be found, ascending; None for all.
        """
        spans = sorted(self._spans(dict.fromkeys(terms)), key=len)
        read = np.cumsum([0, *map(len, spans)])
        spans = [span for span, before in zip(spans, read, strict=False) if before < READ]
        if not spans:
            return np.empty(0, dtype=np.int64)
        pairs = np.concatenate([self._texts[s.start : s.stop] for s in spans]).astype(np.int64)
        pairs <<= 16
        pairs |= np.concatenate([self._weights[s.start : s.stop] for s in spans])
        if allowed is not None:
            may = np.zeros(self._count, dtype=np.bool_)
            may[allowed] = True
            pairs = pairs[may[pairs >> 16]]
        if not len(pairs):
            return np.empty(0, dtype=np.int64)
        pairs.sort()  # quicker than adding up in an array of all texts
        texts = pairs >> 16
        starts = np.r_[0, np.flatnonzero(np.diff(texts)) + 1]
        sums = np.add.reduceat(pairs & 0xFFFF, starts)
        found = texts[starts]
        return found if len(found) <= count else found[np.argpartition(-sums, count - 1)[:count]]

    def greatest(self, terms: Iterable[str]) -> list[float]:
        """Return the greatest weight of each of ``terms`` in any text; 0.0 for unknown terms."""
        numbers = map(self._known.number, terms)
        return [
            float(self._weights[self._first[n] : self._first[n + 1]].max()) * self._step
            if n != UNKNOWN
            else 0.0
            for n in numbers
        ]

    def by_text(self) -> csr_array:
        """Return the weights by text: a sparse array of shape (texts, terms)."""
        from scipy.sparse import csc_array

        weights = (self._weights * self._step).astype(np.float32)
        shape = (self._count, len(self._known))
        return csc_array((weights, self._texts, self._first), shape=shape).tocsr()

    def numbers(self, terms: Iterable[str]) -> list[int]:
        """Return the numbers of the ``terms`` that occur in any text."""
        return [number for number in map(self._known.number, terms) if number != UNKNOWN]

    def _spans(self, terms: Iterable[str]) -> list[range]:
        first = self._first
        return [range(first.item(n), first.item(n + 1)) for n in self.numbers(terms)]

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        _save(folder, self._known, self._arrays)

    @classmethod
    def load(cls, folder: Path) -> Bm25:
        """Map what `save` wrote to ``folder`` into memory.

        Raises `OSError`, `ValueError` or `RuntimeError` if it is damaged.
        """
        return cls(*_load(folder, ("first", "texts", "weights", "size")))


class GramScores:
    """BM25 for the character n-grams of words; the scores of frequent words are cached."""

    def __init__(self, grams: Bm25):
        self._grams = grams
        cached = CACHED_CELLS // max(grams._count, 1)
        self._of_word = lru_cache(cached)(lambda word: grams.scores(word_grams(word)))

    @classmethod
    def build(cls, words: TermCounts) -> GramScores:
        """Index texts given as counts of their folded words."""
        return cls(Bm25.build(count_grams(words)))

    def scores(self, words: Sequence[str], wanted: NDArray[np.int64]) -> NDArray[np.float32]:
        """Score the texts ``wanted`` for the n-grams of ``words``."""
        found = np.zeros(self._grams._count, dtype=np.float32)
        for word in words:
            found += self._of_word(word)
        return found[wanted]

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        self._grams.save(folder)

    @classmethod
    def load(cls, folder: Path) -> GramScores:
        """Map what `save` wrote to ``folder`` into memory; raises what `Bm25.load` raises."""
        return cls(Bm25.load(folder))


class FewGramScores:
    """The scores of `GramScores` for a few of very many texts, computed from their words: to store
    their n-grams would take ten times the space.

    The words of text i are ``words[first[i]:first[i + 1]]`` by number, ``often`` how often it has
    each; the words with n-gram g are ``spelt[begin[g]:begin[g + 1]]``, ``times`` how often each has
    it. ``rarity`` has a weight for each n-gram, ``norms`` a length norm for each text.
    """

    _ARRAYS = ("first", "words", "often", "begin", "spelt", "times", "rarity", "norms")

    def __init__(self, known: StringTrie, arrays: dict[str, NDArray[Any]]):
        self._known, self._arrays = known, arrays

    @classmethod
    def build(cls, words: TermCounts) -> FewGramScores:
        """Index texts given as counts of their folded words."""
        terms, spelling = count_terms(map(word_grams, words.terms))
        known = StringTrie(terms)
        order = np.empty(len(known), dtype=np.int64)
        for number, gram in enumerate(terms):
            order[known.number(gram)] = number
        by_gram = spelling.tocsc()[:, order]
        count, holders = words.times.shape[0], np.zeros(len(known), dtype=np.int64)
        for start in range(0, count, 10_000):
            some = words.times[start : start + 10_000] @ by_gram
            holders += np.bincount(some.indices, minlength=len(known))
        lengths = words.times @ np.asarray(spelling.sum(axis=1)).ravel()
        arrays = {
            "first": words.times.indptr.astype(np.int64),
            "words": words.times.indices.astype(np.int32),
            "often": np.minimum(words.times.data, 255).astype(np.uint8),
            "begin": by_gram.indptr.astype(np.int32),
            "spelt": by_gram.indices.astype(np.int32),
            "times": by_gram.data.astype(np.float32),
            "rarity": _rarity(holders, count).astype(np.float32),
            "norms": _length_norms(lengths).astype(np.float32),
        }
        return cls(known, arrays)

    def scores(self, words: Sequence[str], wanted: NDArray[np.int64]) -> NDArray[np.float32]:
        """Score the texts ``wanted`` for the n-grams of ``words``."""
        from scipy.sparse import csc_array, csr_array  # only very large indexes need it

        first, held, often, begin, spelt, times, rarity, norms = (
            self._arrays[name] for name in self._ARRAYS
        )
        numbers = map(self._known.number, [gram for word in words for gram in word_grams(word)])
        asked, repeated = np.unique(
            np.array([n for n in numbers if n != UNKNOWN], dtype=np.int64), return_counts=True
        )
        if not len(asked) or not len(wanted):
            return np.zeros(len(wanted), dtype=np.float32)
        places = concatenated_ranges(first[wanted], first[wanted + 1])
        ends = np.cumsum(np.r_[0, first[wanted + 1] - first[wanted]], dtype=np.int32)
        here, words_here = np.unique(held[places], return_inverse=True)
        texts = csr_array(
            (often[places].astype(np.float32), words_here.astype(np.int32), ends),
            shape=(len(wanted), len(here)),
        )
        shape = (int(held.max(initial=0)) + 1, len(rarity))
        spelling = csc_array((times, spelt, begin), shape=shape)[:, asked].tocsr()[here]
        found = (texts @ spelling).toarray()
        found /= found + norms[wanted][:, None]
        return np.asarray(found @ (rarity[asked] * repeated).astype(np.float32))

    def save(self, folder: Path) -> None:
        """Write everything to ``folder``."""
        _save(folder, self._known, self._arrays)

    @classmethod
    def load(cls, folder: Path) -> FewGramScores:
        """Map what `save` wrote to ``folder`` into memory; raises what `Bm25.load` raises."""
        return cls(*_load(folder, cls._ARRAYS))


def save_words(
    folder: Path,
    terms: Iterable[Sequence[str]],
    words: Iterable[Sequence[str]],
    limit: int = EXHAUSTIVE_LIMIT,
) -> None:
    """Write the words of passages to ``folder``, so that up to ``limit`` passages are all scored.

    ``terms`` are the index terms of each passage, ``words`` its folded words, whose n-grams are
    indexed.
    """
    Bm25.build(count_terms(terms)).save(folder / "words")
    counted = count_terms(words)
    kind = GramScores if counted.times.shape[0] <= limit else FewGramScores
    kind.build(counted).save(folder / "characters")


def _save(folder: Path, known: StringTrie, arrays: dict[str, NDArray[Any]]) -> None:
    folder.mkdir(parents=True)
    known.save(folder / "known.marisa")
    for name, values in arrays.items():
        np.save(folder / f"{name}.npy", values)


def _load(folder: Path, names: Sequence[str]) -> tuple[StringTrie, dict[str, NDArray[Any]]]:
    arrays = {name: load_mapped(folder / f"{name}.npy") for name in names}
    return StringTrie.load(folder / "known.marisa"), arrays

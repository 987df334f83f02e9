"""Text to vectors: the built-in subword encoder, applied with numpy alone, and hub models as a
setting.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from corpus.errors import RegulaError
from glossary.string_trie import UNKNOWN, StringTrie
from index.analysis import folded, word_grams
from index.files.row_reader import RowReader

BUCKETS = 1 << 16
DIMENSIONS = 256
WEIGHTS = "weights"  # their name in the file

_MOST_AT_ONCE = 512  # texts of a question, at most, or words
_CHUNK = 50_000  # texts whose different words are in memory together, 1 kB each
_CACHED_WORDS = 2_000  # words whose vectors are cached, 1 kB each
_SUMS_FILE = "words"  # the files of the words whose vectors are added up when an index is built


class Encoder(Protocol):
    """What the vector part of an index needs of an encoder."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    def passages(self, texts: list[str]) -> NDArray[np.float32]:
        """Unit vectors of passages, shape (len(texts), dimensions)."""

    def questions(self, texts: list[str]) -> NDArray[np.float32]:
        """Unit vectors of questions, shape (len(texts), dimensions)."""


@lru_cache(maxsize=2_000)
def _buckets(word: str) -> tuple[int, ...]:
    """Buckets of a folded word and its 3- to 5-grams (Bojanowski et al. 2017, with CRC-32 as the
    hash).
    """
    pieces = (f"={word}=", *word_grams(word)) if len(word) > 1 else (f"={word}=",)
    return tuple(zlib.crc32(piece.encode()) % BUCKETS for piece in pieces)


def buckets(text: str) -> list[int]:
    """Bucket numbers of every subword of ``text``, in order; ``[0]`` for a text without words."""
    return [b for word in folded(text) for b in _buckets(word)] or [0]


class _WordCache(NamedTuple):
    """Words of recent questions, each with the number of its row in ``sums``, shape (_CACHED_WORDS,
    DIMENSIONS).
    """

    numbers: dict[str, int]
    sums: NDArray[np.float32]


class SubwordEncoder:
    """The encoder that the project trains on the rulebooks themselves: vectors of words and n-grams
    added up and normalised.

    ``weights``, shape (BUCKETS, DIMENSIONS), are what `index.encoding.subwords.SubwordEmbedding`
    learned; ``rows`` are the same for questions, which need a few from everywhere. ``sums``, shape
    (len(sum_words), DIMENSIONS), are the vectors of ``sum_words``, added up when the index was
    built.
    """

    def __init__(
        self,
        weights: NDArray[np.float16],
        rows: RowReader | None = None,
        sum_words: StringTrie | None = None,
        sums: RowReader | None = None,
    ):
        self._weights, self._rows = weights, rows
        self._sum_words, self._sums = sum_words if sum_words is not None else StringTrie(), sums
        self._cache = _WordCache({}, np.empty((_CACHED_WORDS, DIMENSIONS), dtype=np.float32))
        self._lock = Lock()

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return DIMENSIONS

    @property
    def weights(self) -> NDArray[np.float16]:
        """The vectors of all buckets, shape (BUCKETS, DIMENSIONS)."""
        return self._weights

    def passages(self, texts: list[str]) -> NDArray[np.float32]:
        """Unit vectors, shape (len(texts), DIMENSIONS)."""
        if len(texts) <= _MOST_AT_ONCE:  # without scipy, which a process that answers does not load
            return self.questions(texts)
        found = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        for start in range(0, len(texts), _CHUNK):
            found[start : start + _CHUNK] = self._passages(texts[start : start + _CHUNK])
        return found

    def _passages(self, texts: list[str]) -> NDArray[np.float32]:
        """The same; each word and each text is looked up once, however often it is there."""
        place = {text: n for n, text in enumerate(dict.fromkeys(texts))}
        words_of = [folded(text) or ("",) for text in place]
        number = {
            word: n
            for n, word in enumerate(dict.fromkeys(word for some in words_of for word in some))
        }
        sums = self._compute_sums(list(number))
        found = _sums_of_rows([[number[word] for word in some] for some in words_of], sums)
        return _normalise(found)[[place[text] for text in texts]]

    def questions(self, texts: list[str]) -> NDArray[np.float32]:
        """The same as `passages`; the vectors of single words are cached for the next question."""
        if len(texts) > _MOST_AT_ONCE:  # no question: these are phrasings
            return self.passages(texts)
        cache = self._cache
        words_of = [(text,) if text in cache.numbers else folded(text) or ("",) for text in texts]
        words = dict.fromkeys(word for some in words_of for word in some)
        if len(words) > _CACHED_WORDS:
            return self._passages(texts)
        numbers, sums = cache if words.keys() <= cache.numbers.keys() else self._cache_words(words)
        found = sums.take([numbers[some[0]] for some in words_of], axis=0)
        for row, some in zip(found, words_of, strict=True):
            if len(some) > 1:
                np.add.reduce(sums.take([numbers[word] for word in some], axis=0), axis=0, out=row)
        return _normalise(found)

    def _cache_words(self, words: Iterable[str]) -> _WordCache:
        """The cache with all of ``words``; a new one where there would be more than
        `_CACHED_WORDS`.
        """
        with self._lock:
            cache = self._cache
            new = [word for word in words if word not in cache.numbers]
            if len(cache.numbers) + len(new) > _CACHED_WORDS:
                cache = self._cache = _WordCache({}, np.empty_like(cache.sums))
                new = list(words)
            for word in new:
                cache.sums[len(cache.numbers)] = self._sum(word)
                cache.numbers[word] = len(cache.numbers)  # last: who finds it may read its row
            return cache

    def _sum(self, word: str) -> NDArray[np.float32]:
        """The sum of the vectors of ``word`` and of its n-grams, shape (DIMENSIONS,): as added up
        in the build, or added up now.
        """
        if self._sums is not None and (number := self._sum_words.number(word)) != UNKNOWN:
            return np.asarray(self._sums.row(number))
        return np.asarray(self._compute_sums([word])[0])

    def _compute_sums(self, words: list[str]) -> NDArray[np.float32]:
        """The sum of the vectors of each of ``words`` and of its n-grams, shape (len(words),
        DIMENSIONS).
        """
        numbers = [_buckets(word) if word else (0,) for word in words]
        if len(words) > _MOST_AT_ONCE:
            return _sums_of_rows(numbers, self._weights.astype(np.float32))
        rows = (
            self._weights.take(of, axis=0) if self._rows is None else self._rows.take(of)
            for of in numbers
        )
        return np.array([some.sum(axis=0, dtype=np.float32) for some in rows]).reshape(
            -1, DIMENSIONS
        )

    def save_word_sums(self, words: Iterable[str], folder: Path) -> None:
        """Write the sums of folded ``words`` to the folder of the encoder, so that they need not be
        added up for a question.
        """
        known = StringTrie(words)
        names = [known.string(number) for number in range(len(known))]
        np.save(folder / f"{_SUMS_FILE}.npy", self._compute_sums(names))
        known.save(folder / f"{_SUMS_FILE}.marisa")

    @classmethod
    def load(cls, folder: Path) -> SubwordEncoder:
        """The encoder in ``folder``, mapped into memory.

        Raises `OSError`, `ValueError`, `KeyError` or `RuntimeError` where it is damaged.
        """
        path = folder / "model.safetensors"
        with path.open("rb") as file:
            length = int.from_bytes(
                file.read(8), "little"
            )  # of the header in JSON, behind which the tensors stand
            kept = json.loads(file.read(min(length, path.stat().st_size)))[WEIGHTS]
        if kept["dtype"] != "F16" or kept["shape"] != [BUCKETS, DIMENSIONS]:
            raise ValueError(f"{path.name}: no weights of the built-in encoder")
        start = 8 + length + kept["data_offsets"][0]
        weights = np.asarray(np.memmap(path, np.float16, "r", start, (BUCKETS, DIMENSIONS)))
        rows = RowReader(path, start, np.float16, weights.shape)
        if not (folder / f"{_SUMS_FILE}.npy").exists():  # an encoder that was just trained
            return cls(weights, rows)
        return cls(
            weights,
            rows,
            StringTrie.load(folder / f"{_SUMS_FILE}.marisa"),
            RowReader.load(folder / f"{_SUMS_FILE}.npy"),
        )


def _sums_of_rows(
    rows: Sequence[Sequence[int]], vectors: NDArray[np.float32]
) -> NDArray[np.float32]:
    """The sum of some rows of ``vectors`` for each of ``rows``, shape (len(rows), DIMENSIONS)."""
    from scipy.sparse import csr_array  # for texts by the thousand, which only building has

    ends = np.cumsum([0, *map(len, rows)])
    numbers = np.fromiter(
        (number for of_row in rows for number in of_row), dtype=np.int64, count=int(ends[-1])
    )
    each = csr_array(
        (np.ones(len(numbers), dtype=np.float32), numbers, ends), shape=(len(rows), len(vectors))
    )
    return np.asarray(each @ vectors)


def _normalise(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """``vectors``, normalised in place."""
    lengths = np.sqrt(np.vecdot(vectors, vectors))
    vectors /= np.maximum(lengths, np.float32(1e-12))[:, None]
    return vectors


class EncoderNotFound(RegulaError, OSError):
    """A sentence-transformers model is neither in a folder nor available from the hub."""


class HubEncoder:
    """A sentence-transformers model by name or folder, e.g. ``intfloat/multilingual-e5-small``.

    E5 models get questions and passages with the prefixes that they were trained with (Wang et al.
    2024). Raises `EncoderNotFound`.
    """

    def __init__(self, name: str):
        from sentence_transformers import (
            SentenceTransformer,
        )  # brings torch, which the built-in encoder does without

        self.name = name
        try:
            self.model = SentenceTransformer(name, device="cpu")
        except (OSError, ValueError) as fault:
            reason = (str(fault).splitlines() or [type(fault).__name__])[0]
            raise EncoderNotFound(
                f"encoder {name!r}: neither a folder with a model nor to be had from the hub ({reason})"
            ) from fault
        self._prefixes = ("query: ", "passage: ") if "e5" in Path(name).name.lower() else ("", "")

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self.model.get_embedding_dimension() or 0)

    def questions(self, texts: list[str]) -> NDArray[np.float32]:
        """Unit vectors of questions, shape (len(texts), dimensions)."""
        return self._encode(texts, self._prefixes[0])

    def passages(self, texts: list[str]) -> NDArray[np.float32]:
        """Unit vectors of passages, shape (len(texts), dimensions)."""
        return self._encode(texts, self._prefixes[1])

    def _encode(self, texts: list[str], prefix: str) -> NDArray[np.float32]:
        vectors = self.model.encode(
            [prefix + t for t in texts],
            batch_size=32,
            show_progress_bar=False,
            normalize_embeddings=True,
        )
        return np.asarray(vectors, dtype=np.float32)

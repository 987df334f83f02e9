"""Encode texts as vectors: the built-in subword encoder, which needs only numpy, and hub models."""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from corpus.errors import RegulaError
from glossary.string_trie import UNKNOWN, StringTrie
from index.analysis import folded, word_grams

BUCKETS = 1 << 16
DIMENSIONS = 256
WEIGHTS = "weights"  # their name in the file

_MOST_AT_ONCE = 512  # texts or words that one question has at most
_CHUNK = 50_000  # texts whose different words are in memory at a time, 1 kB each
_CACHED_WORDS = 2_000  # words whose vectors are cached, 1 kB each
_SUMS_FILE = "words"  # files of the vectors of words that a build adds up from subwords

Rows = Callable[[Sequence[int]], NDArray[Any]]


class Encoder(Protocol):
    """The interface of encoders."""

    @property
    def dimensions(self) -> int:
        """Length of a vector."""

    def passages(self, texts: list[str]) -> NDArray[np.float32]:
        """Return unit vectors of passages, shape (len(texts), dimensions)."""

    def questions(self, texts: list[str]) -> NDArray[np.float32]:
        """Return unit vectors of questions, shape (len(texts), dimensions)."""


@lru_cache(maxsize=2_000)
def _buckets(word: str) -> tuple[int, ...]:
    """Hash a folded word and its 3- to 5-grams (Bojanowski et al. 2017, by CRC-32)."""
    pieces = (f"={word}=", *word_grams(word)) if len(word) > 1 else (f"={word}=",)
    return tuple(zlib.crc32(piece.encode()) % BUCKETS for piece in pieces)


def buckets(text: str) -> list[int]:
    """Return the hash buckets of all subwords of ``text``, or ``[0]`` if it has no words."""
    return [b for word in folded(text) for b in _buckets(word)] or [0]


class SubwordEncoder:
    """The encoder trained on the rulebooks: adds up the vectors of words and their n-grams and
    normalises the sum.

    ``weights``, shape (BUCKETS, DIMENSIONS), are learned by
    `index.training.encoder.SubwordEmbedding`; ``rows`` reads some rows of them. ``sums`` reads the
    vectors of ``sum_words``, added up by the build.
    """

    dimensions = DIMENSIONS

    def __init__(
        self,
        weights: NDArray[np.float16],
        rows: Rows | None = None,
        sum_words: StringTrie | None = None,
        sums: Rows | None = None,
    ):
        self.weights = weights
        self._rows: Rows = rows or (lambda numbers: weights.take(numbers, axis=0))
        self._sum = lru_cache(_CACHED_WORDS)(
            partial(_word_sum, self._rows, sum_words or StringTrie(), sums)
        )

    def passages(self, texts: list[str]) -> NDArray[np.float32]:
        """Return unit vectors, shape (len(texts), DIMENSIONS)."""
        if len(texts) <= _MOST_AT_ONCE:  # without scipy, which answering does not load
            return self.questions(texts)
        found = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        for start in range(0, len(texts), _CHUNK):
            found[start : start + _CHUNK] = self._passages(texts[start : start + _CHUNK])
        return found

    def _passages(self, texts: list[str]) -> NDArray[np.float32]:
        """Return the vectors of one chunk of texts; repeated words and texts are computed once."""
        place = {text: n for n, text in enumerate(dict.fromkeys(texts))}
        words_of = [folded(text) or ("",) for text in place]
        words = dict.fromkeys(word for some in words_of for word in some)
        number = {word: n for n, word in enumerate(words)}
        sums = self._compute_sums(list(number))
        found = _sums_of_rows([[number[word] for word in some] for some in words_of], sums)
        return _normalise(found)[[place[text] for text in texts]]

    def questions(self, texts: list[str]) -> NDArray[np.float32]:
        """Return the same as `passages`, with a cache of the vectors of words."""
        if len(texts) > _MOST_AT_ONCE:  # query variants, not a question
            return self.passages(texts)
        found = np.empty((len(texts), DIMENSIONS), dtype=np.float32)
        for row, text in zip(found, texts, strict=True):
            np.add.reduce([self._sum(word) for word in folded(text) or ("",)], axis=0, out=row)
        return _normalise(found)

    def _compute_sums(self, words: list[str]) -> NDArray[np.float32]:
        """Add up, for each of ``words``, its vector and those of its n-grams."""
        numbers = [_buckets(word) if word else (0,) for word in words]
        if len(words) > _MOST_AT_ONCE:
            return _sums_of_rows(numbers, self.weights.astype(np.float32))
        found = [self._rows(of).sum(axis=0, dtype=np.float32) for of in numbers]
        return np.array(found).reshape(-1, DIMENSIONS)

    def save_word_sums(self, words: Iterable[str], folder: Path) -> None:
        """Write the vectors of folded ``words`` to the encoder's ``folder``, for `load`."""
        known = StringTrie(words)
        names = [known.string(number) for number in range(len(known))]
        np.save(folder / f"{_SUMS_FILE}.npy", self._compute_sums(names))
        known.save(folder / f"{_SUMS_FILE}.marisa")

    @classmethod
    def load(cls, folder: Path) -> SubwordEncoder:
        """Map the encoder in ``folder`` into memory.

        Raises `OSError`, `ValueError`, `KeyError` or `RuntimeError` if it is damaged.
        """
        path = folder / "model.safetensors"
        with path.open("rb") as file:  # a JSON header, followed by the tensors
            length = int.from_bytes(file.read(8), "little")
            kept = json.loads(file.read(min(length, path.stat().st_size)))[WEIGHTS]
        if kept["dtype"] != "F16" or kept["shape"] != [BUCKETS, DIMENSIONS]:
            raise ValueError(f"{path.name}: no weights of the built-in encoder")
        start = 8 + length + kept["data_offsets"][0]
        mapped = np.memmap(path, np.float16, "r", start, (BUCKETS, DIMENSIONS))
        weights, rows = np.asarray(mapped), rows_in_file(path, mapped)
        if not (folder / f"{_SUMS_FILE}.npy").exists():  # an encoder that was just trained
            return cls(weights, rows)
        words = StringTrie.load(folder / f"{_SUMS_FILE}.marisa")
        path = folder / f"{_SUMS_FILE}.npy"
        return cls(weights, rows, words, rows_in_file(path, np.load(path, mmap_mode="r")))


def rows_in_file(path: Path, mapped: np.memmap[Any, Any]) -> Rows:
    """Return a function that reads rows of the array ``mapped`` from its file ``path``.

    A row read through the memory map also loads the pages around it (fifteen by default on Linux):
    scattered rows would soon bring the whole file into memory.
    """
    file = path.open("rb", buffering=0)
    kind, columns, start = mapped.dtype, mapped.shape[1], mapped.offset
    size = columns * kind.itemsize

    def read(numbers: Sequence[int]) -> NDArray[Any]:
        content = [os.pread(file.fileno(), size, start + number * size) for number in numbers]
        return np.frombuffer(b"".join(content), kind).reshape(-1, columns)

    return read


def _word_sum(
    rows: Rows, sum_words: StringTrie, sums: Rows | None, word: str
) -> NDArray[np.float32]:
    """Return the vector of ``word``, read from ``sums`` or added up from its subwords."""
    if sums is not None and (number := sum_words.number(word)) != UNKNOWN:
        return np.asarray(sums([number])[0])
    return np.asarray(rows(_buckets(word) if word else (0,)).sum(axis=0, dtype=np.float32))


def _sums_of_rows(
    rows: Sequence[Sequence[int]], vectors: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Add up the ``vectors`` numbered in each of ``rows``, shape (len(rows), DIMENSIONS)."""
    from scipy.sparse import csr_array  # only a build needs it

    ends = np.cumsum([0, *map(len, rows)])
    numbers = np.fromiter((n for of_row in rows for n in of_row), np.int64, count=int(ends[-1]))
    shape = (len(rows), len(vectors))
    each = csr_array((np.ones(len(numbers), dtype=np.float32), numbers, ends), shape=shape)
    return np.asarray(each @ vectors)


def _normalise(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    lengths = np.sqrt(np.vecdot(vectors, vectors))
    vectors /= np.maximum(lengths, np.float32(1e-12))[:, None]
    return vectors


class EncoderNotFound(RegulaError, OSError):
    """Raised if an encoder is neither in a folder nor available from the hub."""


class HubEncoder:
    """A sentence-transformers model by name or folder, e.g. ``intfloat/multilingual-e5-small``.

    For E5 models, questions and passages get the prefixes of their training (Wang et al. 2024).
    Raises `EncoderNotFound`.
    """

    def __init__(self, name: str):
        # The import loads torch, which the built-in encoder does not need.
        from sentence_transformers import SentenceTransformer

        self.name = name
        try:
            self.model = SentenceTransformer(name, device="cpu")
        except (OSError, ValueError) as fault:
            reason = (str(fault).splitlines() or [type(fault).__name__])[0]
            raise EncoderNotFound(
                f"encoder {name!r}: neither a folder with a model nor to be had from the hub "
                f"({reason})"
            ) from fault
        self._prefixes = ("query: ", "passage: ") if "e5" in Path(name).name.lower() else ("", "")

    @property
    def dimensions(self) -> int:
        """Length of a vector."""
        return int(self.model.get_embedding_dimension() or 0)

    def questions(self, texts: list[str]) -> NDArray[np.float32]:
        """Return unit vectors of questions, shape (len(texts), dimensions)."""
        return self._encode(texts, self._prefixes[0])

    def passages(self, texts: list[str]) -> NDArray[np.float32]:
        """Return unit vectors of passages, shape (len(texts), dimensions)."""
        return self._encode(texts, self._prefixes[1])

    def _encode(self, texts: list[str], prefix: str) -> NDArray[np.float32]:
        vectors = self.model.encode(
            [prefix + t for t in texts],
            batch_size=32,
            show_progress_bar=False,
            normalize_embeddings=True,
        )
        return np.asarray(vectors, dtype=np.float32)

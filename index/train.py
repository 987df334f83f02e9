"""Training of the built-in encoder: what belongs together in the rulebooks is brought together, all else kept apart."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from corpus.sentences import sentences
from index.analysis import fold, words
from index.encoder import BUCKETS, SubwordEmbedding, buckets
from index.library import Library
from index.texts import IndexedText

BATCH = 256
STEPS = 900
TEMPERATURE = 0.07
LEARNING_RATE = 0.004
PHRASING_WEIGHT = 3  # how often a phrasing is shown where a sentence is shown once
DROPPED = 0.25  # share of words left out at random


class Pair(NamedTuple):
    """A text that should find a passage, and the passage, numbered as in the index."""

    text: str
    passage: int


def pairs(library: Library, texts: Sequence[IndexedText]) -> list[Pair]:
    """What the rulebooks themselves and the phrasings say about which words mean which passage.

    ``texts`` are the indexed texts of the library's searchable passages, in their order. Pairs come from phrasings, from
    headings, from sentences, and from references: an entry's heading should also find what it points to.
    """
    found = []
    for number, passage in enumerate(library.searchable):
        entry = library.entry[passage.entry]
        around = library.path(entry)
        found.append(Pair(" ".join(e.title for e in around[-2:]), number))
        found += [Pair(p.text, number) for p in texts[number].phrasings] * PHRASING_WEIGHT
        for a, b in sentences(passage.display):
            if b - a > 15:
                found.append(Pair(passage.display[a:b], number))
                found.append(Pair(f"{entry.title} {passage.display[a:b]}", number))
        for reference in library.references_of.get(entry.id, ()):
            if reference.target and passage.ordinal == 0 and reference.target in library.entry:
                found.append(Pair(f"{entry.title} {library.entry[reference.target].title}", number))
    return found


def inverse_frequencies(numbers: Sequence[Sequence[int]]) -> NDArray[np.float32]:
    """Inverse document frequency of every bucket over texts given as bucket numbers, shape (BUCKETS,)."""
    counts = Counter(b for n in numbers for b in set(n))
    idf = np.full(BUCKETS, np.log(len(numbers) + 1.0), dtype=np.float32)
    for bucket, count in counts.items():
        idf[bucket] = np.log((len(numbers) + 1) / (count + 0.5))
    return np.maximum(idf, 0.05)


def train(
    texts: Sequence[str], examples: Sequence[Pair], steps: int = STEPS, seed: int = 7, report: Callable[[int, int], None] | None = None
) -> SubwordEmbedding:
    """An encoder trained with in-batch negatives (Henderson et al. 2017) to find ``texts[p.passage]`` by ``p.text``.

    Words of the query are dropped at random, so that no single word decides. The same input gives the same weights
    on the same machine. ``report(step, steps)`` is called now and then.
    """
    torch.manual_seed(seed)
    choose = random.Random(seed)
    vocabulary = _Vocabulary()
    targets = [vocabulary.numbers(t) for t in texts]
    queries = [(vocabulary.numbers(p.text), p.passage) for p in examples]
    module = SubwordEmbedding(frequencies=inverse_frequencies([buckets(t) for t in texts]), seed=seed)
    optimiser = torch.optim.SparseAdam(list(module.parameters()), lr=LEARNING_RATE)
    order: list[int] = []
    for step in range(steps if queries else 0):
        while len(order) < BATCH:
            fresh = list(range(len(queries)))
            choose.shuffle(fresh)
            order += fresh
        batch = [queries[i] for i in order[:BATCH]]
        del order[:BATCH]
        unique = {passage: words for words, passage in batch}  # a passage must not be its own negative
        left = [[w for w in words if choose.random() > DROPPED] or words[:1] for words in unique.values()]
        right = [[w for w in targets[p] if choose.random() > DROPPED] or targets[p][:1] for p in unique]
        encoded = _encode(module.embedding.weight, vocabulary, left + right)
        similarities = encoded[: len(left)] @ encoded[len(left) :].T / TEMPERATURE
        truth = torch.arange(len(left))
        loss = torch.nn.functional.cross_entropy(similarities, truth) + torch.nn.functional.cross_entropy(similarities.T, truth)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        for group in optimiser.param_groups:
            group["lr"] = LEARNING_RATE * (1 - step / steps)
        optimiser.step()  # type: ignore[no-untyped-call]
        if report and step % 50 == 0:
            report(step, steps)
    return module


class _Vocabulary:
    """Words by number, each with its buckets, so that a word that a batch repeats is looked up once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self.buckets: list[list[int]] = []

    def numbers(self, text: str) -> list[int]:
        found = []
        for word in words(fold(text)) or [""]:
            if word not in self._numbers:
                self._numbers[word] = len(self.buckets)
                self.buckets.append(buckets(word))
            found.append(self._numbers[word])
        return found


def _encode(weights: torch.Tensor, vocabulary: _Vocabulary, texts: list[list[int]]) -> torch.Tensor:
    """Unit vectors of texts given as word numbers, as `SubwordEmbedding.forward` would make them."""
    here = {word: i for i, word in enumerate(dict.fromkeys(w for t in texts for w in t))}
    vectors = _sums(weights, [vocabulary.buckets[w] for w in here], sparse=True)
    return torch.nn.functional.normalize(_sums(vectors, [[here[w] for w in t] for t in texts]), dim=1)


def _sums(rows: torch.Tensor, groups: list[list[int]], sparse: bool = False) -> torch.Tensor:
    """The sum of each group of ``rows``, shape (len(groups), rows.shape[1])."""
    offsets = torch.from_numpy(np.cumsum([0] + [len(g) for g in groups[:-1]]))
    flat = torch.tensor([i for g in groups for i in g])
    return torch.nn.functional.embedding_bag(flat, rows, offsets, mode="sum", sparse=sparse)

"""Training of the built-in encoder: what belongs together in the rulebooks is brought together, all
else kept apart.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np
import torch
from numpy.typing import NDArray

from index.analysis import folded
from index.encoding.encoder import BUCKETS, buckets
from index.encoding.starting_weights import StartingWeights
from index.encoding.subwords import SubwordEmbedding
from index.encoding.training_pairs import TrainingPair
from index.library.indexed_texts import IndexedText

BATCH = 4096  # pairs of a step, fewer where there are fewer passages, but not fewer than the next
LEAST_BATCH = 1024
SEEN = 50 * BATCH  # pairs in all: what is enough from the starting weights on
EPOCHS = 30  # a small library has learned all that it can by then
TEMPERATURE = 0.06
LEARNING_RATE = 0.016
DROPPED = 0.25  # share of words left out at random
SWAPPED = 0.5  # how often another phrasing stands for the passage: players' words are alike, and training so is quicker

_DECAY = 0.99  # of the running mean of squared gradients


def inverse_frequencies(numbers: Sequence[Sequence[int]]) -> NDArray[np.float32]:
    """Inverse document frequency of every bucket over texts given as bucket numbers, shape
    (BUCKETS,).
    """
    counts = Counter(b for n in numbers for b in set(n))
    idf = np.full(BUCKETS, np.log(len(numbers) + 1.0), dtype=np.float32)
    for bucket, count in counts.items():
        idf[bucket] = np.log((len(numbers) + 1) / (count + 0.5))
    return np.maximum(idf, 0.05)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Have torch use one thread: a step is small, and where other programs run, threads that wait
    for each other take thrice as long.
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@_one_thread()
def train(
    texts: Sequence[IndexedText],
    examples: Sequence[TrainingPair],
    start: StartingWeights | None = None,
    batch_size: int = BATCH,
    seen: int = SEEN,
    seed: int = 7,
    report: Callable[[int, int], None] | None = None,
) -> SubwordEmbedding:
    """Train an encoder with in-batch negatives (Henderson et al. 2017) to find ``texts[p.passage]``
    by ``p.text``.

    ``start`` are the weights to begin with, random ones if it is None. Words are dropped at random,
    so that no single word decides; now and then a phrasing stands for its passage. Rows of the
    embedding are stepped by RMSProp (Tieleman and Hinton 2012) with one running mean a row, as
    large embedding tables usually are (Gupta et al. 2014): only rows that a batch uses are touched.
    The same input gives the same weights on the same machine. ``seen`` pairs are shown in all, each
    of ``examples`` at most `EPOCHS` times, ``batch_size`` of them in a step, in a small library
    fewer. ``report(step, steps)`` is called now and then.
    """
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    vocabulary = _Vocabulary()
    queries = _Bags([vocabulary.numbers(p.text) for p in examples])
    wanted = np.array([p.passage for p in examples], dtype=np.int64)
    # The texts come first, so that the number of a passage is that of its own text; then all
    # phrasings, passage by passage.
    targets = _Bags(
        [
            vocabulary.numbers(t)
            for t in (*(t.text for t in texts), *(p.text for t in texts for p in t.phrasings))
        ]
    )
    phrased = np.array([len(t.phrasings) for t in texts], dtype=np.int64)
    first = len(texts) + np.cumsum(phrased) - phrased
    words_of = _Bags(vocabulary.buckets)
    module = SubwordEmbedding(
        frequencies=inverse_frequencies([buckets(t.text) for t in texts]), seed=seed
    )
    weights = module.embedding.weight.detach()
    if start is not None:
        weights[torch.from_numpy(start.buckets)] = torch.from_numpy(start.rows)
    squares = torch.zeros(len(weights), 1)
    order = np.empty(0, dtype=np.int64)
    batch_size = min(batch_size, max(len(texts), LEAST_BATCH))
    steps = min(seen, EPOCHS * len(wanted)) // batch_size
    for step in range(steps):
        while len(order) < batch_size:
            order = np.concatenate([order, random.permutation(len(wanted))])
        batch, order = order[:batch_size], order[batch_size:]
        passages, kept = np.unique(
            wanted[batch], return_index=True
        )  # a passage must not be its own negative
        swapped = (random.random(len(passages)) < SWAPPED) & (phrased[passages] > 0)
        chosen = np.where(
            swapped,
            first[passages] + (random.random(len(passages)) * phrased[passages]).astype(np.int64),
            passages,
        )
        left, right = queries.rows(batch[kept]), targets.rows(chosen)
        shown, counts = _dropped(
            np.concatenate([left.flat, right.flat]),
            np.concatenate([left.counts, right.counts]),
            random,
        )
        here, local = np.unique(shown, return_inverse=True)
        pieces = words_of.rows(here)
        used, places = np.unique(pieces.flat, return_inverse=True)
        rows = weights[torch.from_numpy(used)].requires_grad_(True)
        vectors = torch.nn.functional.normalize(
            _sums(_sums(rows, places, pieces.counts), local, counts), dim=1
        )
        similarities = vectors[: len(passages)] @ vectors[len(passages) :].T / TEMPERATURE
        truth = torch.arange(len(passages))
        loss = torch.nn.functional.cross_entropy(
            similarities, truth
        ) + torch.nn.functional.cross_entropy(similarities.T, truth)
        loss.backward()  # type: ignore[no-untyped-call]
        _step(
            weights, squares, torch.from_numpy(used), rows, step, LEARNING_RATE * (1 - step / steps)
        )
        if report and step % 10 == 0:
            report(step, steps)
    return module


def _step(
    weights: torch.Tensor,
    squares: torch.Tensor,
    used: torch.Tensor,
    rows: torch.Tensor,
    step: int,
    rate: float,
) -> None:
    """Move the ``used`` rows of ``weights`` against the gradient of ``rows``, which are copies of
    them.
    """
    gradient = rows.grad
    assert gradient is not None
    mean = (
        squares[used]
        .mul_(_DECAY)
        .add_(gradient.square().mean(dim=1, keepdim=True), alpha=1 - _DECAY)
    )
    squares[used] = mean
    weights[used] = rows.detach().addcdiv_(
        gradient, (mean / (1 - _DECAY ** (step + 1))).sqrt_().add_(1e-8), value=-rate
    )


def _dropped(
    words: NDArray[np.int64], counts: NDArray[np.int64], random: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Texts, given as ``words`` one after the other and how many each has, without some of them;
    each keeps at least one.
    """
    starts = np.cumsum(counts) - counts
    kept = random.random(len(words)) > DROPPED
    kept[starts] |= np.add.reduceat(kept, starts) == 0
    return words[kept], np.add.reduceat(kept, starts, dtype=np.int64)


class _Rows(NamedTuple):
    """Some groups of numbers: one after the other, and how many each has."""

    flat: NDArray[np.int64]
    counts: NDArray[np.int64]


class _Bags:
    """Groups of numbers, none empty, kept one after the other, so that any of them are looked up at
    once.
    """

    def __init__(self, groups: Sequence[Sequence[int]]):
        self._ends = np.cumsum([0, *map(len, groups)])
        self._flat = np.fromiter(
            (number for group in groups for number in group),
            dtype=np.int64,
            count=int(self._ends[-1]),
        )

    def rows(self, wanted: NDArray[np.int64]) -> _Rows:
        counts = self._ends[wanted + 1] - self._ends[wanted]
        shift = self._ends[wanted] - (np.cumsum(counts) - counts)
        return _Rows(self._flat[np.repeat(shift, counts) + np.arange(counts.sum())], counts)


class _Vocabulary:
    """Words by number, each with its buckets, so that a word that a batch repeats is looked up
    once.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._texts: dict[str, list[int]] = {}  # most are there several times
        self.buckets: list[list[int]] = []

    def numbers(self, text: str) -> list[int]:
        if (found := self._texts.get(text)) is None:
            found = self._texts[text] = [self._number(word) for word in folded(text) or ("",)]
        return found

    def _number(self, word: str) -> int:
        if (number := self._numbers.get(word)) is None:
            number = self._numbers[word] = len(self.buckets)
            self.buckets.append(buckets(word))
        return number


def _sums(
    rows: torch.Tensor, numbers: NDArray[np.int64], counts: NDArray[np.int64]
) -> torch.Tensor:
    """The sums of ``rows[numbers]`` by groups of ``counts`` numbers, shape (len(counts),
    rows.shape[1]).
    """
    offsets = torch.from_numpy(np.cumsum(counts) - counts)
    return torch.nn.functional.embedding_bag(torch.from_numpy(numbers), rows, offsets, mode="sum")

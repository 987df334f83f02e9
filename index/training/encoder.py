"""Train the built-in encoder with torch: texts that belong together get similar vectors, other
texts different ones.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from safetensors.torch import load_file, save_file
from sentence_transformers.base.modules.input_module import InputModule
from torch import nn

from index.analysis import folded
from index.encoding.encoder import BUCKETS, DIMENSIONS, WEIGHTS, SubwordEncoder, buckets
from index.library.indexed_texts import IndexedText
from index.training.material import StartingWeights, TrainingPair, save_starting_weights

BATCH = 4096  # pairs in a step; as many as passages if these are fewer, at least `LEAST_BATCH`
LEAST_BATCH = 1024
SEEN = 50 * BATCH  # pairs in all: enough if training begins with the starting weights
EPOCHS = 30  # most times that a pair is shown: more gain nothing in a small library
PRETRAINING_BATCH, PRETRAINING_SEEN = 1_024, 900 * 1_024  # the same for the starting weights
TEMPERATURE = 0.06
LEARNING_RATE = 0.016
DROPPED = 0.25  # share of words left out at random
SWAPPED = 0.5  # share of passages replaced by a query variant: players use similar words

_DECAY = 0.99  # decay of the running mean of squared gradients


class SubwordEmbedding(InputModule):
    """Words and character 3- to 5-grams hashed into `BUCKETS` vectors, added up and normalised; a
    module of sentence-transformers, which is needed only for training.

    ``frequencies``, shape (BUCKETS,), are the initial weights of the buckets (inverse document
    frequency): an untrained module is a random projection of weighted n-grams.
    """

    modalities = ["text"]  # noqa: RUF012 - the base class wants a plain list

    def __init__(
        self,
        weights: torch.Tensor | None = None,
        frequencies: NDArray[np.float32] | None = None,
        seed: int = 7,
    ):
        super().__init__()  # type: ignore[no-untyped-call]
        if weights is None:
            generator = torch.Generator().manual_seed(seed)
            weights = torch.randn(BUCKETS, DIMENSIONS, generator=generator) / DIMENSIONS**0.5
            if frequencies is not None:
                weights *= torch.from_numpy(frequencies)[:, None]
        self.embedding = nn.EmbeddingBag.from_pretrained(
            weights.float(), freeze=False, mode="sum", sparse=True
        )

    def preprocess(
        self, inputs: Any, prompt: str | None = None, **_: Any
    ) -> dict[str, torch.Tensor]:
        """Return the buckets of all ``inputs`` in one array, and the offset of each text."""
        numbers = [buckets(text) for text in inputs]
        offsets = np.cumsum([0] + [len(n) for n in numbers[:-1]])
        return {
            "input_ids": torch.tensor([b for n in numbers for b in n]),
            "offsets": torch.from_numpy(offsets),
        }

    def forward(self, features: dict[str, torch.Tensor], **_: Any) -> dict[str, torch.Tensor]:
        """Add unit vectors, shape (number of texts, DIMENSIONS), as ``sentence_embedding``."""
        bags = self.embedding(features["input_ids"], features["offsets"])
        features["sentence_embedding"] = nn.functional.normalize(bags, dim=1)
        return features

    @property
    def max_seq_length(self) -> int:
        """Unlimited in practice."""
        return 1_000_000

    def get_embedding_dimension(self) -> int:
        """Return the length of a vector."""
        return DIMENSIONS

    def save(self, output_path: str, *_: Any, **__: Any) -> None:
        """Write the weights, in half precision, to ``output_path``/model.safetensors."""
        weights = self.embedding.weight.detach().half().contiguous()
        save_file({WEIGHTS: weights}, str(Path(output_path) / "model.safetensors"))

    @classmethod
    def load(cls, model_name_or_path: str, *_: Any, **__: Any) -> SubwordEmbedding:
        """Load the module saved in a folder."""
        return cls(load_file(str(Path(model_name_or_path) / "model.safetensors"))[WEIGHTS])

    def built_in(self) -> SubwordEncoder:
        """Return the encoder with these weights in half precision, as they are stored."""
        return SubwordEncoder(self.embedding.weight.detach().half().numpy())


def inverse_frequencies(numbers: Sequence[Sequence[int]]) -> NDArray[np.float32]:
    """Return the inverse document frequency of each bucket; ``numbers`` has each text's buckets."""
    counts = Counter(b for n in numbers for b in set(n))
    idf = np.full(BUCKETS, np.log(len(numbers) + 1.0), dtype=np.float32)
    for bucket, count in counts.items():
        idf[bucket] = np.log((len(numbers) + 1) / (count + 0.5))
    return np.maximum(idf, 0.05)


@contextmanager
def _one_thread() -> Iterator[None]:
    # A step is small: with other programs running, threads that wait for each other take three
    # times as long.
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
    """Train an encoder with in-batch negatives (Henderson et al. 2017) to find, for each example
    ``p``, the passage ``texts[p.passage]`` by ``p.text``.

    Words are dropped at random, so that no single word decides; sometimes a query variant replaces
    its passage. The rows of the embedding are updated by RMSProp (Tieleman and Hinton 2012) with
    one running mean per row, as is usual for large tables (Gupta et al. 2014). The same input gives
    the same weights on the same machine.

    Args:
        texts: The passages.
        examples: Pairs, each shown at most `EPOCHS` times.
        start: The weights to begin with; random weights if None.
        batch_size: Pairs in a step, fewer in a small library.
        seen: Pairs shown in all.
        seed: The seed of all random numbers.
        report: Called every ten steps with the number of the step and of all steps.
    """
    torch.manual_seed(seed)
    random = np.random.default_rng(seed)
    vocabulary = _Vocabulary()
    queries = _Bags([vocabulary.numbers(p.text) for p in examples])
    wanted = np.array([p.passage for p in examples], dtype=np.int64)
    # First the texts, numbered like their passages, then all query variants, passage by passage.
    said = (*(t.text for t in texts), *(p.text for t in texts for p in t.phrasings))
    targets = _Bags([vocabulary.numbers(text) for text in said])
    phrased = np.array([len(t.phrasings) for t in texts], dtype=np.int64)
    first = len(texts) + np.cumsum(phrased) - phrased
    words_of = _Bags(vocabulary.buckets)
    frequencies = inverse_frequencies([buckets(t.text) for t in texts])
    module = SubwordEmbedding(frequencies=frequencies, seed=seed)
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
        # A passage must not be its own negative.
        passages, kept = np.unique(wanted[batch], return_index=True)
        swapped = (random.random(len(passages)) < SWAPPED) & (phrased[passages] > 0)
        others = (random.random(len(passages)) * phrased[passages]).astype(np.int64)
        chosen = np.where(swapped, first[passages] + others, passages)
        asked, targeted = queries.rows(batch[kept]), targets.rows(chosen)
        shown, counts = map(np.concatenate, zip(asked, targeted, strict=True))
        shown, counts = _dropped(shown, counts, random)
        here, local = np.unique(shown, return_inverse=True)
        pieces, sizes = words_of.rows(here)
        used, places = np.unique(pieces, return_inverse=True)
        rows = weights[torch.from_numpy(used)].requires_grad_(True)
        vectors = nn.functional.normalize(_sums(_sums(rows, places, sizes), local, counts), dim=1)
        similarities = vectors[: len(passages)] @ vectors[len(passages) :].T / TEMPERATURE
        truth = torch.arange(len(passages))
        loss = nn.functional.cross_entropy(similarities, truth)
        loss = loss + nn.functional.cross_entropy(similarities.T, truth)
        loss.backward()  # type: ignore[no-untyped-call]
        rate = LEARNING_RATE * (1 - step / steps)
        _step(weights, squares, torch.from_numpy(used), rows, step, rate)
        if report and step % 10 == 0:
            report(step, steps)
    return module


def pretrain(groups: list[IndexedText], seen: int = PRETRAINING_SEEN) -> StartingWeights:
    """Train weights on ``groups`` of query variants: variants of one group get similar vectors,
    other variants different ones.
    """
    pairs = [
        TrainingPair(variant.text, number)
        for number, group in enumerate(groups)
        for variant in group.phrasings
    ]
    module = train(groups, pairs, batch_size=PRETRAINING_BATCH, seen=seen)
    weights = module.embedding.weight.detach().numpy()
    texts = (text for group in groups for text in (group.text, *(v.text for v in group.phrasings)))
    known = np.unique([bucket for text in texts for bucket in buckets(text)])
    return StartingWeights(known, weights[known])


def write_starting_weights(
    path: Path, groups: list[IndexedText], seen: int = PRETRAINING_SEEN
) -> None:
    """Train weights on ``groups`` and write them to ``path``, with the number of texts and a hash
    of this module.
    """
    code = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:16]
    made_of = {"texts": sum(len(group.phrasings) for group in groups), "code": code}
    save_starting_weights(pretrain(groups, seen), path, made_of)


def _step(
    weights: torch.Tensor,
    squares: torch.Tensor,
    used: torch.Tensor,
    rows: torch.Tensor,
    step: int,
    rate: float,
) -> None:
    """Update the ``used`` rows of ``weights`` by the gradient of ``rows``, their copies."""
    gradient = rows.grad
    assert gradient is not None
    now = gradient.square().mean(dim=1, keepdim=True)
    mean = squares[used].mul_(_DECAY).add_(now, alpha=1 - _DECAY)
    squares[used] = mean
    scale = (mean / (1 - _DECAY ** (step + 1))).sqrt_().add_(1e-8)
    weights[used] = rows.detach().addcdiv_(gradient, scale, value=-rate)


def _dropped(
    words: NDArray[np.int64], counts: NDArray[np.int64], random: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Drop random ``words`` from texts of ``counts`` words; each text keeps at least one."""
    starts = np.cumsum(counts) - counts
    kept = random.random(len(words)) > DROPPED
    kept[starts] |= np.add.reduceat(kept, starts) == 0
    return words[kept], np.add.reduceat(kept, starts, dtype=np.int64)


class _Bags:
    """Non-empty groups of numbers in one array, for fast look-up of several groups at once."""

    def __init__(self, groups: Sequence[Sequence[int]]):
        self._ends = np.cumsum([0, *map(len, groups)])
        every = (number for group in groups for number in group)
        self._flat = np.fromiter(every, dtype=np.int64, count=int(self._ends[-1]))

    def rows(self, wanted: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the numbers of the ``wanted`` groups in one array, and the size of each group."""
        counts = self._ends[wanted + 1] - self._ends[wanted]
        shift = self._ends[wanted] - (np.cumsum(counts) - counts)
        return self._flat[np.repeat(shift, counts) + np.arange(counts.sum())], counts


class _Vocabulary:
    """Numbers words and keeps the ``buckets`` of each, so that a repeated word is hashed once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._texts: dict[str, list[int]] = {}  # most texts occur several times
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
    """Add up ``rows[numbers]`` in consecutive groups of ``counts`` numbers."""
    offsets = torch.from_numpy(np.cumsum(counts) - counts)
    return nn.functional.embedding_bag(torch.from_numpy(numbers), rows, offsets, mode="sum")

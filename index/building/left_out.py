"""Learns from drafts that are left out how near to a drafted rulebook a question is that it
settles, and one that it does not.

Some passages are left out with all their drafts: for these the rest of the rulebook is one that
leaves them open. Of the others some drafts are left out: these are questions that it settles and
was not told of. An encoder is trained on what remains.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from index.encoding.encoder import Encoder
from index.library.indexed_texts import IndexedText
from index.library.library import Library
from index.ranking.confidence import (
    EditionConfidence,
    NearnessModel,
)
from index.store.vectors import PassageVectors

_SHARE = 0.25  # of the passages, and of the drafts of the others
_MOST = 600  # questions of each kind, of one edition
_LEAST = 60
_SEED = 19


def learn_edition_confidence(
    library: Library,
    texts: Sequence[IndexedText],
    editions: Sequence[str],
    encoder_of: Callable[[Sequence[IndexedText]], Encoder],
) -> EditionConfidence:
    """Learn how sure answers from the ``editions`` are, which have drafts; one that has too few is
    left out.

    ``texts`` are the indexed texts of all passages, in their order; ``encoder_of`` makes an encoder
    that knows nothing but what it is given.
    """
    random = np.random.default_rng(_SEED)
    bounds = {
        edition.id: bound for edition, bound in zip(library.editions, _ranges(library), strict=True)
    }
    split = _Split(list(texts), {}, {})
    for edition in editions:
        split.leave_out(bounds[edition], random)
    encoder = encoder_of(split.texts)
    vectors = _vectors(split.texts, encoder)
    models: dict[str, NearnessModel] = {}
    for edition in editions:
        settled = _sample(split.settled, bounds[edition], random)
        unsettled = _sample(split.unsettled, bounds[edition], random)
        if min(len(settled), len(unsettled)) >= _LEAST:
            near = _Nearness(library, vectors, bounds[edition], encoder)
            models[edition] = NearnessModel.fit(
                near.cosines(settled, False), near.cosines(unsettled, True)
            )
    return EditionConfidence(models)


class _Split:
    """``texts`` of which some phrasings are left out: ``settled`` and ``unsettled`` have these, by
    the number of the passage.
    """

    def __init__(
        self,
        texts: list[IndexedText],
        settled: dict[int, list[str]],
        unsettled: dict[int, list[str]],
    ):
        self.texts = texts
        self.settled = settled
        self.unsettled = unsettled

    def leave_out(self, numbers: range, random: np.random.Generator) -> None:
        """Leave out a share of the passages ``numbers`` whole, and a share of the phrasings of the
        others.
        """
        for number in numbers:
            phrasings = self.texts[number].phrasings
            if random.random() < _SHARE:
                self.unsettled[number] = [phrasing.text for phrasing in phrasings]
                kept = []
            else:
                out = random.random(len(phrasings)) < _SHARE
                self.settled[number] = [
                    phrasing.text for phrasing, left in zip(phrasings, out, strict=True) if left
                ]
                kept = [phrasing for phrasing, left in zip(phrasings, out, strict=True) if not left]
            self.texts[number] = replace(self.texts[number], phrasings=tuple(kept))


class _Nearness:
    """The cosines of questions to the passages ``numbers`` of one edition, and to their
    phrasings.
    """

    def __init__(self, library: Library, vectors: PassageVectors, numbers: range, encoder: Encoder):
        self._numbers = np.arange(numbers.start, numbers.stop)
        self._vectors = vectors
        self._encoder = encoder
        first = vectors.first
        rows = np.arange(first[numbers.start], first[numbers.stop])
        self._owners = np.repeat(self._numbers, np.diff(first[numbers.start : numbers.stop + 1]))
        self._phrasings = vectors.phrasing_rows(rows)
        self._same = {number: library.searchable[number].text for number in numbers}

    def cosines(self, questions: Sequence[tuple[int, str]], without: bool) -> NDArray[np.float32]:
        """Both cosines of ``questions``, each with the number of its passage, shape (n, 2);
        ``without`` that passage and its likes.
        """
        found = np.zeros((len(questions), 2), dtype=np.float32)
        encoded = self._encoder.questions([text for _, text in questions])
        for row, vector, (number, _) in zip(found, encoded, questions, strict=True):
            passages = self._vectors.passages(vector[None], self._numbers)[0]
            phrasings = self._phrasings @ vector
            if without:
                text = self._same[number]
                likes = [other for other in self._numbers.tolist() if self._same[other] == text]
                passages = passages[~np.isin(self._numbers, likes)]
                phrasings = phrasings[~np.isin(self._owners, likes)]
            row[:] = passages.max(initial=0.0), phrasings.max(initial=0.0)
        return found


def _ranges(library: Library) -> list[range]:
    """The numbers of the searchable passages of each edition."""
    return [
        range(start, stop) for start, stop in zip(library.bounds, library.bounds[1:], strict=False)
    ]


def _vectors(texts: Sequence[IndexedText], encoder: Encoder) -> PassageVectors:
    own = encoder.passages([text.text for text in texts])
    phrased = [
        (number, phrasing.text) for number, text in enumerate(texts) for phrasing in text.phrasings
    ]
    phrasings = (
        encoder.questions([text for _, text in phrased])
        if phrased
        else np.empty((0, own.shape[1]), dtype=np.float32)
    )
    return PassageVectors.build(
        own, phrasings, np.array([number for number, _ in phrased], dtype=np.int32)
    )


def _sample(
    questions: dict[int, list[str]], numbers: range, random: np.random.Generator
) -> list[tuple[int, str]]:
    """At most `_MOST` of the ``questions`` for the passages ``numbers``."""
    every = [(number, text) for number in numbers for text in questions.get(number, ())]
    return [every[place] for place in random.permutation(len(every))[:_MOST]]

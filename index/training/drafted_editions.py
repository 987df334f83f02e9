"""Learn from held-out drafts (query variants drafted by a model) how near a question is to a
rulebook that settles it, and to one that does not.

Some passages are held out with all their drafts: the rest of the rulebook does not answer these.
Of the other passages some drafts are held out: the rulebook answers these, untrained. An encoder is
trained on the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from index.encoding.encoder import Encoder
from index.library.indexed_texts import IndexedText, encoded_texts
from index.library.library import Library
from index.ranking.confidence import EditionConfidence, NearnessModel
from index.store.vectors import PassageVectors

_SHARE = 0.25  # held-out share of the passages, and of the drafts of the others
_MOST = 600  # most questions of each kind for one edition
_LEAST = 60  # least questions
_SEED = 19

Questions = list[tuple[int, str]]
"""Questions, each with the number of its passage."""


def learn_edition_confidence(
    library: Library,
    texts: Sequence[IndexedText],
    editions: Sequence[str],
    encoder_of: Callable[[Sequence[IndexedText]], Encoder],
) -> EditionConfidence:
    """Learn the confidence of answers from the drafted ``editions``, except editions with too few
    drafts.

    ``texts`` are the indexed texts of all passages, in order; ``encoder_of`` trains an encoder only
    on the texts it is given.
    """
    random = np.random.default_rng(_SEED)
    ranges = map(range, library.bounds, library.bounds[1:])
    numbers = dict(zip((edition.id for edition in library.editions), ranges, strict=True))
    rest = list(texts)
    left_out = {edition: _leave_out(rest, numbers[edition], random) for edition in editions}
    encoder = encoder_of(rest)
    encoded = encoded_texts(rest, encoder)
    vectors = PassageVectors.build(encoded.own, encoded.phrasings, encoded.owners)
    models: dict[str, NearnessModel] = {}
    for edition, kinds in left_out.items():
        settled, unsettled = (
            [every[place] for place in random.permutation(len(every))[:_MOST]] for every in kinds
        )
        if min(len(settled), len(unsettled)) >= _LEAST:
            same = {number: library.searchable[number].text for number in numbers[edition]}
            models[edition] = NearnessModel.fit(
                _cosines(settled, encoder, vectors, same, without=False),
                _cosines(unsettled, encoder, vectors, same, without=True),
            )
    return EditionConfidence(models)


def _leave_out(
    texts: list[IndexedText], numbers: range, random: np.random.Generator
) -> tuple[Questions, Questions]:
    """Remove from ``texts`` all variants of a share of the passages ``numbers``, and a share of the
    variants of the others. Return the removed variants: first those of the others.
    """
    settled: Questions = []
    unsettled: Questions = []
    for number in numbers:
        phrasings = texts[number].phrasings
        whole = random.random() < _SHARE
        gone = np.ones(len(phrasings)) if whole else random.random(len(phrasings)) < _SHARE
        pairs = list(zip(phrasings, gone, strict=True))
        out = [(number, phrasing.text) for phrasing, left in pairs if left]
        (unsettled if whole else settled).extend(out)
        kept = tuple(phrasing for phrasing, left in pairs if not left)
        texts[number] = replace(texts[number], phrasings=kept)
    return settled, unsettled


def _cosines(
    questions: Questions,
    encoder: Encoder,
    vectors: PassageVectors,
    same: dict[int, str],
    without: bool,
) -> NDArray[np.float32]:
    """Return the cosines of ``questions`` to the nearest passage and to the nearest query variant
    of an edition, shape (n, 2).

    ``same`` has the texts of the passages by number. If ``without``, each question's own passage,
    and others with the same text, are ignored.
    """
    numbers = np.array(list(same))
    first = vectors.first[numbers[0] : numbers[-1] + 2]
    owners = np.repeat(numbers, np.diff(first))
    phrasings = vectors.phrasing_rows(np.arange(first[0], first[-1]))
    found = np.zeros((len(questions), 2), dtype=np.float32)
    encoded = encoder.questions([text for _, text in questions])
    for row, vector, (number, _) in zip(found, encoded, questions, strict=True):
        passages, phrased = vectors.passages(vector[None], numbers)[0], phrasings @ vector
        if without:
            likes = [other for other in same if same[other] == same[number]]
            passages = passages[~np.isin(numbers, likes)]
            phrased = phrased[~np.isin(owners, likes)]
        row[:] = passages.max(initial=0.0), phrased.max(initial=0.0)
    return found

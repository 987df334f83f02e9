"""The training of the starting weights: on the query variants of the package alone, no word of a
rulebook among them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

import numpy as np

from corpus.edition_files import described_editions
from corpus.workspace import game_as_new
from glossary.query_variants import FOLDER, load_query_variants
from index.encoding import training
from index.encoding.encoder import buckets
from index.encoding.starting_weights import StartingWeights, save_starting_weights
from index.encoding.training_pairs import TrainingPair
from index.library.indexed_texts import IndexedText

BATCH, SEEN = 1_024, 900 * 1_024


def variant_groups() -> list[IndexedText]:
    """Gather the query variants of each passage that the package has some of, as if the first of
    them was its text.

    That is the sentence in English on what the passage settles, where there is one, so that
    languages come together. Those of a game that is taken for a new one are left out.
    """
    found = []
    for edition in sorted(
        (described.edition for described in described_editions()), key=lambda edition: edition.id
    ):
        if edition.game != game_as_new():
            for phrasings in load_query_variants(edition.id, FOLDER):
                variants = tuple(phrasings.all(edition.language))
                if len(variants) > 1:
                    found.append(
                        IndexedText(phrasings.gist or variants[0].text, edition.language, variants)
                    )
    return found


def pretrain(
    groups: list[IndexedText], seen: int = SEEN, report: Callable[[int, int], None] | None = None
) -> StartingWeights:
    """Train weights on ``groups`` of query variants: those of one group are brought together, all
    others kept apart.
    """
    pairs = [
        TrainingPair(variant.text, number)
        for number, group in enumerate(groups)
        for variant in group.phrasings
    ]
    weights = (
        training.train(groups, pairs, batch_size=BATCH, seen=seen, report=report)
        .embedding.weight.detach()
        .numpy()
    )
    known = np.unique(
        [
            bucket
            for group in groups
            for text in (group.text, *(v.text for v in group.phrasings))
            for bucket in buckets(text)
        ]
    )
    return StartingWeights(known, weights[known])


def write_starting_weights(path: Path, groups: list[IndexedText], seen: int = SEEN) -> None:
    """Train weights on ``groups`` and write them to ``path``, with the number of texts and a hash
    of the code that made them.
    """
    code = hashlib.sha256(
        Path(__file__).read_bytes() + Path(training.__file__).read_bytes()
    ).hexdigest()[:16]
    made_of = {"texts": sum(len(group.phrasings) for group in groups), "code": code}
    save_starting_weights(pretrain(groups, seen), path, made_of)

"""The training data of the built-in encoder: pairs of a text and the passage that it should
find.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from corpus.sentences import sentences
from index.library.indexed_texts import IndexedText
from index.library.library import Library

PHRASING_WEIGHT = 3  # how often a phrasing is shown where a sentence is shown once


class TrainingPair(NamedTuple):
    """A text that should find a passage, and the passage, numbered as in the index."""

    text: str
    passage: int


def training_pairs(library: Library, texts: Sequence[IndexedText]) -> list[TrainingPair]:
    """What the rulebooks themselves and the phrasings say about which words mean which passage.

    ``texts`` are the indexed texts of the library's searchable passages, in their order. Pairs come
    from phrasings, from headings, from sentences, and from references: an entry's heading should
    also find what it points to.
    """
    found = []
    for number, passage in enumerate(library.searchable):
        entry = library.entry[passage.entry]
        around = library.path(entry)
        found.append(TrainingPair(" ".join(e.title for e in around[-2:]), number))
        found += [TrainingPair(p.text, number) for p in texts[number].phrasings] * PHRASING_WEIGHT
        for a, b in sentences(passage.display):
            if b - a > 15:
                found.append(TrainingPair(passage.display[a:b], number))
                found.append(TrainingPair(f"{entry.title} {passage.display[a:b]}", number))
        for reference in library.references_of.get(entry.id, ()):
            if reference.target and passage.ordinal == 0 and reference.target in library.entry:
                found.append(
                    TrainingPair(f"{entry.title} {library.entry[reference.target].title}", number)
                )
    return found

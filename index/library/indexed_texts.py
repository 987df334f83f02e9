"""What is indexed of each passage: its own text, what leads in to it, the titles around it, and its
phrasings.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpus.display import display
from corpus.model import Passage
from glossary.query_variants import QueryVariant
from index.analysis import Analyzer, folded, words
from index.library.library import Library

PREPARED_SHARE = (
    0.5  # share of the passages of an edition with phrasings, from which on it counts as prepared
)
FREQUENT = 8_000  # words of a language: 29 of 30 words of questions


class Run(NamedTuple):
    """Searchable passages that follow one another, ``length`` from number ``now`` on, and from
    ``before`` on in the previous index.
    """

    now: int
    before: int
    length: int


@dataclass(frozen=True)
class IndexedText:
    """``text`` in the ``language`` of the rulebook, and the phrasings of the passage, which may be
    in others.
    """

    text: str
    language: str
    phrasings: tuple[QueryVariant, ...]


def all_terms(texts: Iterable[IndexedText], analyzer: Analyzer) -> Iterator[list[str]]:
    """The index terms of each text and its phrasings, each analysed in its own language, each
    different phrasing once.
    """
    known: dict[QueryVariant, list[str]] = {}
    for text in texts:
        found = analyzer.terms(text.text, text.language)
        for phrasing in text.phrasings:
            if phrasing not in known:
                known[phrasing] = analyzer.terms(phrasing.text, phrasing.language)
            found += known[phrasing]
        yield found


def all_words(texts: Iterable[IndexedText]) -> Iterator[list[str]]:
    """The folded words of each text and its phrasings, whose n-grams are indexed."""
    for text in texts:
        yield [
            word
            for printed in (text.text, *(p.text for p in text.phrasings))
            for word in folded(printed)
        ]


def indexed_texts(
    library: Library, phrasings: Mapping[str, tuple[QueryVariant, ...]]
) -> list[IndexedText]:
    """One `IndexedText` for each searchable passage, in order; ``phrasings`` are by passage id."""
    return [
        indexed_text(library, passage, phrasings.get(passage.id, ()))
        for passage in library.searchable
    ]


def indexed_text(
    library: Library, passage: Passage, phrasings: tuple[QueryVariant, ...]
) -> IndexedText:
    """What is indexed of one ``passage`` with these ``phrasings``."""
    entry = library.entry[passage.entry]
    titles = [e.title for e in library.path(entry)[-2:]]
    text = " – ".join(
        [*titles, *([display(passage.lead_in)] if passage.lead_in else []), passage.display]
    )
    return IndexedText(text, library.edition[entry.edition].language, phrasings)


def prepared_editions(texts: Sequence[IndexedText], bounds: Sequence[int]) -> NDArray[np.bool_]:
    """Which editions have phrasings for most of their passages, those from ``bounds[i]`` up to
    ``bounds[i + 1]``.
    """
    phrased = np.cumsum([0, *(bool(text.phrasings) for text in texts)])[list(bounds)]
    return np.asarray(np.diff(phrased) >= PREPARED_SHARE * np.diff(bounds))


def frequent_words(texts: Iterable[IndexedText], most: int = FREQUENT) -> list[str]:
    """The ``most`` frequent words of the phrasings in each language, as they are written: questions
    will have them too.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for phrasing in (p for text in texts for p in text.phrasings):
        counts[phrasing.language].update(words(phrasing.text))
    return list(
        dict.fromkeys(
            word for _, found in sorted(counts.items()) for word, _ in found.most_common(most)
        )
    )

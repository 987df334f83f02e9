"""The text that is indexed for each passage: its own, its lead-in, the titles around it, and its
query variants.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from corpus.display import display
from corpus.model import Passage
from glossary.query_variants import QueryVariant
from index.analysis import Analyzer, folded, words
from index.encoding.encoder import Encoder
from index.files.records import MappedRecords, write_records
from index.library.library import Library

PREPARED_SHARE = 0.5  # share of passages with variants from which an edition counts as prepared
FREQUENT = 8_000  # words of a language, which cover 29 of 30 words of questions
PHRASINGS = "phrasings"  # the folder of an index with the query variants of passages
_FILE = "phrasing"


class Run(NamedTuple):
    """A run of ``length`` consecutive searchable passages, from number ``now`` in this index and
    from number ``before`` in the previous one.
    """

    now: int
    before: int
    length: int


@dataclass(frozen=True)
class IndexedText:
    """``text`` in the ``language`` of the rulebook, and the query variants of the passage, perhaps
    in other languages.
    """

    text: str
    language: str
    phrasings: tuple[QueryVariant, ...]


class EncodedTexts(NamedTuple):
    """Unit vectors of texts, shape (n, d), and of their query variants, shape (m, d); ``phrased``
    are these variants, each with the number of its text.
    """

    own: NDArray[np.float32]
    phrased: list[tuple[int, str]]
    phrasings: NDArray[np.float32]

    @property
    def owners(self) -> NDArray[np.int32]:
        """The number of the text of each variant, ascending."""
        return np.array([number for number, _ in self.phrased], dtype=np.int32)


def encoded_texts(texts: Sequence[IndexedText], encoder: Encoder) -> EncodedTexts:
    """Encode ``texts`` and their query variants."""
    own = encoder.passages([text.text for text in texts])
    phrased = [(number, each.text) for number, text in enumerate(texts) for each in text.phrasings]
    none = np.empty((0, own.shape[1]), dtype=np.float32)
    phrasings = encoder.questions([text for _, text in phrased]) if phrased else none
    return EncodedTexts(own, phrased, phrasings)


def all_terms(texts: Iterable[IndexedText], analyzer: Analyzer) -> Iterator[list[str]]:
    """Yield the index terms of each text and its variants, each analysed in its own language."""
    known: dict[QueryVariant, list[str]] = {}
    for text in texts:
        found = analyzer.terms(text.text, text.language)
        for phrasing in text.phrasings:
            if phrasing not in known:
                known[phrasing] = analyzer.terms(phrasing.text, phrasing.language)
            found += known[phrasing]
        yield found


def all_words(texts: Iterable[IndexedText]) -> Iterator[list[str]]:
    """Yield the folded words of each text and its variants, whose n-grams are indexed."""
    for text in texts:
        printed = (text.text, *(phrasing.text for phrasing in text.phrasings))
        yield [word for each in printed for word in folded(each)]


def indexed_texts(
    library: Library, phrasings: Mapping[str, tuple[QueryVariant, ...]]
) -> list[IndexedText]:
    """Return an `IndexedText` for each searchable passage; ``phrasings`` are by passage id."""
    return [
        indexed_text(library, passage, phrasings.get(passage.id, ()))
        for passage in library.searchable
    ]


def passage_texts(library: Library) -> list[str]:
    """Return the indexed text of each searchable passage, without its query variants."""
    return [indexed_text(library, passage, ()).text for passage in library.searchable]


def indexed_text(
    library: Library, passage: Passage, phrasings: tuple[QueryVariant, ...]
) -> IndexedText:
    """Return the indexed text of one ``passage`` with these ``phrasings``."""
    entry = library.entry[passage.entry]
    titles = [e.title for e in library.path(entry)[-2:]]
    lead_in = [display(passage.lead_in)] if passage.lead_in else []
    text = " – ".join([*titles, *lead_in, passage.display])
    return IndexedText(text, library.edition[entry.edition].language, phrasings)


def prepared_editions(texts: Sequence[IndexedText], bounds: Sequence[int]) -> NDArray[np.bool_]:
    """Return which editions have query variants for most of their passages; the passages of edition
    i are those from ``bounds[i]`` up to ``bounds[i + 1]``.
    """
    phrased = np.cumsum([0, *(bool(text.phrasings) for text in texts)])[list(bounds)]
    return np.asarray(np.diff(phrased) >= PREPARED_SHARE * np.diff(bounds))


def frequent_words(texts: Iterable[IndexedText]) -> list[str]:
    """Return the most frequent words of the variants in each language, as they are written, since
    they are likely in questions too.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for phrasing in (p for text in texts for p in text.phrasings):
        counts[phrasing.language].update(words(phrasing.text))
    frequent = (found.most_common(FREQUENT) for _, found in sorted(counts.items()))
    return list(dict.fromkeys(word for found in frequent for word, _ in found))


def save_query_variants(phrasings: Iterable[Sequence[QueryVariant]], folder: Path) -> None:
    """Write the query variants of each searchable passage, in order, to ``folder``."""
    folder.mkdir(parents=True)
    write_records(folder / _FILE, phrasings)


def load_query_variants(folder: Path) -> MappedRecords[tuple[QueryVariant, ...]]:
    """Map what `save_query_variants` wrote to ``folder``. Raises `OSError` or `ValueError`."""

    def parse(record: Any) -> tuple[QueryVariant, ...]:
        return tuple(QueryVariant(*each) for each in record)

    return MappedRecords.load(folder / _FILE, parse, cached=1)

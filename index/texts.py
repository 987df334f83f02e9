"""What is indexed of each passage: its own words, the titles around it, and what players say for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from glossary.phrasings import Phrasing
from index.analysis import grams, terms
from index.library import Library


@dataclass(frozen=True)
class IndexedText:
    """``text`` in the ``language`` of the rulebook, and the phrasings kept for the passage, which may be in others."""

    text: str
    language: str
    phrasings: tuple[Phrasing, ...]

    def terms(self) -> list[str]:
        """Index terms of text and phrasings, each analysed in its own language."""
        return [*terms(self.text, self.language), *(t for p in self.phrasings for t in terms(p.text, p.language))]

    def grams(self) -> list[str]:
        """Character n-grams of text and phrasings."""
        return [*grams(self.text), *(g for p in self.phrasings for g in grams(p.text))]


def indexed_texts(library: Library, phrasings: Mapping[str, tuple[Phrasing, ...]]) -> list[IndexedText]:
    """One `IndexedText` for each searchable passage, in order; ``phrasings`` are by passage id."""
    texts = []
    for passage in library.searchable:
        entry = library.entry[passage.entry]
        titles = [e.title for e in library.path(entry)[-2:]]
        text = " – ".join([*titles, passage.display])
        texts.append(IndexedText(text, library.edition[entry.edition].language, phrasings.get(passage.id, ())))
    return texts

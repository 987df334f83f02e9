"""Made-up rulebooks as a library: no references, no cards, no concepts, no fallbacks."""

from __future__ import annotations

from collections.abc import Iterable

from corpus.model import Edition, Entry, Kind, Lines, Passage, Role, Span
from index.library.library import Library, SourceDocument
from tests.bench.growth.rulebooks import MadeBook

_LINES = Lines(1, 1)


def gathered(books: Iterable[MadeBook]) -> Library:
    """The library of ``books``, as if each was all there is in a document."""
    editions: list[Edition] = []
    entries: list[Entry] = []
    passages: list[Passage] = []
    for book in books:
        editions.append(book.edition)
        for number, made in enumerate(book.entries):
            id = f"{book.edition.id}/{number}"
            entries.append(Entry(id, book.edition.id, Kind.TERM, made.title, made.title, None, None, None, None, (), (), _LINES))
            passages += [
                Passage(f"{id}#{ordinal}", id, ordinal, Role.TEXT, 0, (Span(0, len(text)),), _LINES, text, text)
                for ordinal, text in enumerate(made.passages)
            ]
    sources = {edition.id: SourceDocument(f"{edition.id}.txt", "0" * 64) for edition in editions}
    return Library(tuple(editions), sources, entries, passages, (), {})

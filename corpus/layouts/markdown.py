"""Placeholder reader of the markdown layout."""

from __future__ import annotations

from corpus.document import Document
from corpus.draft import Draft, DraftPassage, DraftRulebook
from corpus.model import Corrections, Edition, Kind, Span


def score(document: Document) -> float:
    return 0.0


def read(document: Document, edition: Edition, corrections: Corrections) -> DraftRulebook:
    book = DraftRulebook()
    entry = Draft(Kind.SECTION, edition.title)
    for line in document.lines:
        if line.text.strip():
            entry.passages.append(DraftPassage([Span(line.start, line.end)]))
    book.entries.append(entry)
    return book

"""Report the parts of a document that could not be read, or not reliably."""

from __future__ import annotations

from collections.abc import Iterator

from corpus.blocks import NoteKind, PageMap, printed_number
from corpus.model import Rulebook
from glossary.check.model import Certainty, Finding, FindingKind, Why, report

_REASONS = {
    NoteKind.IMAGES: Why.PAGE_IS_IMAGE,
    NoteKind.COVERED: Why.TEXT_COVERED,
    NoteKind.OVERLAPPING: Why.LINES_OVERLAP,
    NoteKind.GRID: Why.GRID_LEFT_OUT,
}
_MOST = 50  # findings of a kind


def find_unread(rulebook: Rulebook) -> Iterator[Finding]:
    """Yield each page with unreadable parts, at its first line, and missing chapters."""
    document, pages = rulebook.document, rulebook.document.pages
    for note in document.extracted.notes if document.extracted else ():
        if note.kind is NoteKind.CHAPTER:
            yield report(
                rulebook,
                None,
                FindingKind.UNREAD,
                Why.CHAPTER_MISSING,
                note.name,
                certainty=Certainty.CERTAIN,
            )
        if pages is None:
            continue
        for sheet in note.pages[:_MOST]:
            at = _first_offset(pages, sheet)
            line = None if at is None else document.line_at(at)
            printed_page = printed_number(pages.numbers, sheet, 0.0) or str(sheet)
            yield report(
                rulebook,
                line,
                FindingKind.UNREAD,
                _REASONS[note.kind],
                document.line(line).text if line else printed_page,
                certainty=Certainty.POSSIBLE,
                page=printed_page,
            )


def find_strays(rulebook: Rulebook) -> Iterator[Finding]:
    """Yield text that the reader of the layout put into no entry."""
    document = rulebook.document
    for span in rulebook.strays[:_MOST]:
        yield report(
            rulebook,
            document.line_at(span.start),
            FindingKind.STRAY,
            Why.FITS_NOWHERE,
            document.text[slice(*span)],
            certainty=Certainty.POSSIBLE,
        )


def _first_offset(pages: PageMap, sheet: int) -> int | None:
    return next((line.span.start for line in pages.lines if line.page == sheet), None)

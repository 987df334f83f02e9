"""A fixture with page positions: an invented rulebook as a PDF of two pages, drawn by reportlab,
with its extracted text and blocks.
"""

from __future__ import annotations

import hashlib
import json
from io import BytesIO
from pathlib import Path

from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from corpus.blocks import (
    Block,
    BlockKind,
    Bookmark,
    ExtractedText,
    Link,
    NoteKind,
    PageMap,
    ReadingNote,
    Span,
    TextLine,
)
from corpus.document import Document
from corpus.model import Edition, Entry, Kind, Lines, Passage, Role, Rulebook
from index.building.snapshots import FORMAT, MANIFEST, file_digest
from index.library.library import assemble_library, load_library, save_library
from tests.service.harbour import Harbour, german

FILE = "möwen & co.pdf"
EDITION = "moewenspiel-de-1.0"
WIDTH, HEIGHT = 420.0, 595.0
SIZE = 12.0
HEADINGS = ("FLUG", "LANDUNG")
PAGES = (
    (
        ("FLUG", 60.0),
        ("Eine Möwe fliegt über so viele Felder,", 90.0),
        ("wie sie Federn hat.", 108.0),
        ("Über dem Leuchtturm", 540.0),
    ),
    (
        ("kreist sie eine Runde.", 60.0),
        ("LANDUNG", 100.0),
        ("Wer landet, frisst einen Fisch.", 130.0),
    ),
)
LEFT = 72.0


def _draw() -> bytes:
    file = BytesIO()
    canvas = Canvas(file, pagesize=(WIDTH, HEIGHT), invariant=True)
    for lines in PAGES:
        canvas.setFont("Helvetica", SIZE)
        for line, top in lines:
            canvas.drawString(LEFT, HEIGHT - top - SIZE, line)
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def _extract() -> ExtractedText:
    text, lines, blocks = "", [], []
    for number, page in enumerate(PAGES, 1):
        for words, top in page:
            text += "\n\n" if words in HEADINGS and text else ""
            start = len(text)
            widths = [stringWidth(words[:n], "Helvetica", SIZE) for n in range(len(words) + 1)]
            span = Span(start, start + len(words))
            lines.append(
                TextLine(
                    span, number, top, top + 1.2 * SIZE, tuple(LEFT + width for width in widths)
                )
            )
            heading = words in HEADINGS
            blocks.append(
                Block(
                    span,
                    BlockKind.HEADING if heading else BlockKind.PARAGRAPH,
                    int(heading),
                    page=number,
                    size=SIZE,
                    indent=0.1,
                    anchors=(words.lower(),) if heading else (),
                    links=() if heading else (Link(span, "page:2"),),
                )
            )
            text += words + ("\n\n" if heading else "\n")
    text = text.rstrip("\n")
    marks = (Bookmark("Flug", 1, 1), Bookmark("Landung", 1, 2, "#landung"))
    return ExtractedText(
        text,
        tuple(blocks),
        len(text),
        marks,
        PageMap([(WIDTH, HEIGHT)] * 2, lines),
        title="Möwenspiel",
        notes=(ReadingNote(NoteKind.OVERLAPPING, (2,), 2),),
    )


def document() -> Document:
    """Return the PDF with its extracted text."""
    raw, extracted = _draw(), _extract()
    return Document(FILE, hashlib.sha256(raw).hexdigest(), extracted.text, extracted, raw)


def rulebook() -> Rulebook:
    """Return the rulebook read from the PDF: an entry for each heading, the first with a passage on
    both pages.
    """
    paper = document()
    edition = Edition(EDITION, "moewenspiel", "de", "1.0", "Möwenspiel", "markdown")
    starts = [paper.text.index(heading) for heading in HEADINGS]
    entries, passages = [], []
    for heading, start, end in zip(HEADINGS, starts, [starts[1], len(paper.text)], strict=True):
        id = f"{EDITION}/{heading.lower()}"
        whole, body = (
            Span(start, start + len(paper.text[start:end].rstrip())),
            start + len(heading) + 2,
        )
        lines = Lines(paper.line_at(start), paper.line_at(whole.end - 1))
        title = heading.title()
        entries.append(
            Entry(
                id,
                EDITION,
                Kind.SECTION,
                heading,
                title,
                None,
                None,
                None,
                None,
                (Span(start, body - 2),),
                (whole,),
                lines,
            )
        )
        middle = paper.text.find("Über", body, whole.end)
        spans = (
            [Span(body, middle - 1), Span(middle, whole.end)]
            if middle > 0
            else [Span(body, whole.end)]
        )
        for ordinal, span in enumerate(spans):
            words, where = (
                paper.text[span.start : span.end],
                Lines(paper.line_at(span.start), paper.line_at(span.end - 1)),
            )
            passages.append(
                Passage(
                    f"{id}#{ordinal}",
                    id,
                    ordinal,
                    Role.TEXT,
                    0,
                    (span,),
                    where,
                    words,
                    words.replace("\n", " "),
                )
            )
    return Rulebook(paper, edition, tuple(entries), tuple(passages))


def snapshot(place: Path, *others: Rulebook) -> Harbour:
    """Create a snapshot of the PDF, of a text file and of ``others`` in the new folder
    ``place``.
    """
    books = [rulebook(), german().rulebook(), *others]
    save_library(assemble_library(books), place, [book.document for book in books])
    sign(place)
    return open_snapshot(place)


def sign(place: Path) -> None:
    """Write the manifest of the files in ``place``."""
    (place / MANIFEST).unlink(missing_ok=True)
    files = {
        str(path.relative_to(place)): file_digest(path)
        for path in place.rglob("*")
        if path.is_file()
    }
    (place / MANIFEST).write_text(
        json.dumps({"id": place.name, "format": FORMAT, "files": files}), encoding="utf-8"
    )


def open_snapshot(place: Path) -> Harbour:
    """Return the snapshot in ``place``, opened as a service does."""
    found = Harbour(load_library(place), id=place.name)
    found.folder = place  # type: ignore[assignment]
    return found

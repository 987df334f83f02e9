"""Paragraphs of a document as far as its lines tell: those of extracted text are divided only by
hyphens at line ends.
"""

from __future__ import annotations

from typing import NamedTuple

from corpus.document import Document, Line
from corpus.spans import Span


class Paragraph(NamedTuple):
    """Lines of a document that belong together, because only hyphens divide them; in a text file
    every line is one.
    """

    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        """Its lines as they stand."""
        return "\n".join(line.text for line in self.lines)

    @property
    def span(self) -> Span:
        """Its place in the document."""
        return Span(self.lines[0].start, self.lines[-1].end)


def paragraphs(document: Document) -> tuple[Paragraph, ...]:
    """The paragraphs of ``document`` with text, without running heads and page numbers."""
    found: list[list[Line]] = []
    for line in document.body.lines:
        if not line.text.strip():
            continue
        if found and not document.begins_paragraph(line.number):
            found[-1].append(line)
        else:
            found.append([line])
    return tuple(Paragraph(tuple(lines)) for lines in found)

"""Front ends: files of every format as one text and a stream of blocks (`corpus.blocks`).

Text formats (plain text, Markdown, reStructuredText) are their own canonical text, and their blocks are made when they are first asked
for; of all others the text is extracted, in a process of its own.
"""

from __future__ import annotations

from corpus.formats.docx import DOCX
from corpus.formats.epub import EPUB
from corpus.formats.format import ExtractedFormat, TextFormat, UnreadableFile
from corpus.formats.html import HTML
from corpus.formats.odt import ODT
from corpus.formats.pdf import PDF
from corpus.formats.text.markdown_text import MARKDOWN
from corpus.formats.text.plain import PLAIN
from corpus.formats.text.restructured import RESTRUCTURED
from corpus.formats.unsupported import UNSUPPORTED

EXTRACTED: tuple[ExtractedFormat, ...] = (PDF, EPUB, ODT, DOCX, HTML, UNSUPPORTED)
TEXT: tuple[TextFormat, ...] = (PLAIN, MARKDOWN, RESTRUCTURED)
"""All formats. The first one wins where two fit equally well."""

__all__ = ["EXTRACTED", "TEXT", "ExtractedFormat", "TextFormat", "UnreadableFile", "recognise_file", "recognise_text"]


def recognise_file(raw: bytes) -> ExtractedFormat | None:
    """The format of the file ``raw``; None where it is text."""
    return next((each for each in EXTRACTED if each.fits(raw)), None)


def recognise_text(text: str) -> TextFormat:
    """The text format that fits ``text`` best."""
    return max(TEXT, key=lambda each: each.score(text))

"""All formats that are read."""

from __future__ import annotations

from corpus.formats.docx import DOCX
from corpus.formats.epub import EPUB
from corpus.formats.format import ExtractedFormat, TextFormat
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

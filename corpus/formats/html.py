"""HTML: one page. Nothing that it links to is ever asked for."""

from __future__ import annotations

from corpus.blocks import ExtractedText
from corpus.formats import html_encoding
from corpus.formats.contents_lists import mark_contents
from corpus.formats.format import ExtractedFormat, UnreadableFile
from corpus.formats.html_page import HtmlPage
from corpus.formats.html_reader import HtmlReader
from corpus.formats.text_assembler import TextAssembler

NO_TEXT = "a page without text; save the page as your browser shows it, or print it into a PDF"


def extract(raw: bytes) -> ExtractedText:
    """The text of the page ``raw``. Raises `UnreadableFile`."""
    page = HtmlPage(html_encoding.decode(raw))
    assembler = TextAssembler()
    HtmlReader(page, assembler).read()
    found = assembler.finished(title=page.title)
    if not found.text.strip():
        raise UnreadableFile(NO_TEXT)
    return with_contents(found)


def with_contents(found: ExtractedText) -> ExtractedText:
    """``found`` with the table of contents that it has of its own marked as such."""
    return ExtractedText(
        found.text, mark_contents(found.blocks, found.text), found.body, found.bookmarks, title=found.title, notes=found.notes
    )


HTML = ExtractedFormat("html", html_encoding.fits, extract)

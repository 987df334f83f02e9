"""HTML: one page. Nothing that it links to is ever asked for."""

from __future__ import annotations

from corpus.blocks import ExtractedText
from corpus.formats.format import ExtractedFormat, UnreadableFile
from corpus.formats.html import html_encoding
from corpus.formats.html.html_reader import HtmlReader
from corpus.formats.html.html_tree import HtmlPage
from corpus.formats.shared.contents_lists import mark_contents
from corpus.formats.shared.text_assembler import TextAssembler, with_blocks

NO_TEXT = "a page without text; save the page as your browser shows it, or print it into a PDF"


def extract(raw: bytes) -> ExtractedText:
    """The text of the page ``raw``. Raises `UnreadableFile`."""
    page = HtmlPage(html_encoding.decode(raw))
    assembler = TextAssembler()
    HtmlReader(page, assembler).read()
    found = assembler.finished(title=page.title)
    if not found.text.strip():
        raise UnreadableFile(NO_TEXT)
    return with_blocks(found, mark_contents(found.blocks, found.text))


HTML = ExtractedFormat("html", html_encoding.fits, extract)

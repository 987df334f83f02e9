"""DOCX, by its XML. Macros, embedded objects and comments are passed over; changes are read as
accepted.
"""

from __future__ import annotations

import re

from corpus.blocks import ExtractedText
from corpus.formats.docx.docx_reader import DocxReader
from corpus.formats.docx.word_xml import DocxParts
from corpus.formats.format import ExtractedFormat, UnreadableFile
from corpus.formats.shared.contents_lists import mark_contents
from corpus.formats.shared.text_assembler import TextAssembler, with_blocks
from corpus.formats.shared.zip_package import MAGIC

_PART = re.compile(rb"word/document\d{0,3}\.xml")


def fits(raw: bytes) -> bool:
    """Whether ``raw`` is a ZIP archive with the text of a Word document."""
    return raw.startswith(MAGIC) and _PART.search(raw) is not None


def extract(raw: bytes) -> ExtractedText:
    """The text of the document ``raw``. Raises `UnreadableFile`."""
    parts = DocxParts(raw)
    assembler = TextAssembler()
    DocxReader(parts, assembler).read()
    found = assembler.finished(title=parts.title())
    if not found.text.strip():
        raise UnreadableFile(
            "a document without text; if its pages are images, save it as PDF and run OCR on it"
        )
    return with_blocks(found, mark_contents(found.blocks, found.text))


DOCX = ExtractedFormat("docx", fits, extract)
